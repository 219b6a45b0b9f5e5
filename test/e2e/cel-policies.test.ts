import {afterAll, afterEach, beforeAll, describe, expect, it} from 'vitest';
import {eventually} from '../cluster/eventually.js';
import {applyCel, celPolicy, celReady, celStatusOf, dropCel, putCel} from './support/cel-policies.js';
import {createNamespaces} from './support/namespaces.js';
import {type OperatorCluster, startOperatorCluster} from './support/operator-cluster.js';
import {collectionOf, pathOf, type Thing} from './support/policies.js';
import {configMap} from './support/samples.js';

let operator: OperatorCluster;

beforeAll(async () => {
  operator = await startOperatorCluster();
  await createNamespaces(operator, ['shop', 'other']);
});
afterAll(() => operator?.stop());
afterEach(() => dropCel(operator));

interface Answer {
  readonly allowed: boolean;
  readonly message: string;
  readonly warnings: string;
  readonly object: Thing & {readonly data?: Readonly<Record<string, string>>};
}

async function create(object: Thing, dryRun = true): Promise<Answer> {
  const path = `${collectionOf(object)}${dryRun ? '?dryRun=All' : ''}`;
  const {status, body, headers} = await operator.cluster.request<Thing & {message?: string}>('POST', path, object);
  return {allowed: status < 300, message: body.message ?? '', warnings: String(headers['warning'] ?? ''), object: body};
}

function deployment(name: string, labels: Record<string, string>): Thing {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: {name, namespace: 'shop'},
    spec: {
      replicas: 0,
      selector: {matchLabels: {app: name}},
      template: {metadata: {labels: {app: name, ...labels}}, spec: {containers: [{name: 'c', image: 'example.org/c:1'}]}},
    },
  };
}

const labelled = {expression: "'team' in object.?metadata.?labels.orValue({})", message: 'label team is missing'};

describe('a ValidatingPolicy', () => {
  it('denies, warns or stays silent as it says', async () => {
    await putCel(operator, [
      celPolicy('ValidatingPolicy', 'deny-unlabelled', {spec: {validations: [labelled]}}),
      celPolicy('ValidatingPolicy', 'warn-data', {spec: {validationActions: ['Warn'], validations: [{expression: 'has(object.data)', messageExpression: "'no data in ' + object.metadata.name"}]}}),
      celPolicy('ValidatingPolicy', 'audit-all', {spec: {validationActions: ['Audit'], validations: [{expression: 'false', message: 'never heard'}]}}),
    ]);
    const refused = await create(configMap('a'));
    expect(refused.allowed).toBe(false);
    expect(refused.message).toMatch(/admission webhook "vpol\.validate\.kyverno\.svc-fail" denied the request: Policy deny-unlabelled failed: label team is missing$/);
    const accepted = await create(configMap('a', {labels: {team: 'x'}}));
    expect(accepted.allowed).toBe(true);
    expect(accepted.warnings).toContain('Policy warn-data failed: no data in a');
    expect(accepted.warnings).not.toContain('never heard');
  });

  it('is refused with the place of its fault, and stays out of the way', async () => {
    const broken = celPolicy('ValidatingPolicy', 'broken', {spec: {validations: [{expression: 'object.metadata.name == foo()'}]}});
    const {status, message} = await applyCel(operator, broken);
    expect(status).toBe(400);
    expect(message).toContain("undeclared reference to 'foo'");
    expect((await create(configMap('a'))).allowed).toBe(true);
  });

  it('for Pods judges what makes Pods, too', async () => {
    const policy = celPolicy('ValidatingPolicy', 'pods', {resources: ['pods'], spec: {validations: [labelled]}});
    await putCel(operator, [policy]);
    const {autogen} = await celStatusOf(operator, policy);
    expect(Object.keys(autogen?.configs ?? {}).sort()).toEqual(['cronjobs', 'defaults']);
    expect((await create(deployment('d', {}))).message).toContain('Policy pods failed: label team is missing');
    expect((await create(deployment('d', {team: 'x'}))).allowed).toBe(true);
  });

  it('of a namespace judges that namespace alone', async () => {
    await putCel(operator, [celPolicy('NamespacedValidatingPolicy', 'own', {namespace: 'shop', spec: {validations: [labelled]}})]);
    expect((await create(configMap('a'))).message).toContain('Policy own failed');
    expect((await create(configMap('a', {namespace: 'other'}))).allowed).toBe(true);
  });

  it('has conditions that the API server asks, and exceptions that free', async () => {
    const conditional = celPolicy('ValidatingPolicy', 'conditional', {
      spec: {matchConditions: [{name: 'asked', expression: "object.metadata.name.startsWith('x')"}], validations: [labelled]},
    });
    await putCel(operator, [conditional]);
    const path = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/kyverno-resource-validating-webhook-cfg';
    await eventually(
      async () => {
        const {body} = await operator.cluster.request<{webhooks?: ReadonlyArray<{name: string; matchConditions?: unknown[]}>}>('GET', path);
        return body.webhooks?.some(entry => entry.name === 'vpol.validate.kyverno.svc-fail-finegrained-conditional' && entry.matchConditions?.length === 1);
      },
      {what: 'an entry with the condition', timeoutMs: 60_000},
    );
    await operator.barrier();
    expect((await create(configMap('a'))).allowed).toBe(true);
    expect((await create(configMap('xa'))).allowed).toBe(false);
    const exception: Thing = {
      apiVersion: 'policies.kyverno.io/v1beta1',
      kind: 'PolicyException',
      metadata: {name: 'free', namespace: 'shop'},
      spec: {policyRefs: [{name: 'conditional', kind: 'ValidatingPolicy'}], matchConditions: [{name: 'n', expression: "object.metadata.name == 'xfree'"}]},
    };
    await putCel(operator, [exception]);
    await eventually(async () => (await create(configMap('xfree'))).allowed, {what: 'the exception frees', timeoutMs: 60_000});
    expect((await create(configMap('xa'))).allowed).toBe(false);
  });
});

describe('a MutatingPolicy', () => {
  it('merges and patches, each on what the one before left', async () => {
    await putCel(operator, [
      celPolicy('MutatingPolicy', 'a-merge', {
        spec: {mutations: [{patchType: 'ApplyConfiguration', applyConfiguration: {expression: "Object{metadata: Object.metadata{labels: {'seen': 'yes'}}}"}}]},
      }),
      celPolicy('MutatingPolicy', 'b-patch', {
        spec: {
          mutations: [
            {patchType: 'JSONPatch', jsonPatch: {expression: "[JSONPatch{op: 'add', path: '/data', value: {'copied': object.metadata.labels.seen}}]"}},
          ],
        },
      }),
    ]);
    const {object, allowed, message} = await create(configMap('a'));
    expect({allowed, message}).toEqual({allowed: true, message: ''});
    expect(object.metadata.labels).toEqual({seen: 'yes'});
    expect(object.data).toEqual({copied: 'yes'});
  });

  it('of a namespace changes nothing elsewhere', async () => {
    const expression = "[JSONPatch{op: 'add', path: '/data', value: {'k': 'v'}}]";
    await putCel(operator, [celPolicy('NamespacedMutatingPolicy', 'own', {namespace: 'shop', spec: {mutations: [{patchType: 'JSONPatch', jsonPatch: {expression}}]}})]);
    expect((await create(configMap('a'))).object.data).toEqual({k: 'v'});
    expect((await create(configMap('a', {namespace: 'other'}))).object.data).toBeUndefined();
  });

  it('that cannot be applied refuses the request', async () => {
    const expression = "[JSONPatch{op: 'remove', path: '/data/nope'}]";
    const failing = celPolicy('MutatingPolicy', 'failing', {
      spec: {matchConditions: [{name: 'shop', expression: "object.metadata.namespace == 'shop'"}], mutations: [{patchType: 'JSONPatch', jsonPatch: {expression}}]},
    });
    await putCel(operator, [failing]);
    expect((await create(configMap('a'))).message).toContain('Resource: shop/a, Kind: ConfigMap, Errors: [Policy failing: ');
  });
});

describe('a DeletingPolicy', () => {
  it('deletes on schedule what its conditions say', async () => {
    const policy = celPolicy('DeletingPolicy', 'old', {
      operations: ['*'],
      spec: {schedule: '* * * * *', conditions: [{name: 'old', expression: "object.metadata.?labels.?old.orValue('') == 'yes'"}]},
    });
    const role: Thing = {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRole',
      metadata: {name: 'test:delete-config-maps', labels: {'rbac.kyverno.io/aggregate-to-cleanup-controller': 'true'}},
      rules: [{apiGroups: [''], resources: ['configmaps'], verbs: ['list', 'delete']}],
    } as Thing;
    await operator.cluster.request('POST', '/apis/rbac.authorization.k8s.io/v1/clusterroles', role);
    const old = configMap('old', {labels: {old: 'yes'}});
    const kept = configMap('kept');
    for (const object of [old, kept]) expect((await create(object, false)).allowed).toBe(true);
    await applyCel(operator, policy);
    await celReady(operator, policy);
    await eventually(async () => (await operator.cluster.request('GET', pathOf(old))).status === 404, {what: 'the old one is gone', timeoutMs: 150_000, everyMs: 500});
    expect((await operator.cluster.request('GET', pathOf(kept))).status).toBe(200);
    await eventually(async () => (await celStatusOf(operator, policy)).lastExecutionTime !== undefined, {what: 'its last run is told', timeoutMs: 60_000});
  });
});

describe('reports', () => {
  it('tell what policies say of objects that are there, and go with policies and objects', async () => {
    const object = configMap('reported');
    await create(object, false);
    const policy = celPolicy('ValidatingPolicy', 'reporting', {spec: {validationActions: ['Audit'], validations: [labelled]}});
    await putCel(operator, [policy]);
    const reportOf = async (name: string) => {
      const {body} = await operator.cluster.request<{items: ReadonlyArray<{scope?: {name?: string}; results?: ReadonlyArray<{policy: string; result: string; message?: string}>}>}>(
        'GET',
        '/apis/wgpolicyk8s.io/v1alpha2/namespaces/shop/policyreports',
      );
      return body.items.find(({scope}) => scope?.name === name)?.results?.find(result => result.policy === 'reporting');
    };
    await eventually(async () => (await reportOf('reported'))?.result === 'fail', {what: 'the scan reports', timeoutMs: 60_000});
    await create(configMap('admitted', {labels: {team: 'x'}}), false);
    await eventually(async () => (await reportOf('admitted'))?.result === 'pass', {what: 'the admission reports', timeoutMs: 60_000});
    await dropCel(operator);
    await eventually(async () => (await reportOf('reported')) === undefined, {what: 'nothing is said any more', timeoutMs: 60_000});
  });
});
