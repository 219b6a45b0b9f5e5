import {describe, expect, it} from 'vitest';
import type {JsonObject} from '../json/types.js';
import {engineOf, judge, policyOf} from '../testing/engines.js';
import {requestOf} from '../testing/requests.js';
import type {RuleResult} from '../types.js';
import {goodContainer, goodPod} from './testing/pods.js';

function policy(level: string, exclude: readonly JsonObject[] = []): JsonObject {
  return policyOf(
    'pss',
    `
- name: pods
  match: {any: [{resources: {kinds: [Pod]}}]}
  validate: {podSecurity: {level: ${level}, version: latest, exclude: ${JSON.stringify(exclude)}}}
`,
  );
}

async function status(object: JsonObject, level: string, ...exclude: JsonObject[]): Promise<string> {
  const results = await judge(engineOf([policy(level, exclude)]).engine, requestOf({object}));
  return results.map(result => result.status).join();
}

const container = (more: JsonObject, security: JsonObject = {}): JsonObject =>
  goodPod({spec: {containers: [goodContainer('main', more, security)]}});
const images = ['registry.example/main:*'];
const seccomp = (name: string): JsonObject => goodContainer(name, {}, {seccompProfile: {type: 'Unconfined'}});

describe('exclusions of a rule', () => {
  interface Row {
    readonly name: string;
    readonly pod: JsonObject;
    readonly level?: string;
    readonly exclude: readonly JsonObject[];
    readonly status: 'pass' | 'fail';
  }
  const privileged = container({}, {privileged: true});
  const added = container({}, {capabilities: {drop: ['ALL'], add: ['NET_ADMIN', 'NET_RAW']}});
  const addField = 'spec.containers[*].securityContext.capabilities.add';
  const hostPath = goodPod({spec: {volumes: [{name: 'a', hostPath: {path: '/var/log', type: 'Directory'}}]}});
  const apparmor = goodPod({annotations: {'container.apparmor.security.beta.kubernetes.io/main': 'unconfined'}});
  const hostPorts = container({ports: [{hostPort: 10}, {hostPort: 20}]});
  const portField = 'spec.containers[*].ports[*].hostPort';

  const rows: Row[] = [
    {
      name: 'free a container by its image',
      pod: privileged,
      exclude: [{controlName: 'Privileged Containers', images}],
      status: 'pass',
    },
    {
      name: 'take images as they are written',
      pod: privileged,
      exclude: [{controlName: 'Privileged Containers', images: ['*/main:2']}],
      status: 'fail',
    },
    {name: 'free no other control', pod: privileged, exclude: [{controlName: 'Capabilities', images}], status: 'fail'},
    {
      name: 'free no other container',
      pod: goodPod({
        spec: {
          containers: [goodContainer('main', {}, {privileged: true}), goodContainer('side', {}, {privileged: true})],
        },
      }),
      exclude: [{controlName: 'Privileged Containers', images}],
      status: 'fail',
    },
    {
      name: 'free the Pod without images',
      pod: goodPod({spec: {hostNetwork: true, hostPID: true}}),
      exclude: [{controlName: 'Host Namespaces'}],
      status: 'pass',
    },
    {
      name: 'free only the field they name',
      pod: goodPod({spec: {hostNetwork: true, hostPID: true}}),
      exclude: [{controlName: 'Host Namespaces', restrictedField: 'spec.hostNetwork', values: ['true']}],
      status: 'fail',
    },
    {
      name: 'add up over fields',
      pod: goodPod({spec: {hostNetwork: true, hostPID: true}}),
      exclude: ['spec.hostNetwork', 'spec.hostPID'].map(restrictedField => ({
        controlName: 'Host Namespaces',
        restrictedField,
        values: ['true'],
      })),
      status: 'pass',
    },
    {
      name: 'free no container without images',
      pod: goodPod({spec: {containers: [seccomp('main')]}}),
      exclude: [{controlName: 'Seccomp'}],
      status: 'fail',
    },
    {
      name: 'free no Pod with images',
      pod: goodPod({security: {seccompProfile: {type: 'Unconfined'}}}),
      exclude: [{controlName: 'Seccomp', images: ['*']}],
      status: 'fail',
    },
    {
      name: 'free Pod and containers together',
      pod: goodPod({security: {seccompProfile: {type: 'Unconfined'}}, spec: {containers: [seccomp('main')]}}),
      exclude: [{controlName: 'Seccomp'}, {controlName: 'Seccomp', images: ['*']}],
      status: 'pass',
    },
    {
      name: 'free a missing profile of containers, as it stands for Unconfined',
      pod: goodPod({security: {seccompProfile: null}}),
      level: 'restricted',
      exclude: ['containers', 'initContainers', 'ephemeralContainers'].map(list => ({
        controlName: 'Seccomp',
        images: ['*'],
        restrictedField: `spec.${list}[*].securityContext.seccompProfile.type`,
        values: ['Unconfined'],
      })),
      status: 'pass',
    },
    {
      name: 'do not free a missing profile when they name another value',
      pod: goodPod({security: {seccompProfile: null}, spec: {initContainers: [], ephemeralContainers: []}}),
      level: 'restricted',
      exclude: [
        {
          controlName: 'Seccomp',
          images: ['*'],
          restrictedField: 'spec.containers[*].securityContext.seccompProfile.type',
          values: ['Custom'],
        },
      ],
      status: 'fail',
    },
    {
      name: 'free every value that they name',
      pod: added,
      exclude: [{controlName: 'Capabilities', images, restrictedField: addField, values: ['NET_*']}],
      status: 'pass',
    },
    {
      name: 'do not free a list with one value more',
      pod: added,
      exclude: [{controlName: 'Capabilities', images, restrictedField: addField, values: ['NET_ADMIN']}],
      status: 'fail',
    },
    {
      name: 'do not free together what none frees alone',
      pod: added,
      exclude: ['NET_ADMIN', 'NET_RAW'].map(value => ({
        controlName: 'Capabilities',
        images,
        restrictedField: addField,
        values: [value],
      })),
      status: 'fail',
    },
    {
      name: 'do not reach into another list of containers',
      pod: goodPod({spec: {initContainers: [goodContainer('main', {}, {privileged: true})]}}),
      exclude: [
        {
          controlName: 'Privileged Containers',
          images,
          restrictedField: 'spec.containers[*].securityContext.privileged',
          values: ['true'],
        },
      ],
      status: 'fail',
    },
    {
      name: 'compare numbers as text',
      pod: hostPorts,
      exclude: [{controlName: 'Host Ports', images, restrictedField: portField, values: ['10', '20']}],
      status: 'pass',
    },
    {
      name: 'leave other numbers',
      pod: hostPorts,
      exclude: [{controlName: 'Host Ports', images, restrictedField: portField, values: ['10']}],
      status: 'fail',
    },
    {
      name: 'compare the path of a hostPath',
      pod: hostPath,
      exclude: [{controlName: 'HostPath Volumes', restrictedField: 'spec.volumes[*].hostPath', values: ['/var/*']}],
      status: 'pass',
    },
    {
      name: 'leave other paths',
      pod: hostPath,
      exclude: [{controlName: 'HostPath Volumes', restrictedField: 'spec.volumes[*].hostPath', values: ['/etc']}],
      status: 'fail',
    },
    {
      name: 'leave the baseline control when they free the restricted one',
      pod: hostPath,
      level: 'restricted',
      exclude: [{controlName: 'Volume Types'}],
      status: 'fail',
    },
    {
      name: 'need both controls for a hostPath at restricted',
      pod: hostPath,
      level: 'restricted',
      exclude: [{controlName: 'Volume Types'}, {controlName: 'HostPath Volumes'}],
      status: 'pass',
    },
    {
      name: 'need one control where both levels share it',
      pod: added,
      level: 'restricted',
      exclude: [{controlName: 'Capabilities', images}],
      status: 'pass',
    },
    {name: 'free annotations of the Pod', pod: apparmor, exclude: [{controlName: 'AppArmor'}], status: 'pass'},
    {
      name: 'free annotations of a container by its image',
      pod: apparmor,
      exclude: [{controlName: 'AppArmor', images}],
      status: 'pass',
    },
    {
      name: 'leave annotations of other containers',
      pod: apparmor,
      exclude: [{controlName: 'AppArmor', images: ['*/side:*']}],
      status: 'fail',
    },
    {
      name: 'name annotations with wildcards',
      pod: apparmor,
      exclude: [
        {
          controlName: 'AppArmor',
          restrictedField: 'metadata.annotations["container.apparmor.security.beta.kubernetes.io/*"]',
          values: ['unconfined'],
        },
      ],
      status: 'pass',
    },
    {
      name: 'cannot free the control without a name',
      pod: container({livenessProbe: {httpGet: {host: '10.0.0.1'}}}),
      exclude: [{controlName: 'Host Ports', images: ['*']}, {controlName: 'Host Namespaces'}],
      status: 'fail',
    },
  ];
  it.each(rows)('$name', async ({pod, level = 'baseline', exclude, status: wanted}) => {
    expect(await status(pod, level, ...exclude)).toBe(wanted);
  });

  it('leave the rest of a violation in the message', async () => {
    const exclude = [{controlName: 'Host Namespaces', restrictedField: 'spec.hostNetwork', values: ['true']}];
    const [result] = await judge(
      engineOf([policy('baseline', exclude)]).engine,
      requestOf({object: goodPod({spec: {hostNetwork: true, hostPID: true}})}),
    );
    expect(result?.message).toMatch(
      /"baseline:latest": \(Forbidden reason: host namespaces, field error list: \[spec.hostPID is forbidden, forbidden values found: true\]\)$/,
    );
  });
});

describe('exceptions to podSecurity rules', () => {
  const bad = goodPod({
    spec: {
      initContainers: [
        goodContainer('one', {}, {capabilities: {drop: ['ALL'], add: ['NET_ADMIN']}}),
        goodContainer('two', {}, {capabilities: {drop: ['ALL'], add: ['SYS_TIME']}}),
      ],
    },
  });
  const frees = (image: string, value: string): JsonObject => ({
    controlName: 'Capabilities',
    images: [`registry.example/${image}:1`],
    restrictedField: 'spec.initContainers[*].securityContext.capabilities.add',
    values: [value],
  });

  function exception(
    name: string,
    podSecurity: readonly JsonObject[],
    ruleNames: readonly string[] = ['pods'],
  ): JsonObject {
    return {
      apiVersion: 'kyverno.io/v2',
      kind: 'PolicyException',
      metadata: {name, namespace: 'kyverno'},
      spec: {
        exceptions: [{policyName: 'pss', ruleNames: [...ruleNames]}],
        match: {any: [{resources: {kinds: ['Pod']}}]},
        ...(podSecurity.length > 0 && {podSecurity: [...podSecurity]}),
      },
    };
  }

  async function judged(object: JsonObject, ...exceptions: JsonObject[]): Promise<RuleResult | undefined> {
    const results = await judge(engineOf([policy('baseline'), ...exceptions]).engine, requestOf({object}));
    expect(results.length).toBeLessThanOrEqual(1);
    return results[0];
  }

  it('free the whole rule when one names no control', async () => {
    expect(await judged(bad, exception('b', []), exception('a', [frees('one', 'NET_ADMIN')]))).toMatchObject({
      status: 'skip',
      message: 'rule is skipped due to policy exception kyverno/a, kyverno/b',
      exceptions: ['kyverno/a', 'kyverno/b'],
    });
  });

  it('skip the rule when they leave nothing, together too', async () => {
    const both = await judged(
      bad,
      exception('a', [frees('one', 'NET_ADMIN')]),
      exception('b', [frees('two', 'SYS_TIME')]),
    );
    expect(both).toMatchObject({
      status: 'skip',
      message: 'rule is skipped due to policy exception kyverno/a, kyverno/b',
      exceptions: ['kyverno/a', 'kyverno/b'],
    });
  });

  it('leave what none of them names', async () => {
    const result = await judged(
      bad,
      exception('a', [frees('one', 'NET_ADMIN')]),
      exception('b', [frees('two', 'NET_ADMIN')]),
    );
    expect(result?.status).toBe('fail');
    expect(result?.exceptions).toBeUndefined();
    expect(result?.message).toContain(
      '[spec.initContainers[1].securityContext.capabilities.add is forbidden, forbidden values found: [SYS_TIME]]',
    );
    expect(result?.message).not.toContain('initContainers[0]');
  });

  it('never free more than each of them frees alone', async () => {
    const mixed = goodPod({
      spec: {
        initContainers: [goodContainer('one', {}, {capabilities: {drop: ['ALL'], add: ['NET_ADMIN', 'SYS_TIME']}})],
      },
    });
    expect(
      (await judged(mixed, exception('a', [frees('one', 'NET_ADMIN')]), exception('b', [frees('one', 'SYS_TIME')])))
        ?.status,
    ).toBe('fail');
    const imageFromOne = frees('one', 'NET_ADMIN');
    const valueFromTwo = {...frees('two', 'SYS_TIME'), images: ['registry.example/other:1']};
    expect((await judged(bad, exception('a', [imageFromOne]), exception('b', [valueFromTwo])))?.status).toBe('fail');
  });

  it('do not end at the first one that frees nothing', async () => {
    const useless = {controlName: 'Host Namespaces'};
    const result = await judged(
      bad,
      exception('a', [useless]),
      exception('b', [frees('one', 'NET_ADMIN'), frees('two', 'SYS_TIME')]),
    );
    expect(result?.status).toBe('skip');
  });

  it('are not needed by a Pod that passes', async () => {
    const result = await judged(goodPod(), exception('a', [frees('one', 'NET_ADMIN')]));
    expect(result).toMatchObject({status: 'pass', message: "Validation rule 'pods' passed."});
    expect(result?.exceptions).toBeUndefined();
  });

  it('free beside the exclusions of the rule', async () => {
    const {engine} = engineOf([
      policy('baseline', [frees('one', 'NET_ADMIN')]),
      exception('a', [frees('two', 'SYS_TIME')]),
    ]);
    expect((await judge(engine, requestOf({object: bad}))).map(result => result.status)).toEqual(['skip']);
  });

  it('free the old object as well: what they allow forgives nothing else', async () => {
    const {engine} = engineOf([
      policy('baseline'),
      exception('a', [frees('one', 'NET_ADMIN'), frees('two', 'SYS_TIME')]),
    ]);
    const worse = {...bad, spec: {...(bad['spec'] as JsonObject), hostPID: true}};
    expect((await judge(engine, requestOf({object: worse, oldObject: bad}))).map(result => result.status)).toEqual([
      'fail',
    ]);
  });
});
