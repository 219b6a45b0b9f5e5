import {afterEach, beforeEach, describe, expect, it} from 'vitest';
import {createKubeClient} from '../../adapters/kube/client.js';
import {fail, startTestApiServer, type TestApiServer} from '../../adapters/kube/testing/api-server.js';
import type {KubeClient} from '../../adapters/kube/types.js';
import {silentLog} from '../../adapters/log.js';
import {silentLogger} from '../../adapters/log/logger.js';
import type {JsonObject} from '../../engine/json/types.js';
import {readEnvironment} from '../config/environment.js';
import {endpointGone, isGoingDown, ownDeployment, relaxWebhooks} from './shutdown.js';

const environment = readEnvironment({KYVERNO_POD_NAME: 'pod-1'});
const deployments = 'apis/apps/v1/deployments';
const slices = 'apis/discovery.k8s.io/v1/endpointslices';
let server: TestApiServer;
let client: KubeClient;

beforeEach(async () => {
  server = await startTestApiServer();
  client = createKubeClient({kubeConfig: server.kubeConfig, userAgent: 'kyverno', qps: 0, burst: 0, log: silentLog});
});

afterEach(async () => {
  client.close();
  await server.close();
});

describe('nobody will be left to answer', () => {
  it.each<[string, JsonObject | undefined | 'unknown', boolean]>([
    ['when the Deployment is absent', undefined, true],
    ['when it is being deleted', {metadata: {deletionTimestamp: '2026-01-01T00:00:00Z'}, spec: {replicas: 2}}, true],
    ['when it is scaled to nothing', {metadata: {}, spec: {replicas: 0}}, true],
    ['but not when one replica is wanted', {metadata: {}, spec: {replicas: 1}}, false],
    ['but not when it does not say how many', {metadata: {}, spec: {}}, false],
    ['but not when that cannot be found out', 'unknown', false],
  ])('%s', (_name, deployment, want) => {
    expect(isGoingDown(deployment)).toBe(want);
  });
});

describe('the own Deployment', () => {
  it('is read by its name', async () => {
    server.put(deployments, {apiVersion: 'apps/v1', kind: 'Deployment', metadata: {name: 'kyverno', namespace: 'kyverno'}, spec: {replicas: 2}});
    expect(await ownDeployment(client, environment, silentLogger)).toMatchObject({spec: {replicas: 2}});
  });

  it('is absent only where the server says so', async () => {
    expect(await ownDeployment(client, environment, silentLogger)).toBeUndefined();
    for (const code of [401, 403, 500]) {
      server.intercept = (_request, response) => {
        fail(response, {code, reason: 'No'});
        return true;
      };
      expect(await ownDeployment(client, environment, silentLogger)).toBe('unknown');
    }
  });
});

it('relaxing asks for our configurations alone, and for both kinds though one is refused', async () => {
  server.intercept = (request, response) => {
    if (request.method === 'DELETE') fail(response, {code: 403, reason: 'Forbidden'});
    return request.method === 'DELETE';
  };
  await relaxWebhooks(client, silentLogger);
  expect(server.requests.map(({method, path, query}) => [method, path.split('/').at(-1), query.get('labelSelector')])).toEqual([
    ['DELETE', 'validatingwebhookconfigurations', 'webhook.kyverno.io/managed-by=kyverno'],
    ['DELETE', 'mutatingwebhookconfigurations', 'webhook.kyverno.io/managed-by=kyverno'],
  ]);
});

it('the endpoint is gone once no slice names this Pod as ready', async () => {
  const slice = (ready: boolean) => ({
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: {name: 's', namespace: 'kyverno', labels: {'kubernetes.io/service-name': 'kyverno-svc'}},
    endpoints: [
      {targetRef: {name: 'pod-1'}, conditions: {ready}},
      {targetRef: {name: 'pod-2'}, conditions: {ready: true}},
    ],
  });
  server.put(slices, slice(true));
  let looks = 0;
  server.intercept = () => {
    looks += 1;
    if (looks === 2) server.put(slices, slice(false));
    return false;
  };
  await endpointGone(client, environment, silentLogger);
  expect(looks).toBe(2);
});
