import {readdirSync, readFileSync} from 'node:fs';
import {afterAll, beforeAll, describe, expect, it} from 'vitest';
import {eventually} from '../cluster/eventually.js';
import {idle, idlePolicies} from '../soak/idle.js';
import {createAll} from '../soak/objects.js';
import {summary} from '../soak/operator-writes.js';
import {reapply, reapplyPolicy} from '../soak/reapply.js';
import {createNamespaces} from './support/namespaces.js';
import {type OperatorCluster, startOperatorCluster} from './support/operator-cluster.js';
import {allServed, type Condition, put, type Thing, write} from './support/policies.js';
import {configMap, denyRule, policy} from './support/samples.js';

/** Work that nobody waits for: reports, clean-up, entries; short forms of what `npm run soak` does at length. */

let operator: OperatorCluster;

const mayDelete = {
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'ClusterRole',
  metadata: {name: 'cleaner', labels: {'rbac.kyverno.io/aggregate-to-cleanup-controller': 'true'}},
  rules: [{apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list', 'watch', 'delete']}],
};

beforeAll(async () => {
  operator = await startOperatorCluster({cluster: {auditLog: true}, args: ['--loggingFormat=json', '--v=2', '--ttlReconciliationInterval=2s']});
  await createNamespaces(operator, ['shop', 'yard', 'depot']);
  const {status} = await operator.cluster.request('POST', '/apis/rbac.authorization.k8s.io/v1/clusterroles', mayDelete);
  expect(status).toBe(201);
});
afterAll(() => operator?.stop());

async function get<T extends Thing>(path: string): Promise<T | undefined> {
  const {status, body} = await operator.cluster.request<T>('GET', path);
  return status === 200 ? body : undefined;
}

async function names(path: string): Promise<string[]> {
  const {body} = await operator.cluster.request<{readonly items: readonly Thing[]}>('GET', path);
  return body.items.map(({metadata}) => metadata.name).sort();
}

const configMaps = (namespace: string) => `/api/v1/namespaces/${namespace}/configmaps`;
const cleanupPath = (name: string) => `/apis/kyverno.io/v2/clustercleanuppolicies/${name}`;

function cleanup(name: string, schedule: string, kinds: readonly string[], label: string): Thing {
  const match = {any: [{resources: {kinds, selector: {matchLabels: {sweep: label}}}}]};
  return {apiVersion: 'kyverno.io/v2', kind: 'ClusterCleanupPolicy', metadata: {name}, spec: {schedule, match}};
}

async function create(path: string, object: Thing): Promise<void> {
  const {status, body} = await operator.cluster.request('POST', path, object);
  expect(status, JSON.stringify(body)).toBe(201);
}

const lastRun = async (name: string) => (await get(cleanupPath(name)))?.status?.['lastExecutionTime'] as string | undefined;
const conditionOf = (thing: Thing | undefined, type: string): Condition | undefined => thing?.status?.conditions?.find(condition => condition.type === type);

async function killLeader(): Promise<void> {
  const old = new Set(operator.agent.replicas().map(({name}) => name));
  for (const name of old) await operator.cluster.request('DELETE', `/api/v1/namespaces/kyverno/pods/${name}?gracePeriodSeconds=0`);
  await eventually(() => operator.agent.replicas().some(({name, ready}) => ready && !old.has(name)), {what: 'other replicas', timeoutMs: 120_000});
}

describe('work in the background', () => {
  it('has a thread of its own, which goes after everything else on the node', async () => {
    for (const {pid} of operator.agent.replicas()) {
      const niceOf = (thread: string) => Number(/\) (?:\S+ ){16}(\S+)/.exec(readFileSync(`/proc/${pid}/task/${thread}/stat`, 'utf8'))?.[1]);
      const threads = readdirSync(`/proc/${pid}/task`);
      expect(niceOf(String(pid))).toBe(0);
      expect(threads.filter(thread => niceOf(thread) === 10)).toHaveLength(1);
    }
  });
});

describe('clean-up', () => {
  it('runs when it is due, again and again, whatever one kind forbids', async () => {
    await create('/apis/kyverno.io/v2/clustercleanuppolicies', cleanup('every-minute', '* * * * *', ['Secret', 'ConfigMap'], 'now'));
    await create(configMaps('yard'), configMap('first', {namespace: 'yard', labels: {sweep: 'now'}}));
    await create(configMaps('yard'), configMap('stays', {namespace: 'yard', labels: {sweep: 'later'}}));
    await create('/api/v1/namespaces/yard/secrets', {apiVersion: 'v1', kind: 'Secret', metadata: {name: 'kept', namespace: 'yard', labels: {sweep: 'now'}}});
    await eventually(async () => !(await names(configMaps('yard'))).includes('first'), {what: 'the first run', timeoutMs: 100_000, everyMs: 500});
    const ran = await eventually(() => lastRun('every-minute'), {what: 'the first run written'});
    await create(configMaps('yard'), configMap('second', {namespace: 'yard', labels: {sweep: 'now'}}));
    await eventually(async () => !(await names(configMaps('yard'))).includes('second'), {what: 'the second run', timeoutMs: 100_000, everyMs: 500});
    await eventually(async () => (await lastRun('every-minute')) !== ran, {what: 'the second run written'});
    expect(await names(configMaps('yard'))).toContain('stays');
    expect(await names('/api/v1/namespaces/yard/secrets')).toContain('kept');
    const forbidden = conditionOf(await get(cleanupPath('every-minute')), 'PermissionsGranted');
    expect(forbidden).toMatchObject({status: 'False', message: expect.stringContaining('secrets')});
    await operator.cluster.request('DELETE', cleanupPath('every-minute'));
  });

  it('makes up once for what was missed', async () => {
    await create('/apis/kyverno.io/v2/clustercleanuppolicies', cleanup('yearly', '@yearly', ['ConfigMap'], 'missed'));
    await eventually(async () => conditionOf(await get(cleanupPath('yearly')), 'Ready')?.status === 'True', {what: 'the policy accepted'});
    await create(configMaps('yard'), configMap('missed', {namespace: 'yard', labels: {sweep: 'missed'}}));
    const years = new Date(Date.now() - 3 * 366 * 86_400_000).toISOString().replace(/\.\d+Z/, 'Z');
    const {status} = await operator.cluster.request('PATCH', `${cleanupPath('yearly')}/status`, {status: {lastExecutionTime: years}});
    expect(status).toBe(200);
    await killLeader();
    await eventually(async () => !(await names(configMaps('yard'))).includes('missed'), {what: 'the missed run', timeoutMs: 100_000});
    const ran = await eventually(async () => ((await lastRun('yearly')) === years ? undefined : lastRun('yearly')), {what: 'the run written'});
    await create(configMaps('yard'), configMap('not-yet', {namespace: 'yard', labels: {sweep: 'missed'}}));
    await killLeader();
    await eventually(() => operator.agent.replicas().every(({ready}) => ready), {what: 'replicas ready'});
    expect(await lastRun('yearly')).toBe(ran);
    expect(await names(configMaps('yard'))).toContain('not-yet');
  });

  it('takes what has lived as long as its label says', async () => {
    await create(configMaps('yard'), configMap('short', {namespace: 'yard', labels: {'cleanup.kyverno.io/ttl': '1s'}}));
    await create(configMaps('yard'), configMap('long', {namespace: 'yard', labels: {'cleanup.kyverno.io/ttl': '1h'}}));
    await eventually(async () => !(await names(configMaps('yard'))).includes('short'), {what: 'the end of a ConfigMap', timeoutMs: 60_000});
    expect(await names(configMaps('yard'))).toContain('long');
  });
});

describe('a global context entry', () => {
  it('is what policies see of many objects', async () => {
    const entry: Thing = {
      apiVersion: 'kyverno.io/v2beta1',
      kind: 'GlobalContextEntry',
      metadata: {name: 'depot'},
      spec: {kubernetesResource: {group: '', version: 'v1', resource: 'configmaps', namespace: 'depot'}, projections: [{name: 'names', jmesPath: '[].metadata.name'}]},
    };
    await create('/apis/kyverno.io/v2beta1/globalcontextentries', entry);
    await eventually(async () => conditionOf(await get('/apis/kyverno.io/v2beta1/globalcontextentries/depot'), 'Ready')?.status === 'True', {what: 'the entry at hand'});
    const context = [{name: 'taken', globalReference: {name: 'depot.names'}}];
    const deny = {conditions: {any: [{key: 'closed', operator: 'AnyIn', value: '{{ taken }}'}]}};
    await put(operator, [policy('while-open', {rules: [denyRule('the depot is closed', {namespaces: ['shop'], context, validate: {message: 'the depot is closed', deny}})]})]);
    await create(configMaps('shop'), configMap('open'));
    await create(configMaps('depot'), configMap('closed', {namespace: 'depot'}));
    await eventually(async () => (await operator.cluster.request('POST', `${configMaps('shop')}?dryRun=All`, configMap('too-late'))).status === 400, {what: 'the entry followed'});
    await operator.cluster.request('DELETE', '/apis/kyverno.io/v1/clusterpolicies/while-open');
    await operator.cluster.request('DELETE', '/apis/kyverno.io/v2beta1/globalcontextentries/depot');
  });
});

describe('reports', () => {
  const reports = (namespace: string) => `/apis/wgpolicyk8s.io/v1alpha2/namespaces/${namespace}/policyreports`;
  interface Report extends Thing {
    readonly scope: {readonly kind: string; readonly name: string};
    readonly summary: Readonly<Record<string, number>>;
  }

  async function summaryOf(namespace: string, name: string): Promise<Readonly<Record<string, number>> | undefined> {
    const {body} = await operator.cluster.request<{readonly items: readonly Report[]}>('GET', reports(namespace));
    return body.items.find(({scope}) => scope.kind === 'ConfigMap' && scope.name === name)?.summary;
  }

  it('cost no write for what is applied again', async () => {
    await put(operator, [reapplyPolicy]);
    const {calls, writes, applies} = await reapply(operator, 'shop', 1_000);
    // What fails is told by Events each time; equal ones only raise their count.
    expect(summary(writes.filter(({group}) => group !== 'events.k8s.io'))).toBe('nothing');
    expect(calls).toBeGreaterThanOrEqual(applies);
  });

  it('go on after the API server was away', async () => {
    await operator.cluster.restartApiServer();
    await create(configMaps('shop'), configMap('later', {labels: {team: 'blue'}}));
    await eventually(async () => (await summaryOf('shop', 'later'))?.['pass'] === 1, {what: 'a report after the restart', timeoutMs: 120_000});
  });

  it('lose what a policy says of a kind no more', async () => {
    const [rule] = reapplyPolicy.spec.rules;
    const elsewhere = {...reapplyPolicy, spec: {...reapplyPolicy.spec, rules: [{...rule, match: {any: [{resources: {kinds: ['Secret']}}]}}]}};
    await put(operator, [elsewhere]);
    await eventually(async () => (await summaryOf('shop', 'later')) === undefined, {what: 'the report gone', timeoutMs: 60_000});
  });
});

describe('at rest', () => {
  it('nothing is written', async () => {
    const policies = idlePolicies(30) as unknown as Thing[];
    await createNamespaces(operator, ['elsewhere']);
    await createAll(operator.cluster, configMaps('depot'), Array.from({length: 200}, (_, index) => configMap(`settings-${index}`, {namespace: 'depot'})));
    for (const one of policies) await write(operator, one);
    await allServed(operator, policies);
    expect(summary(await idle(operator.cluster, {quietMs: 8_000, milliseconds: 30_000, mostMs: 150_000}))).toBe('nothing');
  });
});
