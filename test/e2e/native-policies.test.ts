import {setTimeout as delay} from 'node:timers/promises';
import {afterAll, afterEach, beforeAll, describe, expect, it} from 'vitest';
import {eventually} from '../cluster/eventually.js';
import {applyCel, celPath, celPolicy, celStatusOf, dropCel, putCel} from './support/cel-policies.js';
import {createNamespaces} from './support/namespaces.js';
import {judgedNatively, nativeObject, nativePath, webhookPaths} from './support/native-policies.js';
import {type OperatorCluster, startOperatorCluster} from './support/operator-cluster.js';
import {collectionOf, type Thing} from './support/policies.js';
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

async function create(object: Thing): Promise<Answer> {
  const {status, body, headers} = await operator.cluster.request<Thing & {message?: string}>('POST', `${collectionOf(object)}?dryRun=All`, object);
  return {allowed: status < 300, message: body.message ?? '', warnings: String(headers['warning'] ?? ''), object: body};
}

const policies = 'validatingadmissionpolicies';
const bindings = 'validatingadmissionpolicybindings';
/** The barrier asks by objects that webhooks alone may refuse. */
const matchConstraints = {
  resourceRules: [{apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE', 'UPDATE'], resources: ['configmaps']}],
  namespaceSelector: {matchExpressions: [{key: 'barrier', operator: 'DoesNotExist'}]},
};
const asks = {matchConstraints, autogen: {validatingAdmissionPolicy: {enabled: true}}};
const labelled = {expression: "'team' in object.?metadata.?labels.orValue({})", message: 'label team is missing'};
const byVap = (name: string) => new RegExp(`ValidatingAdmissionPolicy 'vpol-${name}' with binding 'vpol-${name}-binding' denied request: `);

function exception(name: string, policy: string, spec: Readonly<Record<string, unknown>>): Thing {
  return {
    apiVersion: 'policies.kyverno.io/v1beta1',
    kind: 'PolicyException',
    metadata: {name, namespace: 'kyverno'},
    spec: {policyRefs: [{name: policy, kind: 'ValidatingPolicy'}], ...spec},
  };
}

describe('a ValidatingPolicy that asks for a native policy', () => {
  it('is judged by the API server alone, at every moment, until it no longer asks', async () => {
    const policy = celPolicy('ValidatingPolicy', 'native', {spec: {...asks, failurePolicy: 'Ignore', validations: [labelled]}});
    await putCel(operator, [policy]);
    expect((await create(configMap('a'))).allowed).toBe(false);
    await judgedNatively(operator, policy);
    await operator.barrier();
    expect((await create(configMap('a'))).message).toMatch(byVap('native'));
    await eventually(async () => !(await webhookPaths(operator, 'validating')).includes('/vpol'), {what: 'no webhook is for it', timeoutMs: 60_000});
    const copy = await nativeObject(operator, policies, 'vpol-native');
    expect(copy?.spec.failurePolicy).toBe('Ignore');
    expect(copy?.metadata.ownerReferences).toMatchObject([{kind: 'ValidatingPolicy', name: 'native'}]);
    expect((await nativeObject(operator, bindings, 'vpol-native-binding'))?.spec.validationActions).toEqual(['Deny']);

    let unjudged = 0;
    let ended = false;
    const watching = (async () => {
      while (!ended) if ((await create(configMap('a'))).allowed) unjudged += 1;
    })();
    await putCel(operator, [celPolicy('ValidatingPolicy', 'native', {spec: {...asks, validations: [{...labelled, message: 'changed'}]}})]);
    await judgedNatively(operator, policy);
    expect((await create(configMap('a'))).message).toMatch(/vpol-native-binding' denied request: changed$/);
    await putCel(operator, [celPolicy('ValidatingPolicy', 'native', {spec: {matchConstraints, autogen: {validatingAdmissionPolicy: {enabled: false}}, validations: [labelled]}})]);
    await eventually(async () => (await nativeObject(operator, policies, 'vpol-native')) === undefined, {what: 'the copy is gone', timeoutMs: 60_000});
    ended = true;
    await watching;
    expect(unjudged).toBe(0);
    await operator.barrier();
    await eventually(async () => (await create(configMap('a'))).message.includes('Policy native failed: label team is missing'), {what: 'webhooks judge', timeoutMs: 60_000});
    expect(await celStatusOf(operator, policy)).toMatchObject({generated: false, conditionStatus: {message: 'skip generating ValidatingAdmissionPolicy: not enabled.'}});
  });

  it('warns once', async () => {
    const policy = celPolicy('ValidatingPolicy', 'warns', {spec: {...asks, validationActions: ['Warn'], validations: [labelled]}});
    await putCel(operator, [policy]);
    await judgedNatively(operator, policy);
    await operator.barrier();
    expect((await create(configMap('a'))).warnings.match(/label team is missing/g)).toHaveLength(1);
  });

  it('has its exceptions as conditions, wholly or in parts', async () => {
    const policy = celPolicy('ValidatingPolicy', 'excepted', {
      spec: {...asks, validations: [{expression: "object.metadata.name in exceptions.allowedValues || 'exceptions.allowedValues' in object.?metadata.?labels.orValue({})", message: 'no'}]},
    });
    await putCel(operator, [policy]);
    await judgedNatively(operator, policy);
    const before = await nativeObject(operator, policies, 'vpol-excepted');
    expect(before?.spec.variables).toEqual([{name: 'allowedValues', expression: '[]'}]);
    await putCel(operator, [
      exception('both', 'excepted', {matchConditions: [{name: 'named', expression: "object.metadata.name == 'free'"}, {name: 'there', expression: "object.metadata.namespace == 'shop'"}]}),
      exception('values', 'excepted', {allowedValues: ["it's"]}),
      exception('more', 'excepted', {allowedValues: ['some'], matchConditions: [{name: 'there', expression: "object.metadata.namespace == 'other'"}]}),
      exception('over', 'excepted', {matchConditions: [], expiresAt: '2020-01-01T00:00:00Z'}),
      {...exception('others', 'excepted', {}), spec: {policyRefs: [{name: 'excepted', kind: 'MutatingPolicy'}]}},
    ]);
    await eventually(async () => (await create(configMap('free'))).allowed && (await create(configMap('some', {namespace: 'other'}))).allowed, {what: 'the exceptions free', timeoutMs: 60_000});
    expect((await create(configMap('free', {namespace: 'other'}))).message).toMatch(byVap('excepted'));
    expect((await create(configMap('some'))).message).toMatch(byVap('excepted'));
    const copy = await nativeObject(operator, policies, 'vpol-excepted');
    expect(copy?.spec.matchConditions).toEqual([{name: 'both', expression: "!((object.metadata.name == 'free') && (object.metadata.namespace == 'shop'))"}]);
    expect(copy?.spec.variables).toHaveLength(1);
    await putCel(operator, [exception('all', 'excepted', {})]);
    await eventually(async () => (await create(configMap('anything'))).allowed, {what: 'an exception without conditions frees', timeoutMs: 60_000});
    expect(await webhookPaths(operator, 'validating')).not.toContain('/vpol');
  });

  it('that only we can judge stays with us, and says why', async () => {
    const policy = celPolicy('ValidatingPolicy', 'ours', {spec: {...asks, validations: [{expression: "sha256(object.metadata.name) == ''", message: 'never'}]}});
    await putCel(operator, [policy]);
    await eventually(async () => ((await celStatusOf(operator, policy)) as {conditionStatus?: {message?: string}}).conditionStatus?.message?.includes('the API server refuses it') === true, {what: 'the reason is told', timeoutMs: 60_000});
    expect((await celStatusOf(operator, policy)).generated).toBe(false);
    expect(await nativeObject(operator, policies, 'vpol-ours')).toBeUndefined();
    await operator.barrier();
    expect((await create(configMap('a'))).allowed).toBe(false);
  });

  it('is written when it differs, and only then; goes with its policy', async () => {
    const policy = celPolicy('ValidatingPolicy', 'kept', {spec: {...asks, validations: [labelled], auditAnnotations: [{key: 'team', valueExpression: "'none'"}], matchConditions: [{name: 'c', expression: 'true'}]}});
    await putCel(operator, [policy]);
    await judgedNatively(operator, policy);
    const version = (await nativeObject(operator, policies, 'vpol-kept'))?.metadata.resourceVersion;
    await operator.cluster.request('PATCH', celPath(policy), {metadata: {annotations: {touched: 'yes'}}}, {contentType: 'application/merge-patch+json'});
    await putCel(operator, [exception('unrelated', 'another', {})]);
    await delay(1_500);
    expect((await nativeObject(operator, policies, 'vpol-kept'))?.metadata.resourceVersion).toBe(version);
    await operator.cluster.request('PATCH', nativePath(policies, 'vpol-kept'), {spec: {failurePolicy: 'Ignore'}}, {contentType: 'application/merge-patch+json'});
    await operator.cluster.request('DELETE', nativePath(bindings, 'vpol-kept-binding'));
    await eventually(
      async () => (await nativeObject(operator, policies, 'vpol-kept'))?.spec.failurePolicy === 'Fail' && (await nativeObject(operator, bindings, 'vpol-kept-binding')) !== undefined,
      {what: 'foreign changes are undone', timeoutMs: 60_000},
    );
    await operator.cluster.request('DELETE', celPath(policy));
    await eventually(async () => (await nativeObject(operator, policies, 'vpol-kept')) === undefined && (await nativeObject(operator, bindings, 'vpol-kept-binding')) === undefined, {what: 'the copy goes along', timeoutMs: 60_000});
  });
});

describe('a MutatingPolicy that asks for a native policy', () => {
  it('changes objects through it, once', async () => {
    const expression = "[JSONPatch{op: 'add', path: '/data', value: {'count': string(int(object.?data.?count.orValue('0')) + 1)}}]";
    const policy = celPolicy('MutatingPolicy', 'counts', {
      spec: {matchConstraints, autogen: {mutatingAdmissionPolicy: {enabled: true}}, mutations: [{patchType: 'JSONPatch', jsonPatch: {expression}}]},
    });
    await putCel(operator, [policy]);
    await judgedNatively(operator, policy);
    expect(await nativeObject(operator, 'mutatingadmissionpolicies', 'mpol-counts')).toMatchObject({spec: {failurePolicy: 'Fail', reinvocationPolicy: 'Never'}});
    await operator.barrier();
    const {object, message} = await create(configMap('a'));
    expect({data: object.data, message}).toEqual({data: {count: '1'}, message: ''});
    await eventually(async () => !(await webhookPaths(operator, 'mutating')).includes('/mpol'), {what: 'no webhook is for it', timeoutMs: 60_000});
  });
});

describe('a ClusterPolicy with validate.cel', () => {
  const classic = (name: string, expression: string, generate = true): Thing => ({
    apiVersion: 'kyverno.io/v1',
    kind: 'ClusterPolicy',
    metadata: {name},
    spec: {
      background: false,
      rules: [{name: 'r', match: {any: [{resources: {kinds: ['ConfigMap', 'ResourceQuota'], operations: ['CREATE']}}]}, validate: {failureAction: 'Enforce', cel: {generate, expressions: [{expression, message: 'no'}]}}}],
    },
  });
  const path = (name: string) => `/apis/kyverno.io/v1/clusterpolicies/${name}`;
  interface ClassicStatus {
    readonly status?: {readonly validatingadmissionpolicy?: {readonly generated: boolean; readonly message: string}};
  }
  const statusOf = async (name: string) => (await operator.cluster.request<ClassicStatus>('GET', path(name))).body.status?.validatingadmissionpolicy;

  it('is judged by the API server where that means the same', async () => {
    for (const policy of [classic('same', "object.metadata.name != 'x'"), classic('amounts', "!has(object.spec) || object.spec.hard.cpu < '2'")]) {
      expect((await operator.cluster.request('POST', '/apis/kyverno.io/v1/clusterpolicies', policy)).status).toBe(201);
    }
    await eventually(async () => (await statusOf('same'))?.generated === true, {what: 'it is judged by the API server', timeoutMs: 120_000});
    await operator.barrier();
    expect((await create(configMap('x'))).message).toMatch(/ValidatingAdmissionPolicy 'cpol-same' with binding 'cpol-same-binding' denied request: no/);
    expect(await statusOf('amounts')).toEqual({generated: false, message: expect.stringContaining('quantities')});
    for (const name of ['same', 'amounts']) await operator.cluster.request('DELETE', path(name));
    await eventually(async () => (await nativeObject(operator, policies, 'cpol-same')) === undefined, {what: 'the copy goes along', timeoutMs: 60_000});
    await eventually(async () => (await create(configMap('x'))).allowed, {what: 'nothing judges it', timeoutMs: 60_000});
  });
});

it('is not made while it is forbidden', async () => {
  const role = '/apis/rbac.authorization.k8s.io/v1/clusterroles/kyverno';
  const {body} = await operator.cluster.request<{rules: ReadonlyArray<{resources: readonly string[]}>}>('GET', role);
  const without = body.rules.filter(({resources}) => !resources.includes(policies));
  await operator.cluster.request('PATCH', role, {rules: without}, {contentType: 'application/merge-patch+json'});
  try {
    await delay(1_000);
    const policy = celPolicy('ValidatingPolicy', 'forbidden', {spec: {...asks, validations: [labelled]}});
    expect((await applyCel(operator, policy)).status).toBe(201);
    await eventually(async () => ((await celStatusOf(operator, policy)) as {conditionStatus?: {message?: string}}).conditionStatus?.message === 'insufficient permissions to generate ValidatingAdmissionPolicies', {what: 'the reason is told', timeoutMs: 90_000});
    expect((await create(configMap('a'))).message).toContain('Policy forbidden failed');
  } finally {
    await operator.cluster.request('PATCH', role, {rules: body.rules}, {contentType: 'application/merge-patch+json'});
  }
});

describe('reports', () => {
  interface Report {
    readonly scope?: {readonly name: string};
    readonly results?: ReadonlyArray<{readonly source: string; readonly policy: string; readonly result: string}>;
  }
  const path = '/apis/wgpolicyk8s.io/v1alpha2/namespaces/shop/policyreports';
  async function resultsOf(name: string): Promise<string[]> {
    const {body} = await operator.cluster.request<{items: Report[]}>('GET', path);
    return body.items.filter(({scope}) => scope?.name === name).flatMap(({results = []}) => results.map(({source, policy, result}) => `${source} ${policy} ${result}`));
  }

  it('tell what native policies say of objects that were there before', async () => {
    await operator.cluster.request('POST', collectionOf(configMap('old')), configMap('old'));
    const policy = celPolicy('ValidatingPolicy', 'reported', {spec: {...asks, validations: [labelled]}});
    await putCel(operator, [policy]);
    await judgedNatively(operator, policy);
    await eventually(async () => (await resultsOf('old')).join() === 'ValidatingAdmissionPolicy vpol-reported fail', {what: 'a report by the native policy', timeoutMs: 60_000});
    await operator.cluster.request('DELETE', celPath(policy));
    await eventually(async () => (await resultsOf('old')).length === 0, {what: 'its results go with it', timeoutMs: 60_000});
  });
});
