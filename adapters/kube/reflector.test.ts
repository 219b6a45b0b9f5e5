import {afterEach, beforeEach, describe, expect, it} from 'vitest';
import {type JsonObject, ownPath} from '../../engine/json/types.js';
import {systemClock} from '../clock.js';
import {silentLog} from '../log.js';
import {createKubeClient} from './client.js';
import {createReflector, type Reflector, type ReflectorOptions} from './reflector.js';
import {fail, startTestApiServer, type TestApiServer} from './testing/api-server.js';
import {eventually, turns} from './testing/eventually.js';
import type {KubeClient} from './types.js';

const pods = 'api/v1/pods';
let server: TestApiServer;
let client: KubeClient;
let reflectors: Reflector[] = [];
let changes: string[] = [];
let interruptions: string[] = [];

beforeEach(async () => {
  server = await startTestApiServer();
  client = createKubeClient({kubeConfig: server.kubeConfig, userAgent: 'kyverno', qps: 0, burst: 0, log: silentLog});
  changes = [];
  interruptions = [];
});

afterEach(async () => {
  await Promise.all(reflectors.map(reflector => reflector.stop()));
  reflectors = [];
  client.close();
  await server.close();
});

function pod(name: string, more: JsonObject = {}, metadata: JsonObject = {}): JsonObject {
  return {apiVersion: 'v1', kind: 'Pod', metadata: {name, namespace: 'shop', ...metadata}, ...more};
}

function reflect(options: Partial<ReflectorOptions> = {}): Reflector {
  const reflector = createReflector({
    client,
    collection: {group: '', version: 'v1', resource: 'pods'},
    clock: systemClock,
    log: silentLog,
    retryMs: {first: 2, max: 20},
    metrics: {interrupted: (_kind, cause) => interruptions.push(cause)},
    onChange: (key, object, old) =>
      changes.push(`${object === undefined ? 'gone' : old === undefined ? 'new' : 'changed'} ${key}`),
    ...options,
  });
  reflectors.push(reflector);
  reflector.start();
  return reflector;
}

/** `(uid, version)` per key, as the server has it and as the reflector does. */
function serverSet(): string[] {
  return server.objects(pods).map(describeObject).sort();
}

function storeSet(reflector: Reflector): string[] {
  return [...reflector.store.objects()].map(describeObject).sort();
}

function describeObject(object: JsonObject): string {
  return ['name', 'uid', 'resourceVersion'].map(field => String(ownPath(object, 'metadata', field))).join(' ');
}

async function agree(reflector: Reflector): Promise<void> {
  await eventually(() => storeSet(reflector).join() === serverSet().join());
}

describe('reflector', () => {
  it('lists page by page, then follows changes', async () => {
    for (let index = 0; index < 5; index += 1) server.put(pods, pod(`p${index}`));
    const reflector = reflect({pageSize: 2});
    await reflector.synced;
    expect(storeSet(reflector)).toEqual(serverSet());
    await eventually(() => server.watchers === 1);
    changes = [];
    server.put(pods, pod('p0', {spec: {n: 1}}));
    server.put(pods, pod('new'));
    server.remove(pods, 'shop/p1');
    await agree(reflector);
    expect(changes).toEqual(['changed shop/p0', 'new shop/new', 'gone shop/p1']);
    expect(reflector.resourceVersion).toBe('108');
  });

  it('is not synced before the first list has been read', async () => {
    server.intercept = () => true;
    const reflector = reflect();
    await turns();
    expect({synced: reflector.hasSynced, version: reflector.resourceVersion}).toEqual({synced: false, version: ''});
  });

  it('asks for bookmarks, moves on with them and starts again from there', async () => {
    const reflector = reflect();
    await reflector.synced;
    await eventually(() => server.watchers === 1);
    server.put('api/v1/secrets', pod('elsewhere'));
    server.bookmark();
    await eventually(() => reflector.resourceVersion === '101');
    server.endWatches('clean');
    await eventually(() => server.requests.filter(({query}) => query.has('watch')).length === 2);
    const last = server.requests.at(-1)?.query;
    expect([last?.get('allowWatchBookmarks'), last?.get('resourceVersion')]).toEqual(['true', '101']);
  });

  it('asks for streams of five to ten minutes', async () => {
    reflect({random: () => 0.5});
    await eventually(() => server.watchers === 1);
    expect(server.requests.at(-1)?.query.get('timeoutSeconds')).toBe('450');
  });

  for (const how of ['clean', 'cut', 'expired'] as const) {
    it(`misses nothing when a stream ends (${how})`, async () => {
      server.put(pods, pod('a'));
      server.put(pods, pod('b'));
      const reflector = reflect();
      await eventually(() => server.watchers === 1);
      if (how === 'expired') server.compact();
      server.endWatches(how);
      server.put(pods, pod('c'));
      server.remove(pods, 'shop/a');
      await agree(reflector);
      expect(changes.slice(2).sort()).toEqual(['gone shop/a', 'new shop/c']);
    });
  }

  it('finds deletions and replacements by comparison when the server answers 410', async () => {
    server.put(pods, pod('stays'));
    server.put(pods, pod('goes'));
    server.put(pods, pod('replaced'));
    const reflector = reflect();
    await eventually(() => server.watchers === 1);
    await server.down();
    server.remove(pods, 'shop/goes');
    server.remove(pods, 'shop/replaced');
    server.put(pods, pod('replaced'));
    server.compact();
    changes = [];
    await server.up();
    await agree(reflector);
    expect(changes.sort()).toEqual(['changed shop/replaced', 'gone shop/goes']);
    expect(interruptions).toContain('expired');
  });

  it('replaces a stream that is open and silent, and makes no fuss of it', async () => {
    server.put(pods, pod('a'));
    const lines: string[] = [];
    const loud = (message: string) => void lines.push(message);
    const reflector = reflect({idleMs: 60, log: {...silentLog, error: loud, warn: loud, info: loud}});
    await eventually(() => server.watchers === 1);
    server.freezeWatches();
    server.put(pods, pod('b'));
    await agree(reflector);
    expect(interruptions).toContain('idle');
    expect(lines).toEqual([]);
  });

  it('outlives an API server that is away, and keeps what it has', async () => {
    server.put(pods, pod('a'));
    const reflector = reflect();
    await eventually(() => server.watchers === 1);
    await server.down();
    await eventually(() => interruptions.length > 3);
    expect([...reflector.store.keys()]).toEqual(['shop/a']);
    expect(reflector.lastError).toBeDefined();
    server.put(pods, pod('b'));
    await server.up();
    await agree(reflector);
    expect(reflector.lastError).toBeUndefined();
  });

  for (const code of [401, 403, 429, 500, 503]) {
    it(`keeps trying while the server answers ${code}`, async () => {
      server.put(pods, pod('a'));
      let left = 3;
      server.intercept = (_request, response) => {
        if (left === 0) return false;
        left -= 1;
        response.setHeader('retry-after', '0');
        fail(response, {code, reason: 'Refused'});
        return true;
      };
      const reflector = reflect();
      await reflector.synced;
      await agree(reflector);
    });
  }

  it('lists in one piece after a page token has expired', async () => {
    for (let index = 0; index < 4; index += 1) server.put(pods, pod(`p${index}`));
    server.intercept = ({query}, response) => {
      if (!query.has('continue')) return false;
      fail(response, {code: 410, reason: 'Expired'});
      return true;
    };
    const reflector = reflect({pageSize: 2});
    await reflector.synced;
    expect(reflector.store.size).toBe(4);
  });

  it('starts anew after a line that is no event', async () => {
    server.put(pods, pod('a'));
    let garbled = false;
    server.intercept = ({query}, response) => {
      if (garbled || !query.has('watch')) return false;
      garbled = true;
      response.writeHead(200, {'content-type': 'application/json'});
      response.write('{"type":"ADDED"}\n');
      return true;
    };
    const reflector = reflect();
    await eventually(() => server.watchers === 1);
    server.put(pods, pod('b'));
    await agree(reflector);
  });

  it('keeps no managedFields', async () => {
    server.put(pods, pod('a'));
    const reflector = reflect();
    await reflector.synced;
    expect(ownPath(reflector.store.get('shop/a'), 'metadata', 'managedFields')).toBeUndefined();
  });

  it('stores what the projection keeps and reports no change that it hides', async () => {
    server.put(pods, pod('a', {spec: {big: 'x'}}, {labels: {app: 'web'}}));
    const project = (object: JsonObject): JsonObject => ({labels: ownPath(object, 'metadata', 'labels') ?? {}});
    const reflector = reflect({project});
    await eventually(() => server.watchers === 1);
    server.put(pods, pod('a', {spec: {big: 'y'}}, {labels: {app: 'web'}}));
    server.put(pods, pod('a', {spec: {big: 'y'}}, {labels: {app: 'shop'}}));
    await eventually(() => reflector.resourceVersion === '103');
    expect(reflector.store.get('shop/a')).toEqual({labels: {app: 'shop'}});
    expect(changes).toEqual(['new shop/a', 'changed shop/a']);
  });

  it('finds objects by namespace and by index, through changes', async () => {
    server.put(pods, pod('a', {}, {labels: {app: 'web'}}));
    server.put(pods, pod('b', {}, {labels: {app: 'web'}, namespace: 'other'}));
    const reflector = reflect({indexers: {app: object => [String(ownPath(object, 'metadata', 'labels', 'app'))]}});
    await eventually(() => server.watchers === 1);
    expect(reflector.store.inNamespace('other').length).toBe(1);
    expect(reflector.store.byIndex('app', 'web').length).toBe(2);
    server.put(pods, pod('a', {}, {labels: {app: 'db'}}));
    server.remove(pods, 'other/b');
    await agree(reflector);
    expect(reflector.store.byIndex('app', 'web')).toEqual([]);
    expect(reflector.store.byIndex('app', 'db').length).toBe(1);
    expect(reflector.store.inNamespace('other')).toEqual([]);
    expect(() => reflector.store.byIndex('missing', '')).toThrow('no index');
  });

  it('takes an optional kind that may not be read as empty at first, and keeps what it has later', async () => {
    let forbidden = true;
    server.put(pods, pod('a'));
    server.intercept = (_request, response) => {
      if (forbidden) fail(response, {code: 403, reason: 'Forbidden'});
      return forbidden;
    };
    const reflector = reflect({optional: true});
    await reflector.synced;
    expect([reflector.store.size, reflector.resourceVersion]).toEqual([0, '']);
    forbidden = false;
    await eventually(() => reflector.store.size === 1);
    forbidden = true;
    server.compact();
    server.endWatches('expired');
    await eventually(() => reflector.lastError !== undefined);
    expect(reflector.store.size).toBe(1);
  });

  it('takes an optional kind that is not served as empty, and finds it later', async () => {
    let served = false;
    server.intercept = (_request, response) => {
      if (!served) fail(response, {code: 404, reason: 'NotFound'});
      return !served;
    };
    const reflector = reflect({optional: true});
    await reflector.synced;
    expect(reflector.store.size).toBe(0);
    server.put(pods, pod('a'));
    served = true;
    await agree(reflector);
  });

  it('survives a handler that throws', async () => {
    server.put(pods, pod('a'));
    const reflector = reflect({
      onChange() {
        throw new Error('handler');
      },
    });
    await reflector.synced;
    server.put(pods, pod('b'));
    await agree(reflector);
  });

  it('ends its stream when stopped', async () => {
    const reflector = reflect();
    await eventually(() => server.watchers === 1);
    await reflector.stop();
    await eventually(() => server.watchers === 0);
  });

  for (const seed of [1, 2, 3, 4, 5, 6]) {
    it(`has the server's set after any sequence of faults (seed ${seed})`, async () => {
      const random = seeded(seed);
      const pick = (count: number) => Math.floor(random() * count);
      const reflector = reflect({pageSize: 3, idleMs: 80, random});
      for (let step = 0; step < 60; step += 1) {
        const name = `p${pick(8)}`;
        const fault = pick(14);
        if (fault < 5) server.put(pods, pod(name, {spec: {step}}));
        else if (fault < 8) server.remove(pods, `shop/${name}`);
        else if (fault === 8) server.endWatches('cut');
        else if (fault === 9) server.endWatches('clean');
        else if (fault === 10) server.endWatches('expired');
        else if (fault === 11) server.freezeWatches();
        else if (fault === 12) server.compact();
        else {
          await server.down();
          server.put(pods, pod(name, {spec: {down: step}}));
          await server.up();
        }
        if (pick(3) === 0) await turns(pick(6));
      }
      await agree(reflector);
      expect(storeSet(reflector)).toEqual(serverSet());
    });
  }
});

/** Park–Miller: the same numbers for the same seed. */
function seeded(seed: number): () => number {
  let state = seed * 7919;
  return () => {
    state = (state * 48271) % 2147483647;
    return state / 2147483647;
  };
}
