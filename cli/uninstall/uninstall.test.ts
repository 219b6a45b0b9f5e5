import {afterEach, beforeEach, describe, expect, it} from 'vitest';
import {systemClock} from '../../adapters/clock.js';
import {createKubeClient} from '../../adapters/kube/client.js';
import {microTime} from '../../adapters/kube/lease.js';
import {startTestApiServer, type TestApiServer} from '../../adapters/kube/testing/api-server.js';
import type {KubeClient} from '../../adapters/kube/types.js';
import {silentLog} from '../../adapters/log.js';
import {type JsonObject, ownPath} from '../../engine/json/types.js';
import {uninstall} from './uninstall.js';

const deployments = 'apis/apps/v1/deployments';
const leases = 'apis/coordination.k8s.io/v1/leases';
const requests = 'apis/kyverno.io/v2/updaterequests';
const validating = 'apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations';
const namespace = 'kyverno';

let server: TestApiServer;
let client: KubeClient;

beforeEach(async () => {
  server = await startTestApiServer();
  client = createKubeClient({kubeConfig: server.kubeConfig, userAgent: 'test', qps: 0, burst: 0, log: silentLog});
  server.intercept = ({method, path}, response) => {
    if (method !== 'PATCH' || !path.endsWith('/scale')) return false;
    server.put(deployments, {metadata: {name: 'kyverno', namespace}, spec: {replicas: 0}, status: {}});
    response.writeHead(200, {'content-type': 'application/json'}).end('{}');
    return true;
  };
});

afterEach(async () => {
  client.close();
  await server.close();
});

async function run(dryRun = false): Promise<string> {
  let text = '';
  await uninstall(client, {namespace, deployment: 'kyverno', dryRun, clock: systemClock, out: line => void (text += line)});
  return text;
}

function lease(name: string, holderIdentity: string, renewed: number, labels: JsonObject = {}): void {
  server.put(leases, {metadata: {name, namespace, labels}, spec: {holderIdentity, leaseDurationSeconds: 12, renewTime: microTime(renewed)}});
}

const find = (collection: string, name: string) => server.objects(collection).find(object => ownPath(object, 'metadata', 'name') === name);
const holder = (name: string) => ownPath(find(leases, name), 'spec', 'holderIdentity');

describe('uninstall', () => {
  beforeEach(() => {
    server.put(deployments, {metadata: {name: 'kyverno', namespace}, spec: {replicas: 2}, status: {replicas: 2}});
    lease('kyverno', 'gone', 0);
    lease('kyverno-reports-controller', 'somebody-else', Date.now() + 600_000);
    lease('kyverno-replica-gone', 'gone', 0, {'kyverno.io/replica': 'true'});
    const labels = {'webhook.kyverno.io/managed-by': 'kyverno'};
    server.put(validating, {metadata: {name: 'ours', labels, annotations: {'webhook.kyverno.io/timeouts': '{}'}}, webhooks: []});
    server.put(validating, {metadata: {name: 'theirs', labels}, webhooks: []});
    server.put(requests, {metadata: {name: 'ur-failed', namespace}, status: {state: 'Failed', message: 'm'}});
    server.put(requests, {metadata: {name: 'ur-waits', namespace}, status: {state: 'Pending'}});
  });

  it('stops the operator and takes back what it holds, and nothing of anybody else', async () => {
    const text = await run();
    expect(ownPath(find(deployments, 'kyverno'), 'spec', 'replicas')).toBe(0);
    expect([holder('kyverno'), holder('kyverno-reports-controller'), find(leases, 'kyverno-replica-gone')]).toEqual(['', 'somebody-else', undefined]);
    expect(server.objects(validating).map(object => ownPath(object, 'metadata', 'name'))).toEqual(['theirs']);
    expect(server.objects(requests).map(object => ownPath(object, 'status', 'state'))).toEqual(['Pending', 'Pending']);
    expect(text).toContain('Lease kyverno released, held by gone');
    expect(text).toContain('left to somebody-else');
  });

  it('writes nothing on a dry run', async () => {
    const text = await run(true);
    expect(text).toContain('would be scaled to 0');
    expect(server.requests.filter(({method}) => method !== 'GET')).toEqual([]);
  });
});
