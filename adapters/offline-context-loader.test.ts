import {describe, expect, it} from 'vitest';
import type {ApiCallRequest} from '../engine/context-loader.js';
import {type JsonObject, ownPath} from '../engine/json/types.js';
import type {KindInfo, ResourceMap} from '../engine/resource-map.js';
import {createOfflineContextLoader, type OfflineContextLoaderOptions} from './offline-context-loader.js';

const kinds: readonly KindInfo[] = [
  {group: '', version: 'v1', kind: 'Pod', resource: 'pods', namespaced: true, subResources: []},
  {group: '', version: 'v1', kind: 'ConfigMap', resource: 'configmaps', namespaced: true, subResources: []},
  {group: '', version: 'v1', kind: 'Namespace', resource: 'namespaces', namespaced: false, subResources: []},
  {group: 'apps', version: 'v1', kind: 'Deployment', resource: 'deployments', namespaced: true, subResources: []},
];

const resourceMap: ResourceMap = {
  kindOf: ({group, version, resource}) =>
    kinds.find(kind => kind.group === group && kind.version === version && kind.resource === resource),
  find: name => kinds.filter(({kind}) => kind === name),
  all: () => kinds,
};

const load = {deadline: Number.POSITIVE_INFINITY};

function loaderOf(options: Partial<OfflineContextLoaderOptions> = {}) {
  return createOfflineContextLoader({
    resources: [
      {apiVersion: 'v1', kind: 'Namespace', metadata: {name: 'shop', labels: {team: 'a'}}},
      {apiVersion: 'v1', kind: 'ConfigMap', metadata: {name: 'settings', namespace: 'shop'}, data: {a: '1'}},
      {apiVersion: 'v1', kind: 'ConfigMap', metadata: {name: 'homeless'}, data: {a: '2'}},
      {apiVersion: 'v1', kind: 'Pod', metadata: {name: 'web', namespace: 'shop'}},
      {apiVersion: 'v1', kind: 'Pod', metadata: {name: 'db', namespace: 'other'}},
      {apiVersion: 'apps/v1', kind: 'Deployment', metadata: {name: 'web', namespace: 'shop'}},
    ],
    resourceMap,
    now: () => 0,
    ...options,
  });
}

async function get(urlPath: string, more: Partial<ApiCallRequest> = {}) {
  return loaderOf().apiCall({urlPath, method: 'GET', ...more}, load);
}

describe('context loader without a cluster', () => {
  it('knows labels of given namespaces as the API server would have them', () => {
    expect(loaderOf().namespaceLabels('shop', load)).toEqual({team: 'a', 'kubernetes.io/metadata.name': 'shop'});
    expect(loaderOf().namespaceLabels('unknown', load)).toBeUndefined();
  });

  it('knows given ConfigMaps; one without a namespace is in default', () => {
    expect(loaderOf().configMap('shop', 'settings', load)).toMatchObject({data: {a: '1'}});
    expect(loaderOf().configMap('default', 'homeless', load)).toMatchObject({data: {a: '2'}});
    expect(loaderOf().configMap('shop', 'missing', load)).toBeUndefined();
  });

  it('keeps of a list what a search keeps', async () => {
    const named = (name: string) => ({labelSelector: 'a=b', keep: (object: JsonObject) => ownPath(object, 'metadata', 'name') === name});
    expect(await get('/api/v1/pods', {search: named('db')})).toMatchObject({items: [{metadata: {name: 'db'}}]});
    const pods = {group: '', version: 'v1', resource: 'pods', namespace: 'shop', labels: []};
    expect(loaderOf().resourceList({...pods, search: named('web')}, load)).toMatchObject({items: [{metadata: {name: 'web'}}]});
    expect(loaderOf().resourceList({...pods, search: named('db')}, load)).toMatchObject({items: []});
    await expect(get('/api/v1/namespaces/shop/pods/none', {search: 'object'})).rejects.toMatchObject({code: 'not-found'});
  });

  it('answers API reads from the given objects', async () => {
    expect(await get('/api/v1/namespaces/shop/pods/web')).toMatchObject({metadata: {name: 'web'}});
    expect(await get('/api/v1/namespaces/shop')).toMatchObject({kind: 'Namespace'});
    expect(await get('/apis/apps/v1/namespaces/shop/deployments')).toMatchObject({
      kind: 'DeploymentList',
      items: [{metadata: {name: 'web'}}],
    });
    expect(await get('/api/v1/pods')).toMatchObject({items: [{metadata: {name: 'web'}}, {metadata: {name: 'db'}}]});
    expect(await get('/api/v1/namespaces')).toMatchObject({items: [{metadata: {name: 'shop'}}]});
  });

  for (const [name, urlPath, method, words] of [
    ['an object that was not given', '/api/v1/namespaces/shop/pods/missing', 'GET', 'HTTP 404'],
    ['a kind that is not known', '/apis/example.com/v1/things', 'GET', 'no known resource'],
    ['a path outside the resources', '/version', 'GET', 'no known resource'],
    ['a selector', '/api/v1/pods?labelSelector=a', 'GET', 'selectors are not available'],
    ['a POST', '/api/v1/pods', 'POST', 'only GET'],
    ['a path that climbs', '/api/v1/../x', 'GET', 'not allowed'],
  ] as const) {
    it(`refuses ${name}`, async () => {
      await expect(get(urlPath, {method})).rejects.toThrow(words);
    });
  }

  it('refuses services and look-ups unless they are given', async () => {
    await expect(get('', {service: {url: 'http://x', headers: []}})).rejects.toThrow('without a cluster');
    expect(() => loaderOf().lookupHost('x', load)).toThrow('without a cluster');
    const loader = loaderOf({services: async () => 1, lookup: async () => ['8.8.8.8'], random: () => 0.5});
    expect(await loader.apiCall({service: {url: 'http://x', headers: []}, method: 'GET'}, load)).toBe(1);
    expect([await loader.lookupHost('x', load), loader.random(), loader.now()]).toEqual([['8.8.8.8'], 0.5, 0]);
  });

  it('takes another set of objects', () => {
    const loader = loaderOf();
    loader.replaceResources([]);
    expect(loader.namespaceLabels('shop', load)).toBeUndefined();
  });
});
