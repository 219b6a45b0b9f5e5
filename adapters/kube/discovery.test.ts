import {afterEach, beforeEach, describe, expect, it} from 'vitest';
import type {JsonObject} from '../../engine/json/types.js';
import {silentLog} from '../log.js';
import {createKubeClient} from './client.js';
import {createDiscovery, type Discovery} from './discovery.js';
import {answer, fail, startTestApiServer, type TestApiServer} from './testing/api-server.js';
import type {KubeClient} from './types.js';

let server: TestApiServer;
let client: KubeClient;
let discovery: Discovery;
/** Path → document, or the status of a refusal. */
let documents: Record<string, JsonObject | number>;

beforeEach(async () => {
  server = await startTestApiServer();
  server.intercept = ({path}, response) => {
    const document = documents[path] ?? 404;
    if (typeof document === 'number') fail(response, {code: document, reason: 'Refused'});
    else answer(response, document);
    return true;
  };
  client = createKubeClient({kubeConfig: server.kubeConfig, userAgent: 'kyverno', qps: 0, burst: 0, log: silentLog});
  discovery = createDiscovery({client, log: silentLog});
});

afterEach(async () => {
  client.close();
  await server.close();
});

function aggregated(...items: JsonObject[]): JsonObject {
  return {kind: 'APIGroupDiscoveryList', apiVersion: 'apidiscovery.k8s.io/v2', items};
}

function resource(name: string, kind: string, more: JsonObject = {}): JsonObject {
  return {resource: name, responseKind: {group: '', version: '', kind}, scope: 'Namespaced', verbs: ['get'], ...more};
}

const core = aggregated({
  metadata: {name: ''},
  versions: [
    {
      version: 'v1',
      freshness: 'Current',
      resources: [
        resource('pods', 'Pod', {subresources: [{subresource: 'status'}, {subresource: 'ephemeralcontainers'}]}),
        resource('namespaces', 'Namespace', {scope: 'Cluster'}),
      ],
    },
  ],
});

function groups(metrics: JsonObject): JsonObject {
  return aggregated(
    {
      metadata: {name: 'autoscaling'},
      versions: ['v2', 'v1'].map(version => ({
        version,
        resources: [resource('horizontalpodautoscalers', 'HorizontalPodAutoscaler')],
      })),
    },
    {metadata: {name: 'metrics.k8s.io'}, versions: [{version: 'v1beta1', ...metrics}]},
  );
}

const healthy = {freshness: 'Current', resources: [resource('pods', 'PodMetrics')]};

describe('discovery', () => {
  it('reads all groups in two requests, scope and subresources with them', async () => {
    documents = {'/api': core, '/apis': groups(healthy)};
    await discovery.refresh();
    expect(server.requests.map(({path}) => path).sort()).toEqual(['/api', '/apis']);
    const map = discovery.resourceMap;
    expect(map.kindOf({group: '', version: 'v1', resource: 'pods'})).toEqual({
      group: '',
      version: 'v1',
      kind: 'Pod',
      resource: 'pods',
      namespaced: true,
      subResources: ['status', 'ephemeralcontainers'],
    });
    expect(map.find('Namespace')[0]?.namespaced).toBe(false);
    expect(map.find('HorizontalPodAutoscaler').map(({version}) => version)).toEqual(['v2', 'v1']);
    expect([map.find('Nothing'), map.all().length]).toEqual([[], 5]);
  });

  it('keeps the kinds of a group whose server is down, and the rest current', async () => {
    documents = {'/api': core, '/apis': groups(healthy)};
    await discovery.refresh();
    documents['/apis'] = groups({freshness: 'Stale', resources: []});
    await discovery.refresh();
    expect(discovery.resourceMap.find('PodMetrics').length).toBe(1);
    expect(discovery.failures).toEqual(['metrics.k8s.io/v1beta1']);
  });

  it('loses nothing else when a group was down from the start', async () => {
    documents = {'/api': core, '/apis': groups({freshness: 'Stale'})};
    await discovery.refresh();
    expect(discovery.resourceMap.all().length).toBe(4);
  });

  it('keeps all groups while only the core answers', async () => {
    documents = {'/api': core, '/apis': groups(healthy)};
    await discovery.refresh();
    documents['/apis'] = 503;
    await discovery.refresh();
    expect(discovery.resourceMap.all().length).toBe(5);
    expect(discovery.failures).toEqual(['/apis']);
  });

  it('rejects when nothing answers, and keeps what it had', async () => {
    documents = {'/api': core, '/apis': groups(healthy)};
    await discovery.refresh();
    documents = {};
    await expect(discovery.refresh()).rejects.toMatchObject({status: 404});
    expect(discovery.resourceMap.all().length).toBe(5);
  });

  it('tells of changes, and only of changes', async () => {
    let changes = 0;
    documents = {'/api': core, '/apis': groups(healthy)};
    const unsubscribe = discovery.subscribe(() => {
      changes += 1;
    });
    await discovery.refresh();
    await discovery.refresh();
    expect(changes).toBe(1);
    documents['/apis'] = aggregated();
    await discovery.refresh();
    expect([changes, discovery.resourceMap.find('PodMetrics')]).toEqual([2, []]);
    unsubscribe();
  });

  it('shares one following read among calls that come during a read', async () => {
    documents = {'/api': core, '/apis': groups(healthy)};
    await Promise.all([discovery.refresh(), discovery.refresh(), discovery.refresh()]);
    expect(server.requests.length).toBe(4);
  });

  it('reads an older server group by group, around one that is broken', async () => {
    documents = {
      '/api': {kind: 'APIVersions', versions: ['v1']},
      '/api/v1': {
        kind: 'APIResourceList',
        resources: [
          {name: 'pods', kind: 'Pod', namespaced: true},
          {name: 'pods/eviction', kind: 'Eviction', namespaced: true},
        ],
      },
      '/apis': {
        kind: 'APIGroupList',
        groups: [
          {name: 'apps', versions: [{version: 'v1beta1'}, {version: 'v1'}], preferredVersion: {version: 'v1'}},
          {name: 'broken.io', versions: [{version: 'v1'}]},
        ],
      },
      '/apis/apps/v1': {
        kind: 'APIResourceList',
        resources: [{name: 'deployments', kind: 'Deployment', namespaced: true}],
      },
      '/apis/apps/v1beta1': {
        kind: 'APIResourceList',
        resources: [{name: 'deployments', kind: 'Deployment', namespaced: true}],
      },
      '/apis/broken.io/v1': 503,
    };
    await discovery.refresh();
    expect(discovery.resourceMap.find('Deployment').map(({version}) => version)).toEqual(['v1', 'v1beta1']);
    expect(discovery.resourceMap.kindOf({group: '', version: 'v1', resource: 'pods'})?.subResources).toEqual([
      'eviction',
    ]);
    expect(discovery.failures).toEqual(['broken.io/v1']);
  });
});
