import {describe, expect, it} from 'vitest';
import type {JsonObject} from '../json/types.js';
import {engineOf, judge, policyOf} from '../testing/engines.js';
import {requestOf} from '../testing/requests.js';
import type {EngineRequest, RuleResult} from '../types.js';
import {goodContainer, goodPod, inController, inEachList} from './testing/pods.js';

const controllers = ['DaemonSet', 'Deployment', 'Job', 'StatefulSet', 'ReplicaSet', 'ReplicationController', 'CronJob'];

function policy(podSecurity: string, kinds = 'Pod'): JsonObject {
  return policyOf(
    'pss',
    `
- name: pods
  match: {any: [{resources: {kinds: [${kinds}]}}]}
  validate: {podSecurity: ${podSecurity}}
`,
  );
}

async function judged(podSecurity: string, object: JsonObject, kinds?: string): Promise<RuleResult> {
  return only(await judge(engineOf([policy(podSecurity, kinds)]).engine, requestOf({object})));
}

function only(results: readonly RuleResult[]): RuleResult {
  expect(results).toHaveLength(1);
  return results[0]!;
}

const root = goodPod({spec: {containers: [goodContainer('main', {}, {privileged: true})]}});

describe('validate.podSecurity', () => {
  it('passes a good Pod, and says by which standard', async () => {
    expect(await judged('{level: restricted, version: v1.29}', goodPod())).toMatchObject({
      status: 'pass',
      message: "Validation rule 'pods' passed.",
      properties: {standard: 'restricted', version: 'v1.29'},
    });
  });

  it('says what is wrong, field by field, with properties for reports', async () => {
    const result = await judged('{level: baseline, version: latest}', root);
    expect(result).toMatchObject({
      status: 'fail',
      action: 'Enforce',
      message:
        'Validation rule \'pods\' failed. It violates PodSecurity "baseline:latest": (Forbidden reason: privileged, ' +
        'field error list: [spec.containers[0].securityContext.privileged is forbidden, forbidden values found: true])',
    });
    expect(result.properties).toEqual({
      standard: 'baseline',
      version: 'latest',
      controls: 'privileged',
      controlsJSON: '[{"ID":"privileged","Name":"Privileged Containers","Images":["registry.example/main:1"]}]',
    });
  });

  it('prints the version as it is written, which may be not at all', async () => {
    expect((await judged('{level: baseline}', root)).message).toContain('violates PodSecurity "baseline:": (');
  });

  it.each<[string, JsonObject, string]>([
    [
      'values of a list, sorted',
      goodPod({
        spec: {
          containers: [
            goodContainer('a', {}, {capabilities: {drop: ['ALL'], add: ['SYS_TIME', 'NET_RAW', 'SYS_TIME']}}),
          ],
        },
      }),
      '(Forbidden reason: unrestricted capabilities, field error list: [spec.containers[0].securityContext.capabilities.add is forbidden, forbidden values found: [NET_RAW SYS_TIME]])',
    ],
    [
      'what is missing',
      goodPod({spec: {initContainers: [goodContainer('a', {}, {capabilities: {}})]}}),
      '(Forbidden reason: unrestricted capabilities, field error list: [spec.initContainers[0].securityContext.capabilities.drop: Required value])',
    ],
    [
      'an absent allowPrivilegeEscalation as nil',
      goodPod({spec: {containers: [goodContainer('a', {}, {allowPrivilegeEscalation: null})]}}),
      '(Forbidden reason: allowPrivilegeEscalation != false, field error list: [spec.containers[0].securityContext.allowPrivilegeEscalation is forbidden, forbidden values found: nil])',
    ],
    [
      'a volume without its value',
      goodPod({
        spec: {
          volumes: [
            {name: 'a', emptyDir: {}},
            {name: 'b', nfs: {server: 's', path: '/'}},
          ],
        },
      }),
      '(Forbidden reason: restricted volume types, field error list: [spec.volumes[1].nfs: Forbidden])',
    ],
    [
      'init containers before containers before ephemeral ones, the Pod first',
      goodPod({
        security: {runAsUser: 0},
        spec: {
          initContainers: [goodContainer('a', {}, {runAsUser: 0})],
          containers: [goodContainer('b'), goodContainer('c', {}, {runAsUser: 0})],
          ephemeralContainers: [goodContainer('d', {}, {runAsUser: 0})],
        },
      }),
      `(Forbidden reason: runAsUser=0, field error list: [${[
        'spec',
        'spec.initContainers[0]',
        'spec.containers[1]',
        'spec.ephemeralContainers[0]',
      ]
        .map(place => `${place}.securityContext.runAsUser is forbidden, forbidden values found: 0`)
        .join(', ')}])`,
    ],
    [
      'the containers that set nothing beside those that set false',
      goodPod({
        security: {runAsNonRoot: null},
        spec: {
          initContainers: [],
          containers: [goodContainer('a'), goodContainer('b', {}, {runAsNonRoot: false})],
          ephemeralContainers: [],
        },
      }),
      '(Forbidden reason: runAsNonRoot != true, field error list: [spec.containers[1].securityContext.runAsNonRoot is forbidden, forbidden values found: false, spec.containers[0].securityContext.runAsNonRoot: Required value])',
    ],
    [
      'several AppArmor profiles, annotations by name',
      goodPod({
        security: {appArmorProfile: {type: 'Unconfined'}},
        annotations: {
          'container.apparmor.security.beta.kubernetes.io/side': 'b',
          'container.apparmor.security.beta.kubernetes.io/main': 'a',
        },
      }),
      '(Forbidden reason: forbidden AppArmor profiles, field error list: [spec.securityContext.appArmorProfile.type is forbidden, forbidden values found: Unconfined, metadata.annotations[container.apparmor.security.beta.kubernetes.io/main] is forbidden, forbidden values found: a, metadata.annotations[container.apparmor.security.beta.kubernetes.io/side] is forbidden, forbidden values found: b])',
    ],
    [
      'baseline controls before restricted ones, and a weaker control not beside the stronger',
      goodPod({
        spec: {
          hostPID: true,
          volumes: [{name: 'h', hostPath: {path: '/'}}],
          containers: [goodContainer('a', {}, {seccompProfile: {type: 'Unconfined'}})],
        },
      }),
      '(Forbidden reason: host namespaces, field error list: [spec.hostPID is forbidden, forbidden values found: true])' +
        '(Forbidden reason: restricted volume types, field error list: [spec.volumes[0].hostPath: Forbidden])' +
        '(Forbidden reason: seccompProfile, field error list: [spec.containers[0].securityContext.seccompProfile.type is forbidden, forbidden values found: Unconfined])',
    ],
  ])('lists %s', async (_name, object, text) => {
    expect(
      (await judged('{level: restricted, version: latest}', object)).message.split('"restricted:latest": ')[1],
    ).toBe(text);
  });

  it('names in the properties both controls that an exclusion has to name', async () => {
    const object = goodPod({spec: {volumes: [{name: 'h', hostPath: {path: '/'}}]}});
    expect((await judged('{level: restricted}', object)).properties?.['controls']).toBe(
      'hostPathVolumes,restrictedVolumes',
    );
  });

  it('lets everything pass at the privileged level', async () => {
    expect((await judged('{level: privileged}', root)).status).toBe('pass');
  });

  it('gives one image for each container at fault', async () => {
    const object = goodPod({
      spec: {
        hostIPC: true,
        containers: [
          {...goodContainer('a', {}, {privileged: true}), image: 'nginx'},
          {...goodContainer('b', {}, {privileged: true}), image: 'nginx:latest'},
          goodContainer('c'),
        ],
      },
    });
    expect((await judged('{level: baseline}', object)).properties).toMatchObject({
      controls: 'hostNamespaces,privileged',
      controlsJSON:
        '[{"ID":"hostNamespaces","Name":"Host Namespaces","Images":[]},{"ID":"privileged","Name":"Privileged Containers","Images":["docker.io/nginx:latest"]}]',
    });
  });

  it.each(controllers)('judges the template of a %s, by autogen and by its own kind', async kind => {
    const path = kind === 'CronJob' ? 'spec.jobTemplate.spec.template' : 'spec.template';
    const bad = goodPod({
      spec: {hostNetwork: true},
      annotations: {'container.apparmor.security.beta.kubernetes.io/main': 'unconfined'},
    });
    for (const kinds of ['Pod', kind]) {
      const result = await judged('{level: baseline}', inController(kind, bad), kinds);
      expect(result.message).toContain(`[${path}.spec.hostNetwork is forbidden, forbidden values found: true]`);
      expect(result.message).toContain(
        `[${path}.metadata.annotations[container.apparmor.security.beta.kubernetes.io/main] is forbidden`,
      );
      expect((await judged('{level: restricted}', inController(kind, goodPod()), kinds)).status).toBe('pass');
    }
  });

  it('takes the annotations of the Pod template, not those of the job template', async () => {
    const job = inController('CronJob', goodPod());
    const annotations = {'container.apparmor.security.beta.kubernetes.io/main': 'unconfined'};
    const inJob = {
      ...job,
      spec: {jobTemplate: {...((job['spec'] as JsonObject)['jobTemplate'] as JsonObject), metadata: {annotations}}},
    };
    expect((await judged('{level: baseline}', inJob)).status).toBe('pass');
  });

  it.each([
    [
      'a kind without a Pod',
      {apiVersion: 'v1', kind: 'Service', metadata: {name: 's', namespace: 'default'}, spec: {}},
      'Service',
    ],
    [
      'a kind of the same name in another group',
      {
        apiVersion: 'batch.volcano.sh/v1alpha1',
        kind: 'Job',
        metadata: {name: 'j', namespace: 'default'},
        spec: {tasks: []},
      },
      'Job',
    ],
  ])('answers error for %s', async (_name, object, kinds) => {
    const result = await judged('{level: baseline}', object as JsonObject, kinds);
    expect(result.status).toBe('error');
    expect(result.message).toMatch(/^podSecurity does not apply to /);
  });

  it.each<[string, JsonObject]>([
    ['privileged as text', goodPod({spec: {containers: [goodContainer('a', {}, {privileged: 'true'})]}})],
    ['hostNetwork as a number', goodPod({spec: {hostNetwork: 1}})],
    ['a list of containers as a map', goodPod({spec: {containers: {}}})],
    ['a container as text', goodPod({spec: {containers: ['nginx']}})],
    ['capabilities as a list', goodPod({spec: {containers: [goodContainer('a', {}, {capabilities: ['ALL']})]}})],
    ['a host port as text', goodPod({spec: {containers: [goodContainer('a', {ports: [{hostPort: '80'}]})]}})],
    ['an annotation as a number', goodPod({annotations: {'container.apparmor.security.beta.kubernetes.io/main': 1}})],
  ])('never takes for safe what it cannot read: %s', async (_name, object) => {
    const result = await judged('{level: baseline}', object);
    expect(result.status).toBe('error');
    expect(result.message).toMatch(/^cannot judge the Pod: |^a container must be /);
  });

  it('reads own fields alone', async () => {
    const object = goodPod({annotations: JSON.parse('{"__proto__": "x", "constructor": "y"}') as JsonObject});
    expect((await judged('{level: restricted}', object)).status).toBe('pass');
  });

  it('says nothing when the object goes', async () => {
    const {engine} = engineOf([policy('{level: baseline}')]);
    expect(await judge(engine, requestOf({operation: 'DELETE', oldObject: root}))).toEqual([]);
  });

  it('judges the Pod of a request for its ephemeral containers', async () => {
    const {engine} = engineOf([policy('{level: baseline}', 'Pod/ephemeralcontainers')]);
    const [, , [, object] = ['', goodPod()]] = inEachList({}, {privileged: true});
    const request: EngineRequest = requestOf({object, oldObject: goodPod(), subResource: 'ephemeralcontainers'});
    expect(only(await judge(engine, request)).message).toContain(
      'spec.ephemeralContainers[0].securityContext.privileged',
    );
  });

  it('is served by every host', () => {
    expect(() => engineOf([policy('{level: restricted, exclude: [{controlName: Seccomp}]}')])).not.toThrow();
  });
});

describe('violations that were there before', () => {
  const update = (oldObject: JsonObject, object: JsonObject): EngineRequest => requestOf({object, oldObject});

  it('are forgiven by default', async () => {
    const {engine} = engineOf([policy('{level: baseline}')]);
    expect(only(await judge(engine, update(root, root)))).toMatchObject({
      status: 'skip',
      message: 'skipping the rule evaluation as pre-existing violations are allowed',
    });
  });

  it('are not forgiven when they are new, or when the rule says so', async () => {
    const {engine} = engineOf([policy('{level: baseline}')]);
    expect(only(await judge(engine, update(goodPod(), root))).status).toBe('fail');
    const strict = engineOf([
      policyOf(
        'pss',
        `
- name: pods
  match: {any: [{resources: {kinds: [Pod]}}]}
  validate: {allowExistingViolations: false, podSecurity: {level: baseline}}
`,
      ),
    ]);
    expect(only(await judge(strict.engine, update(root, root))).status).toBe('fail');
  });
});
