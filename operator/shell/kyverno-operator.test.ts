import {mkdtemp, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterEach, beforeEach, describe, expect, it} from 'vitest';
import {systemClock} from '../../adapters/clock.js';
import {createKubeClient} from '../../adapters/kube/client.js';
import {startTestApiServer, type TestApiServer} from '../../adapters/kube/testing/api-server.js';
import {eventually} from '../../adapters/kube/testing/eventually.js';
import type {KubeClient} from '../../adapters/kube/types.js';
import {silentLog} from '../../adapters/log.js';
import {type JsonObject, ownPath} from '../../engine/json/types.js';
import {createManager, type Manager} from '../manager/manager.js';
import {Framework, type ResourceEvent, ResourceEventType, type ResourceMeta, ResourceMetaImpl} from './framework.js';
import {KyvernoOperator, type KyvernoOperatorOptions} from './kyverno-operator.js';

const policies = 'apis/kyverno.io/v1/clusterpolicies';
let server: TestApiServer;
let client: KubeClient;
let manager: Manager;
let operator: TestOperator;

/** Opens the framework's protected surface. */
class TestOperator extends KyvernoOperator {
  readonly call = {
    registerCrd: (file: string) => this.registerCustomResourceDefinition(file),
    uri: (namespace?: string) => this.getCustomResourceApiUri('kyverno.io', 'v1', 'policies', namespace),
    watch: (onEvent: (event: ResourceEvent) => Promise<void>) =>
      this.watchResource('kyverno.io', 'v1', 'clusterpolicies', onEvent),
    setStatus: (meta: ResourceMeta, status: unknown) => this.setResourceStatus(meta, status),
    patchStatus: (meta: ResourceMeta, status: unknown) => this.patchResourceStatus(meta, status),
    finalize: (event: ResourceEvent, finalizer: string, action: (event: ResourceEvent) => Promise<void>) =>
      this.handleResourceFinalizer(event, finalizer, action),
    setFinalizers: (meta: ResourceMeta, finalizers: string[]) => this.setResourceFinalizers(meta, finalizers),
    axios: () => this.applyAxiosKubeConfigAuth(),
    gaxios: () => this.applyGaxiosKubeConfigAuth(),
    config: () => this.kubeConfig,
  };
}

function create(options: Partial<KyvernoOperatorOptions> = {}): TestOperator {
  return new TestOperator({
    kubeConfig: server.kubeConfig,
    client,
    manager,
    clock: systemClock,
    log: silentLog,
    handlers: [],
    ...options,
  });
}

beforeEach(async () => {
  server = await startTestApiServer();
  client = createKubeClient({kubeConfig: server.kubeConfig, userAgent: 'kyverno', qps: 0, burst: 0, log: silentLog});
  manager = createManager({client, clock: systemClock, log: silentLog});
  operator = create();
});

afterEach(async () => {
  await operator.stop();
  client.close();
  await server.close();
});

function put(more: JsonObject = {}): JsonObject {
  return server.put(policies, {
    apiVersion: 'kyverno.io/v1',
    kind: 'ClusterPolicy',
    ...more,
    metadata: {name: 'p', ...(more['metadata'] as JsonObject)},
  });
}

function metaOf(object: JsonObject): ResourceMeta {
  return ResourceMetaImpl.createWithPlural('clusterpolicies', object);
}

function eventOf(object: JsonObject, type: 'Added' | 'Modified' | 'Deleted' = 'Added'): ResourceEvent {
  return {object, meta: metaOf(object), type: ResourceEventType[type]};
}

describe('operator shell', () => {
  it('is a subclass of the framework whose methods are all overridden', () => {
    expect(operator).toBeInstanceOf(Framework);
    // The framework's start does nothing but call init; its privates are reached from its own methods only.
    const kept = new Set(['constructor', 'resourceStatusRequest', 'errorToJson']);
    const inherited = Object.getOwnPropertyNames(Framework.prototype).filter(name => !kept.has(name));
    expect(inherited.filter(name => !Object.hasOwn(KyvernoOperator.prototype, name))).toEqual([]);
  });

  it('reaches no base method on any of its ways', async () => {
    const base = Framework.prototype as unknown as Record<string, unknown>;
    const reached: string[] = [];
    const names = Object.getOwnPropertyNames(base).filter(name => !['constructor', 'start', 'stop'].includes(name));
    const saved = names.map(name => [name, base[name]] as const);
    for (const name of names) {
      base[name] = () => {
        reached.push(name);
        throw new Error(`the framework's ${name} was reached`);
      };
    }
    try {
      const file = join(await mkdtemp(join(tmpdir(), 'crd-')), 'crd.yaml');
      await writeFile(file, definition);
      const object = put();
      await operator.call.registerCrd(file);
      await operator.call.watch(() => Promise.resolve());
      await operator.start();
      operator.call.uri();
      await operator.call.setStatus(metaOf(object), {a: 1});
      await operator.call.patchStatus(metaOf(object), {b: 1});
      await operator.call.finalize(eventOf(object), 'x/y', () => Promise.resolve());
      await expect(operator.call.axios()).rejects.toThrow('not handed');
      await expect(operator.call.gaxios()).rejects.toThrow('not handed');
      await operator.stop();
    } finally {
      for (const [name, value] of saved) base[name] = value;
    }
    expect(reached).toEqual([]);
  });

  it('loads no default context, whatever the environment names', async () => {
    const file = join(await mkdtemp(join(tmpdir(), 'kubeconfig-')), 'config');
    await writeFile(file, 'no: kubeconfig: at all');
    const saved = process.env['KUBECONFIG'];
    process.env['KUBECONFIG'] = file;
    try {
      const other = create();
      expect(other.call.config()).toBe(server.kubeConfig);
      expect(process.env['KUBECONFIG']).toBe(file);
    } finally {
      if (saved === undefined) delete process.env['KUBECONFIG'];
      else process.env['KUBECONFIG'] = saved;
    }
  });

  it('registers its handlers in init and runs them after start', async () => {
    put();
    const runs: string[] = [];
    const order: string[] = [];
    operator = create({
      onInit: async () => void order.push('init'),
      onStartedLeading: () => order.push('leads'),
      handlers: [
        {
          key: 'ClusterPolicy',
          group: 'kyverno.io',
          version: 'v1',
          resource: 'clusterpolicies',
          namespaced: false,
          leaderOnly: true,
          reconcile: key => void runs.push(key),
        },
      ],
    });
    await operator.start();
    await eventually(() => runs.length === 1);
    expect({runs, order, leader: operator.isLeader}).toEqual({runs: ['p'], order: ['init', 'leads'], leader: true});
  });

  it('leads by its Lease and gives it back when stopped', async () => {
    const order: string[] = [];
    operator = create({
      election: {namespace: 'kyverno', name: 'kyverno', identity: 'pod-1'},
      onStartedLeading: () => order.push('leads'),
      onStoppedLeading: () => order.push('stops'),
    });
    expect(operator.isLeader).toBe(false);
    await operator.start();
    await eventually(() => operator.isLeader);
    await operator.stop();
    expect(order).toEqual(['leads', 'stops']);
    expect(ownPath(server.objects('apis/coordination.k8s.io/v1/leases')[0], 'spec', 'holderIdentity')).toBe('');
  });

  it('tells added, modified and deleted, and tells again what a handler failed on', async () => {
    const told: string[] = [];
    let failing = true;
    put();
    await operator.call.watch(async event => {
      if (failing) {
        failing = false;
        throw new Error('once');
      }
      told.push(`${event.type} ${event.meta.name}`);
    });
    await operator.start();
    await eventually(() => told.length === 1 && server.watchers === 1);
    put({spec: {a: 1}});
    await eventually(() => told.length === 2);
    server.remove(policies, 'p');
    await eventually(() => told.length === 3);
    expect(told).toEqual(['ADDED p', 'MODIFIED p', 'DELETED p']);
  });

  it('outlives an API server that is away', async () => {
    const told: string[] = [];
    put();
    await operator.call.watch(async event => void told.push(event.type));
    await operator.start();
    await eventually(() => told.length === 1 && server.watchers === 1);
    await server.down();
    server.remove(policies, 'p');
    server.compact();
    await server.up();
    await eventually(() => told.length === 2);
    expect(told).toEqual(['ADDED', 'DELETED']);
  });

  it('writes a status over a stale version, and says null for what is gone', async () => {
    const stale = metaOf(put());
    put({spec: {a: 2}});
    const fresh = await operator.call.setStatus(stale, {phase: 'ok'});
    expect(fresh?.resourceVersion).toBe('103');
    await operator.call.patchStatus(stale, {more: 1});
    expect(server.objects(policies)[0]).toMatchObject({spec: {a: 2}, status: {phase: 'ok', more: 1}});
    server.remove(policies, 'p');
    expect(await operator.call.setStatus(stale, {})).toBeNull();
    expect(await operator.call.patchStatus(stale, {})).toBeNull();
  });

  it("adds and removes its own finalizer and keeps others'", async () => {
    const before = put();
    put({metadata: {finalizers: ['other/one']}});
    expect(await operator.call.finalize(eventOf(before), 'ours/x', () => Promise.resolve())).toBe(true);
    const finalizers = () => ownPath(server.objects(policies)[0], 'metadata', 'finalizers');
    expect(finalizers()).toEqual(['other/one', 'ours/x']);
    const held = server.objects(policies)[0]!;
    expect(await operator.call.finalize(eventOf(held), 'ours/x', () => Promise.resolve())).toBe(false);
    const dying = put({metadata: {finalizers: ['ours/x', 'late/two'], deletionTimestamp: '2026-01-01T00:00:00Z'}});
    let cleaned = 0;
    const done = await operator.call.finalize(eventOf(dying, 'Modified'), 'ours/x', async () => {
      cleaned += 1;
    });
    expect([done, cleaned, finalizers()]).toEqual([true, 1, ['late/two']]);
  });

  it('refuses to overwrite finalizers of an object that has changed', async () => {
    const stale = metaOf(put());
    put({spec: {a: 1}});
    await expect(operator.call.setFinalizers(stale, [])).rejects.toMatchObject({status: 409});
  });

  it('creates a definition and brings it up to date', async () => {
    const file = join(await mkdtemp(join(tmpdir(), 'crd-')), 'crd.yaml');
    await writeFile(file, definition);
    for (let time = 0; time < 2; time += 1) {
      expect(await operator.call.registerCrd(file)).toMatchObject({group: 'example.com', plural: 'things'});
    }
    await writeFile(file, 'kind: ConfigMap');
    await expect(operator.call.registerCrd(file)).rejects.toThrow('CustomResourceDefinition');
  });

  it('knows addresses on its own server', () => {
    expect(operator.call.uri('shop')).toBe(`${server.url}/apis/kyverno.io/v1/namespaces/shop/policies`);
  });
});

const definition = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: things.example.com}
spec:
  group: example.com
  names: {plural: things, kind: Thing}
  versions: [{name: v1, served: true, storage: true}]
`;
