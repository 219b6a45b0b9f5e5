import {afterEach, beforeEach, describe, expect, it} from 'vitest';
import type {ContextLoader} from '../../engine/context-loader.js';
import {EvalError} from '../../engine/diagnostic.js';
import {systemClock} from '../clock.js';
import {createNameLookup} from '../http/name-lookup.js';
import {silentLog} from '../log.js';
import {createKubeClient} from './client.js';
import {createKubeContextLoader, type KubeContextLoaderOptions} from './context-loader.js';
import {createObjectStore} from './object-store.js';
import {answer, fail, startTestApiServer, type TestApiServer} from './testing/api-server.js';
import {eventually} from './testing/eventually.js';
import type {KubeClient} from './types.js';

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

function loaderOf(options: Partial<KubeContextLoaderOptions> = {}): ContextLoader {
  const lookup = createNameLookup({resolve: async () => []});
  return createKubeContextLoader({client, namespaces: createObjectStore(), clock: systemClock, lookup, ...options});
}

const load = () => ({deadline: Date.now() + 10_000});
const pods = {group: '', version: 'v1', resource: 'pods'};

async function refusal(ask: () => unknown): Promise<string> {
  try {
    await ask();
  } catch (error) {
    expect(error).toBeInstanceOf(EvalError);
    return (error as EvalError).message;
  }
  throw new Error('nothing was refused');
}

function refuseAll(code: number): void {
  server.intercept = (_request, response) => fail(response, {code, reason: 'secret of the server'});
}

describe('objects for expressions', () => {
  it('are read by name, and are undefined when they do not exist', async () => {
    server.put('api/v1/pods', {apiVersion: 'v1', kind: 'Pod', metadata: {name: 'web', namespace: 'shop'}});
    const query = {...pods, namespace: 'shop', name: 'web'};
    expect(await loaderOf().resourceGet(query, load())).toMatchObject({kind: 'Pod', metadata: {name: 'web'}});
    expect(await loaderOf().resourceGet({...query, name: 'other'}, load())).toBeUndefined();
  });

  it('are asked for at the path of group, namespace and subresource', async () => {
    const paths: string[] = [];
    server.intercept = ({path}, response) => {
      paths.push(path);
      answer(response, {});
      return true;
    };
    const loader = loaderOf();
    await loader.resourceGet({...pods, namespace: 'a', name: 'x', subresource: 'log'}, load());
    await loader.resourceGet(
      {group: 'apps', version: 'v1', resource: 'deployments', namespace: 'a', name: 'x'},
      load(),
    );
    await loader.resourceGet({...pods, resource: 'nodes', namespace: '', name: 'n'}, load());
    await loader.resourceList({...pods, namespace: '', labels: []}, load());
    expect(paths).toEqual([
      '/api/v1/namespaces/a/pods/x/log',
      '/apis/apps/v1/namespaces/a/deployments/x',
      '/api/v1/nodes/n',
      '/api/v1/pods',
    ]);
  });

  it('are read once for all who ask at a time, and again later', async () => {
    server.put('api/v1/pods', {apiVersion: 'v1', kind: 'Pod', metadata: {name: 'web', namespace: 'shop'}});
    const loader = loaderOf();
    const query = {...pods, namespace: 'shop', name: 'web'};
    await Promise.all([1, 2, 3].map(() => loader.resourceGet(query, load())));
    expect(server.requests.length).toBe(1);
    await loader.resourceGet(query, load());
    expect(server.requests.length).toBe(2);
  });

  it('are given up at the deadline of who asks, and are there for who waits longer', async () => {
    const held: Array<() => void> = [];
    server.intercept = (_request, response) => {
      held.push(() => answer(response, {kind: 'Pod'}));
      return true;
    };
    const loader = loaderOf();
    const query = {...pods, namespace: 'shop', name: 'web'};
    const patient = loader.resourceGet(query, load());
    expect(await refusal(() => loader.resourceGet(query, {deadline: Date.now() + 30}))).toContain('in the time of');
    await eventually(() => held.length > 0);
    for (const go of held) go();
    expect(await patient).toEqual({kind: 'Pod'});
    expect(held.length).toBe(1);
  });

  it('come from the mirror when they are ConfigMaps that are kept in it', () => {
    const configMaps = createObjectStore();
    const kept = {apiVersion: 'v1', kind: 'ConfigMap', metadata: {name: 'a', namespace: 'shop'}, data: {x: '1'}};
    configMaps.put('shop/a', kept);
    const query = {...pods, resource: 'configmaps', namespace: 'shop', name: 'a'};
    expect(loaderOf({configMaps}).resourceGet(query, load())).toBe(kept);
    expect(server.requests).toEqual([]);
  });

  it('are listed by labels', async () => {
    server.put('api/v1/pods', {metadata: {name: 'web', namespace: 'shop', labels: {app: 'web', tier: 'a'}}});
    server.put('api/v1/pods', {metadata: {name: 'db', namespace: 'shop', labels: {app: 'db', tier: 'a'}}});
    const query = {...pods, namespace: 'shop'};
    const list = await loaderOf().resourceList({...query, labels: [['app', 'web']]}, load());
    expect(list['items']).toMatchObject([{metadata: {name: 'web'}}]);
    const two: ReadonlyArray<readonly [string, string]> = [
      ['app', 'web'],
      ['tier', 'a'],
    ];
    await loaderOf().resourceList({...query, labels: two}, load());
    expect(server.requests[1]?.query.get('labelSelector')).toBe('app=web,tier=a');
  });

  it('are made by a POST to their collection', async () => {
    server.intercept = ({path, method, body}, response) => {
      answer(response, {path, method, echoed: body});
      return true;
    };
    const reviews = {group: 'authorization.k8s.io', version: 'v1', resource: 'subjectaccessreviews', namespace: ''};
    expect(await loaderOf().resourcePost({...reviews, object: {spec: {user: 'a'}}}, load())).toEqual({
      path: '/apis/authorization.k8s.io/v1/subjectaccessreviews',
      method: 'POST',
      echoed: {spec: {user: 'a'}},
    });
  });

  for (const code of [401, 403]) {
    it(`are denied in words of ours (${code})`, async () => {
      refuseAll(code);
      const text = `permission denied: get pods shop/web (HTTP ${code})`;
      expect(await refusal(() => loaderOf().resourceGet({...pods, namespace: 'shop', name: 'web'}, load()))).toBe(text);
    });
  }

  it('are denied by the right that is missing: verb, resource, group and place', async () => {
    refuseAll(403);
    const scale = {group: 'apps', version: 'v1', resource: 'deployments', subresource: 'scale', namespace: 'shop', name: 'web'};
    expect(await refusal(() => loaderOf().resourceGet(scale, load()))).toBe('permission denied: get deployments/scale.apps shop/web (HTTP 403)');
    const lists = {group: 'apps', version: 'v1', resource: 'deployments', labels: []};
    expect(await refusal(() => loaderOf().resourceList({...lists, namespace: 'shop'}, load()))).toBe('permission denied: list deployments.apps in namespace shop (HTTP 403)');
    expect(await refusal(() => loaderOf().resourceList({...lists, namespace: ''}, load()))).toBe('permission denied: list deployments.apps (HTTP 403)');
    expect(await refusal(() => loaderOf().resourcePost({...pods, namespace: 'shop', object: {}}, load()))).toBe('permission denied: create pods in namespace shop (HTTP 403)');
    expect(await refusal(() => loaderOf().configMap('shop', 'a', load()))).toBe('failed to read configmaps shop/a: permission denied: get configmaps shop/a (HTTP 403)');
  });

  it('that cannot be read are an error, and no missing object', async () => {
    refuseAll(500);
    const text = await refusal(() => loaderOf().resourceGet({...pods, namespace: 'shop', name: 'web'}, load()));
    expect(text).toBe('pods shop/web: HTTP 500');
    refuseAll(404);
    expect(await refusal(() => loaderOf().resourceList({...pods, namespace: 'shop', labels: []}, load()))).toBe(
      'pods: HTTP 404',
    );
  });

  for (const name of ['.', '..', 'x/exec', 'x%2Fexec', 'x\\exec', 'a\nb']) {
    it(`are not called ${JSON.stringify(name)}`, async () => {
      const loader = loaderOf();
      expect(await refusal(() => loader.resourceGet({...pods, namespace: 'shop', name}, load()))).toContain('no name');
      expect(await refusal(() => loader.resourceGet({...pods, namespace: name, name: 'x'}, load()))).toContain(
        'no name',
      );
      expect(server.requests).toEqual([]);
    });
  }

  it('no larger than the limit', async () => {
    server.put('api/v1/pods', {metadata: {name: 'web', namespace: 'shop'}, data: 'x'.repeat(5_000)});
    const loader = loaderOf({maxBytes: 1_000});
    expect(await refusal(() => loader.resourceGet({...pods, namespace: 'shop', name: 'web'}, load()))).toContain(
      'TooLarge',
    );
  });
});

it('knows the resource of a kind as far as the cluster tells', () => {
  const deployment = {
    ...{group: 'apps', version: 'v1', kind: 'Deployment', resource: 'deployments'},
    ...{namespaced: true, subResources: []},
  };
  const find = (kind: string) => (kind === 'Deployment' ? [deployment] : []);
  const loader = loaderOf({resources: {find, kindOf: () => undefined, all: () => [deployment]}});
  expect(loader.resourceOfKind('apps/v1', 'Deployment', load())).toEqual({
    group: 'apps',
    version: 'v1',
    resource: 'deployments',
  });
  expect(loader.resourceOfKind('apps/v9', 'Deployment', load())).toBeUndefined();
  expect(loaderOf().resourceOfKind('v1', 'Pod', load())).toBeUndefined();
});

it('gives values of global context entries, and nothing for one that there is not', () => {
  const loader = loaderOf({
    globalContext: {read: (name, projection) => (name === 'a' ? (projection ?? 'whole') : undefined)},
  });
  expect(loader.globalReference('a', undefined, load())).toBe('whole');
  expect(loader.globalReference('a', 'p', load())).toBe('p');
  expect(loader.globalReference('b', undefined, load())).toBeUndefined();
});

it('hands calls of web servers to the caller, or refuses them', async () => {
  const request = {method: 'GET', url: 'https://a/', headers: []} as const;
  expect(await refusal(() => loaderOf().httpCall(request, load()))).toContain('not enabled');
  const loader = loaderOf({http: async ({url}) => ({statusCode: 200, body: url})});
  expect(await loader.httpCall(request, load())).toEqual({statusCode: 200, body: 'https://a/'});
});
