import {afterAll, afterEach, beforeAll, describe, expect, it} from 'vitest';
import {isObject, type JsonObject, ownPath} from '../../engine/json/types.js';
import {eventually} from '../cluster/eventually.js';
import {startForeignWebhook} from './support/foreign-webhook.js';
import {createNamespaces} from './support/namespaces.js';
import {type OperatorCluster, startOperatorCluster} from './support/operator-cluster.js';
import {collectionOf, dropAll, pathOf, put, type Thing, write} from './support/policies.js';
import {scrape, total} from './support/replicas.js';
import {configMap, denyRule, labelRule, pod, policy} from './support/samples.js';

let operator: OperatorCluster;

beforeAll(async () => {
  operator = await startOperatorCluster();
  await createNamespaces(operator, ['shop', 'other', 'calm']);
  await create(pod('web'));
});
afterAll(() => operator?.stop());
afterEach(() => dropAll(operator));

interface Answer {
  readonly status: number;
  readonly body: JsonObject & {readonly message?: string};
}

function send(method: string, path: string, body?: unknown, options = {}): Promise<Answer> {
  return operator.cluster.request<Answer['body']>(method, path, body, options);
}

function create(object: Thing, query = ''): Promise<Answer> {
  return send('POST', `${collectionOf(object)}${query}`, object);
}

async function removed(object: Thing): Promise<void> {
  await send('DELETE', `${pathOf(object)}?gracePeriodSeconds=0`);
  await eventually(async () => (await send('GET', pathOf(object))).status === 404, {
    what: `${object.metadata.name} gone`,
  });
}

function expectDenied({status, body}: Answer, ...parts: readonly string[]): void {
  expect(status, body.message).toBeGreaterThanOrEqual(400);
  for (const part of ['denied the request', ...parts]) expect(body.message).toContain(part);
}

function expectDone({status, body}: Answer): void {
  expect(status, body.message).toBeLessThan(300);
}

describe('requests on parts of an object', () => {
  it('refuses exec into a Pod before the node is asked', async () => {
    const exec = () => send('POST', '/api/v1/namespaces/shop/pods/web/exec?command=ls&stdout=true');
    expect((await exec()).body.message).toContain('does not have a host assigned');
    await put(operator, [policy('no-exec', {rules: [denyRule('nobody goes in', {kinds: ['Pod/exec']})]})]);
    expectDenied(await exec(), 'nobody goes in', 'no-exec');
  });

  it('judges ephemeral containers with the rules for Pods', async () => {
    const pattern = {spec: {'=(ephemeralContainers)': [{image: 'registry.example/*'}]}};
    await put(operator, [
      policy('tools', {rules: [{kinds: ['Pod'], validate: {message: 'no foreign tools', pattern}}]}),
    ]);
    const add = (image: string) =>
      send(
        'PATCH',
        '/api/v1/namespaces/shop/pods/web/ephemeralcontainers',
        {spec: {ephemeralContainers: [{name: 'tool', image, targetContainerName: 'app'}]}},
        {contentType: 'application/strategic-merge-patch+json'},
      );
    expectDenied(await add('docker.example/tool:1'), 'no foreign tools');
    expectDone(await add('registry.example/tool:1'));
  });

  it('judges the scale of a Deployment', async () => {
    const template = {metadata: {labels: {app: 'web'}}, spec: pod('web').spec};
    const deployment: Thing = {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: {name: 'web', namespace: 'shop'},
      spec: {replicas: 0, selector: {matchLabels: {app: 'web'}}, template},
    };
    expectDone(await create(deployment));
    const conditions = {any: [{key: '{{request.object.spec.replicas || `0`}}', operator: 'GreaterThan', value: 3}]};
    await put(operator, [
      policy('small', {rules: [{kinds: ['Deployment/scale'], validate: {message: 'at most 3', deny: {conditions}}}]}),
    ]);
    const scale = (replicas: number) =>
      operator.cluster.kubectl(['scale', 'deployment/web', '-n', 'shop', `--replicas=${replicas}`], {
        allowFailure: true,
      });
    const refused = await scale(4);
    expect(refused.code).not.toBe(0);
    expect(refused.stderr).toContain('at most 3');
    const done = await scale(0);
    expect(done.code, done.stderr).toBe(0);
    await removed(deployment);
  });
});

describe('a dry run', () => {
  it('gets the verdict and the patch, and leaves nothing behind', async () => {
    const stamp = {mutate: {patchStrategicMerge: {metadata: {labels: {stamped: 'yes'}}}}};
    const audited = policy('dry-audit', {rules: [labelRule('owner')], spec: {validationFailureAction: 'Audit'}});
    await put(operator, [
      policy('dry-stamp', {rules: [stamp]}),
      policy('dry-enforce', {rules: [labelRule('team')]}),
      audited,
    ]);
    const dry = '?dryRun=All';
    expectDenied(await create(configMap('dry-refused'), dry), 'label team is missing');
    const passed = await create(configMap('dry-passed', {labels: {team: 'a'}}), dry);
    expectDone(passed);
    expect(ownPath(passed.body, 'metadata', 'labels')).toEqual({team: 'a', stamped: 'yes'});
    expect((await send('GET', pathOf(configMap('dry-passed')))).status).toBe(404);
    // Real requests after them make Events: those of the dry runs would have come before.
    await create(configMap('real-refused'));
    expectDone(await create(configMap('real-passed', {labels: {team: 'a'}})));
    for (const name of ['real-refused', 'real-passed']) {
      await eventually(async () => (await notes()).some(note => note.includes(name)), {what: `an Event on ${name}`});
    }
    expect((await notes()).filter(note => note.includes('dry-passed') || note.includes('dry-refused'))).toEqual([]);
    await removed(configMap('real-passed'));
  });
});

/** Of all Events: the text and the name of the object. */
async function notes(): Promise<string[]> {
  const {body} = await operator.cluster.request<{items: {note?: string; regarding?: {name?: string}}[]}>(
    'GET',
    '/apis/events.k8s.io/v1/events',
  );
  return body.items.map(({note, regarding}) => `${regarding?.name}: ${note}`);
}

describe('webhooks of others', () => {
  const copies = policy('copies', {
    rules: [
      {
        preconditions: {
          all: [{key: "{{request.object.metadata.labels.foreign || ''}}", operator: 'NotEquals', value: ''}],
        },
        mutate: {patchStrategicMerge: {metadata: {labels: {seen: '{{request.object.metadata.labels.foreign}}'}}}},
      },
    ],
  });
  const patch = (object: JsonObject) =>
    isObject(ownPath(object, 'metadata', 'labels')) && ownPath(object, 'metadata', 'labels', 'foreign') !== undefined
      ? []
      : [{op: 'add', path: '/metadata/labels', value: {foreign: 'theirs'}}];

  it.each(['a-before-ours', 'z-after-ours'])('sees what a mutating webhook named %s did', async name => {
    await put(operator, [copies, policy('wants-seen', {rules: [labelRule('seen')]})]);
    const foreign = await startForeignWebhook(operator.cluster, {name, namespace: 'shop', patch});
    try {
      await operator.barrier();
      const made = await create(configMap('both'));
      expectDone(made);
      expect(foreign.calls()).toBe(1);
      expect(ownPath(made.body, 'metadata', 'labels')).toEqual({foreign: 'theirs', seen: 'theirs'});
    } finally {
      await foreign.stop();
      await removed(configMap('both'));
    }
  });
});

describe('what is never asked about', () => {
  it('is an excluded namespace: no webhook call at all', async () => {
    const config = await operator.cluster.request<{data: {webhooks: string}}>(
      'GET',
      '/api/v1/namespaces/kyverno/configmaps/kyverno',
    );
    const {webhooks} = config.body.data;
    const values = ['kube-system', 'kyverno', 'calm'];
    const selector = {
      namespaceSelector: {matchExpressions: [{key: 'kubernetes.io/metadata.name', operator: 'NotIn', values}]},
    };
    const setWebhooks = (text: string) =>
      send('PATCH', '/api/v1/namespaces/kyverno/configmaps/kyverno', {data: {webhooks: text}});
    await setWebhooks(JSON.stringify(selector));
    try {
      await put(operator, [policy('deny-all', {rules: [denyRule('never')]})]);
      const path =
        '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/kyverno-resource-validating-webhook-cfg';
      await eventually(async () => JSON.stringify((await send('GET', path)).body).includes('calm'), {
        what: 'selector written',
      });
      await operator.barrier();
      for (const namespace of ['calm', 'kube-system', 'kyverno']) {
        const object = configMap('unseen', {namespace});
        expectDone(await create(object));
        await removed(object);
      }
      expectDenied(await create(configMap('seen')), 'never');
      const series = await scrape(operator.agent);
      const asked = (namespace: string) =>
        total(series, 'kyverno_admission_requests_total', {resource_namespace: namespace, resource_kind: 'ConfigMap'});
      expect({
        shop: asked('shop') > 0,
        calm: asked('calm'),
        system: asked('kube-system'),
        own: asked('kyverno'),
      }).toEqual({shop: true, calm: 0, system: 0, own: 0});
    } finally {
      await setWebhooks(webhooks);
    }
  });

  it('are Nodes and Leases, by a wildcard in a policy that fails closed', async () => {
    const pattern = {metadata: {'=(labels)': {'X(forbidden)': 'null'}}};
    await put(operator, [
      policy('everything', {rules: [{kinds: ['*'], validate: {message: 'not this label', pattern}}]}),
    ]);
    const labels = {forbidden: 'yes'};
    const node: Thing = {apiVersion: 'v1', kind: 'Node', metadata: {name: 'spare', labels}};
    const lease: Thing = {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: {name: 'spare', namespace: 'shop', labels},
    };
    for (const object of [node, lease]) {
      expectDone(await create(object));
      await removed(object);
    }
    expectDenied(await create(configMap('marked', {labels})), 'not this label');
    const series = await scrape(operator.agent);
    for (const kind of ['Node', 'Lease']) {
      const labels = {resource_kind: kind, request_webhook: 'ValidatingWebhookConfiguration'};
      expect(total(series, 'kyverno_admission_requests_total', labels)).toBe(0);
    }
  });
});

describe('objects', () => {
  it('that are being deleted are judged like others', async () => {
    const object = configMap('leaving', {labels: {team: 'a'}, finalizers: ['test.example/keep']} as never);
    expectDone(await create(object));
    await send('DELETE', pathOf(object));
    await put(operator, [policy('team', {rules: [labelRule('team')]})]);
    expectDenied(await send('PATCH', pathOf(object), {metadata: {labels: {team: null}}}), 'label team is missing');
    expectDone(await send('PATCH', pathOf(object), {metadata: {finalizers: null}}));
    await eventually(async () => (await send('GET', pathOf(object))).status === 404, {what: 'object gone'});
  });

  it('that fail two policies get one message with both', async () => {
    await put(operator, [policy('first', {rules: [labelRule('one')]}), policy('second', {rules: [labelRule('two')]})]);
    expectDenied(await create(configMap('neither')), 'first', 'label one is missing', 'second', 'label two is missing');
  });
});

describe('rules', () => {
  it('do not see what another rule of their policy has set', async () => {
    const isolated = policy('isolated', {
      rules: [
        {
          name: 'sets',
          context: [{name: 'mine', variable: {value: 'shown'}}],
          validate: {message: 'm {{mine}}', pattern: {data: {first: '{{mine}}'}}},
        },
        {name: 'reads', validate: {message: 'sees {{mine}}', pattern: {data: {second: '{{mine}}'}}}},
      ],
    });
    await expect(write(operator, isolated)).rejects.toThrow(/spec\.rules\[1\].*mine/);
    // Names that every request could hold pass the check of the policy; a rule finds them empty at run time.
    const shared = policy('shared', {
      rules: [
        {
          name: 'sets',
          context: [{name: 'note', variable: {value: 'shown'}}],
          validate: {
            message: 'no',
            deny: {conditions: {all: [{key: '{{note}}', operator: 'NotEquals', value: 'shown'}]}},
          },
        },
        {
          name: 'reads',
          context: [{name: 'note', variable: {jmesPath: "note || 'nothing'"}}],
          validate: {message: 'note is {{note}}', deny: {}},
        },
      ],
    });
    await put(operator, [shared]);
    expectDenied(await create(configMap('isolated')), 'note is nothing');
  });

  it('of a Policy read nothing outside its namespace', async () => {
    for (const namespace of ['shop', 'other'])
      await create(configMap('plan', {namespace, data: {text: `plan of ${namespace}`}}));
    const where = '{{request.object.metadata.labels.where}}';
    const byName = {name: 'plan', configMap: {name: 'plan', namespace: where}};
    const byCall = {name: 'plan', apiCall: {urlPath: `/api/v1/namespaces/${where}/configmaps/plan`}};
    const says = (context: object) => ({context: [context], validate: {message: 'read: {{plan.data.text}}', deny: {}}});
    await put(operator, [
      policy('by-name', {namespace: 'shop', rules: [{...says(byName), name: 'by-name'}]}),
      policy('by-call', {namespace: 'shop', rules: [{...says(byCall), name: 'by-call'}]}),
    ]);
    expectDenied(
      await create(configMap('asks', {labels: {where: 'shop'}})),
      'by-name',
      'by-call',
      'read: plan of shop',
    );
    const foreign = await create(configMap('asks', {labels: {where: 'other'}}));
    expectDenied(foreign, 'by-name', 'by-call');
    expect(foreign.body.message).not.toContain('plan of other');
    expect(foreign.body.message).not.toContain('plan of shop');
    for (const namespace of ['shop', 'other']) await send('DELETE', pathOf(configMap('plan', {namespace})));
  });

  it('that cannot be evaluated refuse or let through as their failure policy says', async () => {
    const broken = {
      context: [{name: 'answer', apiCall: {urlPath: '/api/v1/namespaces/nowhere/configmaps/none'}}],
      validate: {message: 'm', deny: {conditions: {all: [{key: '{{answer.data.x}}', operator: 'Equals', value: 'y'}]}}},
    };
    await put(operator, [policy('closed', {rules: [broken], spec: {failurePolicy: 'Fail'}})]);
    expectDenied(await create(configMap('error')), 'closed');
    await dropAll(operator);
    await put(operator, [policy('open', {rules: [broken], spec: {failurePolicy: 'Ignore'}})]);
    expectDone(await create(configMap('error')));
    await removed(configMap('error'));
  });
});

describe('an exception', () => {
  const exception = (namespace: string): Thing => ({
    apiVersion: 'kyverno.io/v2',
    kind: 'PolicyException',
    metadata: {name: 'spared', namespace},
    spec: {
      exceptions: [{policyName: 'team', ruleNames: ['has-team']}],
      match: {any: [{resources: {kinds: ['ConfigMap'], names: ['spared']}}]},
    },
  });
  const tryOut = () => create(configMap('spared'), '?dryRun=All');
  const changes = (allowed: boolean) =>
    eventually(async () => (await tryOut()).status < 300 === allowed, {
      what: `exception ${allowed ? 'in force' : 'gone'}`,
    });

  it('frees objects of its own namespace, those of others only from the namespace of the operator', async () => {
    await put(operator, [policy('team', {rules: [labelRule('team')]})]);
    await write(operator, exception('other'));
    await write(operator, exception('shop'));
    await changes(true);
    expectDone(await create(configMap('spared', {namespace: 'other'}), '?dryRun=All'));
    expectDenied(await create(configMap('spared', {namespace: 'default'}), '?dryRun=All'), 'label team is missing');
    // That of `other` was there all the time, and alone it frees nothing in `shop`.
    await send('DELETE', pathOf(exception('shop')));
    await changes(false);
    await send('DELETE', pathOf(exception('other')));
    await write(operator, exception('kyverno'));
    await changes(true);
    await send('DELETE', pathOf(exception('kyverno')));
    await changes(false);
  });
});
