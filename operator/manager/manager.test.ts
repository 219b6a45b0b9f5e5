import {afterEach, beforeEach, describe, expect, it} from 'vitest';
import {systemClock} from '../../adapters/clock.js';
import {createKubeClient} from '../../adapters/kube/client.js';
import {startTestApiServer, type TestApiServer} from '../../adapters/kube/testing/api-server.js';
import {eventually, turns} from '../../adapters/kube/testing/eventually.js';
import type {KubeClient} from '../../adapters/kube/types.js';
import {silentLog} from '../../adapters/log.js';
import {createManager, type Manager, type Registration} from './manager.js';

let server: TestApiServer;
let client: KubeClient;
let manager: Manager;
let runs: string[];
let outcomes: string[];

beforeEach(async () => {
  server = await startTestApiServer();
  client = createKubeClient({kubeConfig: server.kubeConfig, userAgent: 'kyverno', qps: 0, burst: 0, log: silentLog});
  runs = [];
  outcomes = [];
  manager = createManager({
    client,
    clock: systemClock,
    log: silentLog,
    metrics: {
      reconciled: kind => outcomes.push(`${kind} run`),
      requeued: (kind, tries) => outcomes.push(`${kind} again ${tries}`),
    },
  });
});

afterEach(async () => {
  await manager.stop();
  client.close();
  await server.close();
});

const pods: Registration = {
  key: 'Pod',
  group: '',
  version: 'v1',
  resource: 'pods',
  namespaced: true,
  reconcile: key => void runs.push(key),
};

function put(name: string): void {
  server.put('api/v1/pods', {apiVersion: 'v1', kind: 'Pod', metadata: {name, namespace: 'shop'}});
}

describe('manager', () => {
  it('runs each object once, then each change', async () => {
    put('a');
    put('b');
    manager.register(pods);
    manager.start();
    await manager.whenReconciled();
    expect(runs.sort()).toEqual(['shop/a', 'shop/b']);
    await eventually(() => server.watchers === 1);
    server.remove('api/v1/pods', 'shop/a');
    await eventually(() => runs.length === 3);
    expect([runs[2], manager.lister('Pod').get('shop/a')]).toEqual(['shop/a', undefined]);
  });

  it('runs nothing before the first list is complete', async () => {
    put('a');
    let seen = 0;
    manager.register({...pods, reconcile: () => void (seen = manager.lister('Pod').size)});
    put('b');
    manager.start();
    await manager.whenReconciled();
    expect(seen).toBe(2);
  });

  it('tells up to which version everything has been reconciled', async () => {
    put('a');
    let release: () => void = () => undefined;
    const gate = new Promise<void>(resolve => {
      release = resolve;
    });
    manager.register({...pods, concurrency: 2, reconcile: key => (key === 'shop/slow' ? gate : undefined)});
    manager.start();
    await manager.whenReconciled();
    expect(manager.reconciledVersion('Pod')).toBe('101');
    await eventually(() => server.watchers === 1);
    put('slow');
    put('quick');
    await eventually(() => manager.reflector('Pod').resourceVersion === '103');
    await turns();
    expect(manager.reconciledVersion('Pod')).toBe('101');
    release();
    await eventually(() => manager.reconciledVersion('Pod') === '103');
  });

  it('counts a failed run as done for the version, and tries it again', async () => {
    put('a');
    let failures = 2;
    manager.register({
      ...pods,
      reconcile() {
        failures -= 1;
        if (failures >= 0) throw new Error('not yet');
      },
    });
    manager.start();
    await manager.whenReconciled();
    await eventually(() => outcomes.length === 5);
    expect(outcomes).toEqual(['Pod run', 'Pod again 1', 'Pod run', 'Pod again 2', 'Pod run']);
  });

  it('runs leader-only kinds while leading, and all of them when leadership begins', async () => {
    put('a');
    manager.register({...pods, leaderOnly: true});
    manager.start();
    await manager.whenSynced();
    await turns();
    expect(runs).toEqual([]);
    manager.setLeading(true);
    await eventually(() => runs.length === 1);
    manager.setLeading(false);
    put('b');
    await eventually(() => manager.lister('Pod').size === 2);
    await turns();
    expect(runs).toEqual(['shop/a']);
    manager.setLeading(true);
    await eventually(() => runs.length === 3);
  });

  it('mirrors kinds without a handler', async () => {
    put('a');
    manager.register({...pods, reconcile: undefined});
    manager.start();
    await manager.whenReconciled();
    expect([...manager.lister('Pod').keys()]).toEqual(['shop/a']);
  });

  it('takes kinds that are registered while it runs', async () => {
    put('a');
    manager.start();
    manager.register(pods);
    await manager.whenReconciled();
    expect(runs).toEqual(['shop/a']);
  });

  it('runs keys of other kinds on demand', async () => {
    put('a');
    manager.register(pods);
    manager.start();
    await manager.whenReconciled();
    manager.enqueue('Pod', 'shop/other');
    manager.enqueueAll('Pod');
    await eventually(() => runs.length === 3);
    expect(runs.slice(1).sort()).toEqual(['shop/a', 'shop/other']);
  });

  it('makes addresses of keys', () => {
    manager.register(pods);
    expect(manager.ref('Pod', 'shop/a')).toEqual({
      group: '',
      version: 'v1',
      resource: 'pods',
      namespace: 'shop',
      name: 'a',
    });
    expect(() => manager.ref('Pod', 'a')).toThrow('no key of Pod');
    expect(() => manager.register(pods)).toThrow('already');
    expect(() => manager.lister('Missing')).toThrow('no kind registered');
  });

  it('is reconciled without kinds that the server does not know', async () => {
    server.intercept = (_request, response) => {
      response.writeHead(404, {'content-type': 'application/json'});
      response.end('{"kind":"Status","code":404,"reason":"NotFound"}');
      return true;
    };
    manager.register({...pods, optional: true});
    manager.start();
    await manager.whenReconciled();
    expect(manager.hasSynced).toBe(true);
  });
});
