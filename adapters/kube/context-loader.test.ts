import {afterEach, beforeEach, describe, expect, it} from 'vitest';
import type {ContextLoader} from '../../engine/context-loader.js';
import {EvalError} from '../../engine/diagnostic.js';
import type {JsonObject} from '../../engine/json/types.js';
import {systemClock} from '../clock.js';
import {createNameLookup} from '../http/name-lookup.js';
import {silentLog} from '../log.js';
import {createKubeClient} from './client.js';
import {createKubeContextLoader, type KubeContextLoaderOptions} from './context-loader.js';
import {createObjectStore, type ObjectStore} from './object-store.js';
import {answer, fail, startTestApiServer, type TestApiServer} from './testing/api-server.js';
import type {KubeClient} from './types.js';

let server: TestApiServer;
let client: KubeClient;
let namespaces: ObjectStore;
let configMaps: ObjectStore;

beforeEach(async () => {
  server = await startTestApiServer();
  client = createKubeClient({kubeConfig: server.kubeConfig, userAgent: 'kyverno', qps: 0, burst: 0, log: silentLog});
  namespaces = createObjectStore();
  configMaps = createObjectStore();
});

afterEach(async () => {
  client.close();
  await server.close();
});

function loaderOf(options: Partial<KubeContextLoaderOptions> = {}): ContextLoader {
  const lookup = createNameLookup({
    resolve: name =>
      name === 'known'
        ? Promise.resolve(['10.0.0.1'])
        : Promise.reject(Object.assign(new Error('x'), {code: 'ENOTFOUND'})),
  });
  return createKubeContextLoader({client, namespaces, configMaps, clock: systemClock, lookup, ...options});
}

const load = () => ({deadline: Date.now() + 10_000});

async function refusal(result: unknown): Promise<string> {
  const error = await Promise.resolve(result).then(
    () => undefined,
    reason => reason as unknown,
  );
  expect(error).toBeInstanceOf(EvalError);
  return (error as EvalError).message;
}

function refuseAll(code: number): void {
  server.intercept = (_request, response) => {
    fail(response, {code, reason: 'Secret stuff'});
    return true;
  };
}

describe('context loader in a cluster', () => {
  it('answers labels from the mirror without waiting', () => {
    namespaces.put('shop', {metadata: {name: 'shop', labels: {team: 'a'}}});
    const loader = loaderOf();
    const first = loader.namespaceLabels('shop', load());
    expect(first).toEqual({team: 'a'});
    expect(loader.namespaceLabels('shop', load())).toBe(first);
    expect(server.requests).toEqual([]);
  });

  it('reads a namespace that is not mirrored yet, once for all who ask', async () => {
    server.put('api/v1/namespaces', {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: {name: 'new', labels: {team: 'b'}},
    });
    const loader = loaderOf();
    const answers = await Promise.all([1, 2, 3].map(() => loader.namespaceLabels('new', load())));
    expect(answers).toEqual([{team: 'b'}, {team: 'b'}, {team: 'b'}]);
    expect(server.requests.length).toBe(1);
  });

  it('has no labels only for a namespace that does not exist', async () => {
    expect(await loaderOf().namespaceLabels('missing', load())).toBeUndefined();
  });

  for (const code of [401, 403, 500, 503]) {
    it(`rejects when the namespace cannot be read (${code})`, async () => {
      refuseAll(code);
      expect(await refusal(loaderOf().namespaceLabels('shop', load()))).toMatch(/^failed to read namespaces shop: /);
    });
  }

  it('rejects when the API server is away, and reads again later', async () => {
    server.put('api/v1/namespaces', {apiVersion: 'v1', kind: 'Namespace', metadata: {name: 'shop', labels: {}}});
    const loader = loaderOf();
    await server.down();
    await refusal(loader.namespaceLabels('shop', load()));
    await server.up();
    expect(await loader.namespaceLabels('shop', load())).toEqual({});
  });

  it('rejects at the deadline of each caller', async () => {
    server.intercept = () => true;
    const loader = loaderOf({readTimeoutMs: 10_000});
    const short = refusal(loader.namespaceLabels('shop', {deadline: Date.now() + 20}));
    expect(await short).toContain('in the time of its request');
  });

  it('gives data and metadata of ConfigMaps, mirrored or live, and nothing for a missing one', async () => {
    configMaps.put('shop/cached', {metadata: {name: 'cached'}, data: {a: '1'}, binaryData: {b: 'eA=='}});
    server.put('api/v1/configmaps', {metadata: {name: 'live', namespace: 'shop'}, data: {a: '2'}});
    const loader = loaderOf();
    expect(loader.configMap('shop', 'cached', load())).toEqual({metadata: {name: 'cached'}, data: {a: '1'}});
    expect(await loader.configMap('shop', 'live', load())).toMatchObject({data: {a: '2'}, metadata: {name: 'live'}});
    expect(await loader.configMap('shop', 'missing', load())).toBeUndefined();
    refuseAll(500);
    await refusal(loader.configMap('shop', 'live', load()));
  });

  it('calls the API server with path and query taken apart and put together', async () => {
    server.put('api/v1/pods', {metadata: {name: 'web', namespace: 'shop', labels: {app: 'web'}}});
    const result = (await loaderOf().apiCall(
      {urlPath: '/api/v1/namespaces/shop/pods?labelSelector=app%3Dweb', method: 'GET'},
      load(),
    )) as JsonObject;
    expect((result['items'] as JsonObject[]).length).toBe(1);
    expect(server.requests[0]?.query.get('labelSelector')).toBe('app=web');
  });

  it('posts the data of a call', async () => {
    server.intercept = ({body}, response) => {
      answer(response, {echoed: body});
      return true;
    };
    const urlPath = '/apis/authorization.k8s.io/v1/subjectaccessreviews';
    expect(await loaderOf().apiCall({urlPath, method: 'POST', data: {spec: {user: 'a'}}}, load())).toEqual({
      echoed: {spec: {user: 'a'}},
    });
  });

  it('names path and status of a failed call, not what the server wrote', async () => {
    refuseAll(500);
    expect(await refusal(loaderOf().apiCall({urlPath: '/api/v1/pods', method: 'GET'}, load()))).toBe(
      'failed to GET resource with raw url: /api/v1/pods: HTTP 500',
    );
    refuseAll(403);
    expect(await refusal(loaderOf().apiCall({urlPath: '/api/v1/pods', method: 'GET'}, load()))).toContain(
      'permission denied (HTTP 403)',
    );
  });

  it('refuses a path that climbs', async () => {
    await refusal(loaderOf().apiCall({urlPath: '/api/v1/namespaces/a/../../secrets', method: 'GET'}, load()));
    expect(server.requests).toEqual([]);
  });

  it('reads no more than its limit', async () => {
    server.put('api/v1/pods', {metadata: {name: 'web', namespace: 'shop'}, data: 'x'.repeat(5_000)});
    expect(
      await refusal(loaderOf({maxBytes: 1_000}).apiCall({urlPath: '/api/v1/pods', method: 'GET'}, load())),
    ).toContain('TooLarge');
  });

  it('hands service calls to the caller, or refuses them', async () => {
    const service = {url: 'http://data.svc/', headers: []};
    expect(await refusal(loaderOf().apiCall({service, method: 'GET'}, load()))).toContain('not enabled');
    const loader = loaderOf({services: async ({url}) => ({url})});
    expect(await loader.apiCall({service, method: 'GET'}, load())).toEqual({url: 'http://data.svc/'});
  });

  it('looks up host names', async () => {
    expect(await loaderOf().lookupHost('known', load())).toEqual(['10.0.0.1']);
    expect(await refusal(loaderOf().lookupHost('unknown', load()))).toContain('ENOTFOUND');
  });

  it('says what this release does not have', () => {
    expect(() => loaderOf().globalReference('x', undefined, load())).toThrow('not available here');
    expect(() => loaderOf().imageData('x', load())).toThrow('registries are not asked here');
  });

  it('draws from [0, 1)', () => {
    const loader = loaderOf();
    for (let draw = 0; draw < 1_000; draw += 1) {
      const value = loader.random();
      expect(value >= 0 && value < 1).toBe(true);
    }
  });
});
