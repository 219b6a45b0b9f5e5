import {afterAll, afterEach, beforeAll, describe, expect, it} from 'vitest';
import {eventually} from '../cluster/eventually.js';
import {grant, grantOn, revoke} from './support/grants.js';
import {celPath, celPolicy, putCel} from './support/cel-policies.js';
import {createNamespaces} from './support/namespaces.js';
import {type OperatorCluster, startOperatorCluster} from './support/operator-cluster.js';
import {collectionOf, dropAll, pathOf, policyPath, put, type Thing, write} from './support/policies.js';

let operator: OperatorCluster;

beforeAll(async () => {
  operator = await startOperatorCluster({args: ['--loggingFormat=json', '--v=2']});
  await createNamespaces(operator, ['shop', 'office', 'source']);
});
afterAll(() => operator?.stop());
afterEach(() => dropAll(operator));

interface ConfigMap extends Thing {
  readonly data: Readonly<Record<string, string>>;
}

const updateRequests = '/apis/kyverno.io/v2/namespaces/kyverno/updaterequests';

function trigger(name: string, data: Record<string, string> = {}, labels: Record<string, string> = {from: 'test'}): ConfigMap {
  return {apiVersion: 'v1', kind: 'ConfigMap', metadata: {name, namespace: 'shop', labels}, data};
}

function generating(name: string, generate: object, more: object = {}): Thing {
  const match = {any: [{resources: {kinds: ['ConfigMap'], selector: {matchLabels: {from: 'test'}}}}]};
  return {apiVersion: 'kyverno.io/v1', kind: 'ClusterPolicy', metadata: {name}, spec: {rules: [{name: 'make', match, generate, ...more}]}};
}

const copyOfData = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  name: '{{ request.object.metadata.name }}-copy',
  namespace: 'office',
  synchronize: true,
  data: {data: {level: '{{ request.object.data.level }}'}},
};

async function get<T extends Thing>(path: string): Promise<T | undefined> {
  const {status, body} = await operator.cluster.request<T>('GET', path);
  return status === 200 ? body : undefined;
}

const officePath = (name: string) => `/api/v1/namespaces/office/configmaps/${name}`;

function becomes(name: string, data: Record<string, string> | undefined): Promise<unknown> {
  return eventually(
    async () => {
      const found = await get<ConfigMap>(officePath(name));
      return JSON.stringify(found?.data) === JSON.stringify(data);
    },
    {what: `${name} to be ${JSON.stringify(data)}`, timeoutMs: 30_000, everyMs: 50},
  );
}

/** What was refused after it had been noted fails, and is kept for a while. */
async function noRequestsLeft(): Promise<void> {
  await eventually(async () => (await operator.cluster.request<{items: Thing[]}>('GET', updateRequests)).body.items.every(({status}) => String(status?.['state']) === 'Failed'), {
    what: 'no update requests but those of refused objects',
    timeoutMs: 30_000,
  });
}

async function serve(...policies: Thing[]): Promise<void> {
  await put(operator, policies);
}

async function edit(object: Thing, type = 'application/merge-patch+json'): Promise<void> {
  const {status, body} = await operator.cluster.request('PATCH', pathOf(object), object, {contentType: type});
  expect(status, JSON.stringify(body)).toBe(200);
}

function remove(path: string) {
  return operator.cluster.request('DELETE', path);
}

describe('a generate rule that keeps in step', () => {
  it('follows its trigger, puts back what users change, and ends with it', async () => {
    await serve(generating('copies', copyOfData));
    await write(operator, trigger('one', {level: 'a'}));
    await becomes('one-copy', {level: 'a'});
    await edit(trigger('one', {level: 'b'}));
    await becomes('one-copy', {level: 'b'});
    await edit({apiVersion: 'v1', kind: 'ConfigMap', metadata: {name: 'one-copy', namespace: 'office'}, data: {level: 'x', more: 'y'}} as Thing);
    await becomes('one-copy', {level: 'b'});
    await remove(officePath('one-copy'));
    await becomes('one-copy', {level: 'b'});
    await remove(pathOf(trigger('one')));
    await becomes('one-copy', undefined);
    await noRequestsLeft();
  });

  it('follows its policy to the end', async () => {
    const policy = generating('copies', copyOfData);
    await serve(policy);
    await write(operator, trigger('two', {level: 'a'}));
    await becomes('two-copy', {level: 'a'});
    await serve(generating('copies', {...copyOfData, data: {data: {fixed: 'yes'}}}));
    await becomes('two-copy', {fixed: 'yes'});
    await remove(policyPath(policy));
    await becomes('two-copy', undefined);
    await remove(pathOf(trigger('two')));
  });

  it('makes what triggers that were there call for, when asked to', async () => {
    await write(operator, trigger('three', {level: 'a'}));
    await serve(generating('copies', {...copyOfData, generateExisting: true}));
    await becomes('three-copy', {level: 'a'});
    await remove(pathOf(trigger('three')));
    await becomes('three-copy', undefined);
  });

  it('copies a source, as it changes and until it goes', async () => {
    const source: ConfigMap = {apiVersion: 'v1', kind: 'ConfigMap', metadata: {name: 'origin', namespace: 'source'}, data: {a: '1'}};
    await write(operator, source);
    await serve(generating('clones', {apiVersion: 'v1', kind: 'ConfigMap', name: 'clone', namespace: 'office', synchronize: true, clone: {name: 'origin', namespace: 'source'}}));
    await write(operator, trigger('four'));
    await becomes('clone', {a: '1'});
    await edit({...source, data: {a: '2'}} as Thing);
    await becomes('clone', {a: '2'});
    await remove(pathOf(source));
    await becomes('clone', undefined);
    await write(operator, {...source, data: {a: '3'}} as Thing);
    await becomes('clone', {a: '3'});
    await remove(pathOf(trigger('four')));
    await becomes('clone', undefined);
    await remove(pathOf(source));
  });
});

describe('a rule without the right to make what it makes', () => {
  it('is refused; that lost its right, it says which one to grant, once, and goes on when it is granted', async () => {
    const policy = generating('secrets', {apiVersion: 'v1', kind: 'ServiceAccount', name: '{{ request.object.metadata.name }}', namespace: 'office', synchronize: true, data: {automountServiceAccountToken: false}});
    const rights = [grantOn({apiVersion: 'v1', kind: 'ServiceAccount'}, 'background')];
    const refusal = await operator.cluster.request<{message?: string}>('POST', policyPath(policy).slice(0, -'/secrets'.length), policy);
    expect(refusal.status).toBe(400);
    expect(refusal.body.message).toContain("auth check fails, additional privileges are required for the service account 'system:serviceaccount:kyverno:kyverno': create, update, delete serviceaccounts in namespace office");
    await grant(operator, 'make-accounts', 'background', rights);
    await serve(policy);
    await revoke(operator, 'make-accounts', rights);
    for (const name of ['s1', 's2', 's3']) await write(operator, trigger(name));
    const condition = await eventually(
      async () => (await get<Thing>(policyPath(policy)))?.status?.conditions?.find(({reason}) => reason === 'Forbidden'),
      {what: 'a condition on the missing right', timeoutMs: 30_000},
    );
    expect(condition.message).toContain('rule make: kyverno/kyverno lacks the right to create serviceaccounts');
    expect(condition.message).toContain('rbac.kyverno.io/aggregate-to-background-controller');
    await grant(operator, 'make-accounts', 'background', rights);
    await eventually(async () => (await get('/api/v1/namespaces/office/serviceaccounts/s3')) !== undefined, {what: 's3', timeoutMs: 60_000});
    await noRequestsLeft();
    await eventually(async () => (await get<Thing>(policyPath(policy)))?.status?.conditions?.every(({reason}) => reason !== 'Forbidden'), {what: 'no condition any more', timeoutMs: 30_000});
    for (const name of ['s1', 's2', 's3']) await remove(pathOf(trigger(name)));
  });
});

describe('mutation of existing objects', () => {
  it('is done for what a request triggers', async () => {
    const target: ConfigMap = {apiVersion: 'v1', kind: 'ConfigMap', metadata: {name: 'target', namespace: 'office'}, data: {a: '1'}};
    await write(operator, target);
    const match = {any: [{resources: {kinds: ['ConfigMap'], selector: {matchLabels: {from: 'test'}}}}]};
    const mutate = {targets: [{apiVersion: 'v1', kind: 'ConfigMap', name: 'target', namespace: 'office'}], patchStrategicMerge: {data: {seen: '{{ request.object.metadata.name }}'}}};
    await serve({apiVersion: 'kyverno.io/v1', kind: 'ClusterPolicy', metadata: {name: 'marks'}, spec: {rules: [{name: 'mark', match, mutate}]}});
    await write(operator, trigger('five'));
    await becomes('target', {a: '1', seen: 'five'});
    await noRequestsLeft();
    await remove(pathOf(trigger('five')));
  });
});

describe('a trigger that cannot be read', () => {
  it('may be an eviction', async () => {
    const match = {any: [{resources: {kinds: ['Pod/eviction']}}]};
    const generate = {apiVersion: 'v1', kind: 'ConfigMap', name: 'evicted-{{ request.name }}', namespace: 'office', data: {data: {of: '{{ request.object.metadata.name }}'}}};
    await serve({apiVersion: 'kyverno.io/v1', kind: 'ClusterPolicy', metadata: {name: 'evictions'}, spec: {rules: [{name: 'note', match, generate}]}});
    const pod = {apiVersion: 'v1', kind: 'Pod', metadata: {name: 'guest', namespace: 'shop'}, spec: {containers: [{name: 'a', image: 'a'}]}};
    expect((await operator.cluster.request('POST', collectionOf(pod), pod)).status).toBe(201);
    const {status, body} = await operator.cluster.request('POST', `${pathOf(pod)}/eviction`, {apiVersion: 'policy/v1', kind: 'Eviction', metadata: pod.metadata});
    expect(status, JSON.stringify(body)).toBe(201);
    await becomes('evicted-guest', {of: 'guest'});
    expect((await get<Thing>(officePath('evicted-guest')))?.metadata['labels']).toMatchObject({'generate.kyverno.io/trigger-kind': 'Eviction', 'generate.kyverno.io/trigger-group': 'policy'});
    await noRequestsLeft();
    await remove(officePath('evicted-guest'));
  });

  it('may get its name from the API server', async () => {
    await serve(generating('copies', copyOfData));
    const {metadata, ...rest} = trigger('', {level: 'a'});
    const posted = await operator.cluster.request<ConfigMap>('POST', collectionOf(trigger('x')), {...rest, metadata: {namespace: 'shop', labels: metadata['labels'], generateName: 'named-'}});
    expect(posted.status).toBe(201);
    await becomes(`${posted.body.metadata.name}-copy`, {level: 'a'});
    await remove(pathOf(trigger(posted.body.metadata.name)));
    await becomes(`${posted.body.metadata.name}-copy`, undefined);
  });

  it('may get its name from the API server, and lead to changes of other objects by a MutatingPolicy', async () => {
    const target: ConfigMap = {apiVersion: 'v1', kind: 'ConfigMap', metadata: {name: 'ledger', namespace: 'office'}, data: {a: '1'}};
    await write(operator, target);
    const policy = celPolicy('MutatingPolicy', 'ledgers', {
      spec: {
        matchConditions: [{name: 'ours', expression: "object.metadata.namespace == 'shop' && object.metadata.?labels.?from.orValue('') == 'named'"}],
        targetMatchConstraints: {expression: "resource.Get('v1', 'configmaps', 'office', 'ledger')"},
        mutations: [{patchType: 'ApplyConfiguration', applyConfiguration: {expression: "Object{data: Object.data{seen: 'yes'}}"}}],
      },
    });
    await putCel(operator, [policy]);
    const posted = await operator.cluster.request<ConfigMap>('POST', collectionOf(trigger('x')), {apiVersion: 'v1', kind: 'ConfigMap', metadata: {namespace: 'shop', labels: {from: 'named'}, generateName: 'named-'}});
    expect(posted.status).toBe(201);
    await becomes('ledger', {a: '1', seen: 'yes'});
    await noRequestsLeft();
    await remove(celPath(policy));
    await remove(pathOf(trigger(posted.body.metadata.name)));
    await remove(officePath('ledger'));
  });

  it('may be a Secret that goes, of whose data nothing is stored', async () => {
    const match = {any: [{resources: {kinds: ['Secret'], namespaces: ['shop'], operations: ['DELETE']}}]};
    const generate = {apiVersion: 'v1', kind: 'ConfigMap', name: 'gone-{{ request.name }}', namespace: 'office', data: {data: {was: '{{ request.oldObject.data.code | base64_decode(@) }}'}}};
    // Whether it is gone indeed is looked up.
    await grant(operator, 'secrets-that-go', 'background', [{apiGroups: [''], resources: ['secrets'], verbs: ['get']}]);
    await serve({apiVersion: 'kyverno.io/v1', kind: 'ClusterPolicy', metadata: {name: 'farewells'}, spec: {rules: [{name: 'note', match, generate}]}});
    const secret = {apiVersion: 'v1', kind: 'Secret', metadata: {name: 'key', namespace: 'shop'}, data: {code: 'MTIzNA=='}} as Thing;
    await write(operator, secret);
    expect((await remove(pathOf(secret))).status).toBe(200);
    await becomes('gone-key', {was: '1234'});
    await remove(officePath('gone-key'));
  });
});

describe('the leader killed in the middle', () => {
  it('loses nothing and makes nothing twice', async () => {
    await serve(generating('copies', copyOfData));
    const names = Array.from({length: 60}, (_, index) => `burst-${index}`);
    const half = names.slice(0, 30).map(name => operator.cluster.request('POST', collectionOf(trigger(name)), trigger(name, {level: name})));
    const lease = await get<Thing & {spec: {holderIdentity: string}}>('/apis/coordination.k8s.io/v1/namespaces/kyverno/leases/kyverno-background-controller');
    const leader = operator.agent.replicas().find(({name}) => name === lease?.spec.holderIdentity);
    process.kill(leader!.pid!, 'SIGKILL');
    await Promise.all(half);
    await eventually(() => operator.agent.replicas().length >= 2 && operator.agent.replicas().every(({ready}) => ready), {what: 'replicas ready again', timeoutMs: 120_000});
    for (const name of names.slice(30)) await write(operator, trigger(name, {level: name}));
    // What the API server could not ask about was refused; it comes again.
    for (const name of names.slice(0, 30)) {
      if ((await get(pathOf(trigger(name)))) === undefined) await write(operator, trigger(name, {level: name}));
    }
    for (const name of names) await becomes(`${name}-copy`, {level: name});
    await noRequestsLeft();
    for (const name of names) await remove(pathOf(trigger(name)));
    for (const name of names) await becomes(`${name}-copy`, undefined);
  }, 300_000);
});
