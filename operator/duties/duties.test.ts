import {afterEach, beforeEach, describe, expect, it} from 'vitest';
import {systemClock} from '../../adapters/clock.js';
import {createKubeClient} from '../../adapters/kube/client.js';
import {startTestApiServer, type TestApiServer} from '../../adapters/kube/testing/api-server.js';
import {eventually} from '../../adapters/kube/testing/eventually.js';
import type {KubeClient} from '../../adapters/kube/types.js';
import {silentLogger} from '../../adapters/log/logger.js';
import {type JsonObject, ownPath} from '../../engine/json/types.js';
import {createDuties, type Duties, type Duty} from './duties.js';

let server: TestApiServer;
let client: KubeClient;
const started: Duties[] = [];

beforeEach(async () => {
  server = await startTestApiServer();
  client = createKubeClient({kubeConfig: server.kubeConfig, userAgent: 'kyverno', qps: 0, burst: 0, log: silentLogger});
});

afterEach(async () => {
  await Promise.all(started.splice(0).map(duties => duties.resign()));
  client.close();
  await server.close();
});

function candidate(identity: string, wanted: readonly Duty[], changes: string[] = []): Duties {
  const duties = createDuties({
    client,
    clock: systemClock,
    log: silentLogger,
    wanted: new Set(wanted),
    election: {namespace: 'kyverno', identity, retryMs: 50, leaseMs: 60_000, renewDeadlineMs: 40_000},
    onChange: (duty, leading) => changes.push(`${duty} ${leading}`),
  });
  duties.start();
  started.push(duties);
  return duties;
}

const leases = () => server.objects('apis/coordination.k8s.io/v1/leases').map(lease => String(ownPath(lease, 'metadata', 'name'))).sort();

describe('duties', () => {
  it('have a Lease each, and only those that are wanted', async () => {
    const duties = candidate('a', ['admission', 'background', 'reports']);
    await eventually(() => duties.has('background') && duties.has('reports'));
    expect(leases()).toEqual(['kyverno-background-controller', 'kyverno-reports-controller']);
    expect(duties.has('cleanup')).toBe(false);
  });

  it('are lost one by one', async () => {
    const changes: string[] = [];
    const duties = candidate('a', ['background', 'cleanup'], changes);
    await eventually(() => duties.has('background') && duties.has('cleanup'));
    const lease = server.objects('apis/coordination.k8s.io/v1/leases').find(one => ownPath(one, 'metadata', 'name') === 'kyverno-cleanup-controller')!;
    server.put('apis/coordination.k8s.io/v1/leases', {...lease, spec: {...(lease['spec'] as JsonObject), holderIdentity: 'foo', renewTime: new Date().toISOString()}});
    await eventually(() => changes.includes('cleanup false'));
    expect(duties.has('background')).toBe(true);
    expect(changes).not.toContain('background false');
  });

  it('go to another replica when they are given back', async () => {
    const first = candidate('a', ['cleanup']);
    await eventually(() => first.has('cleanup'));
    const second = candidate('b', ['cleanup']);
    await first.resign();
    await eventually(() => second.has('cleanup'));
  });
});
