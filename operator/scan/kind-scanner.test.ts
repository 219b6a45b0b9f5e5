import {afterEach, beforeEach, describe, expect, it} from 'vitest';
import {systemClock} from '../../adapters/clock.js';
import {createKubeClient} from '../../adapters/kube/client.js';
import {fail, startTestApiServer, type TestApiServer} from '../../adapters/kube/testing/api-server.js';
import {eventually, turns} from '../../adapters/kube/testing/eventually.js';
import type {KubeClient} from '../../adapters/kube/types.js';
import {silentLogger} from '../../adapters/log/logger.js';
import {builtinResourceMap} from '../../engine/builtin-resources.js';
import {type JsonObject, ownPath} from '../../engine/json/types.js';
import {createKindScanner, type KindScanner} from './kind-scanner.js';
import {createPacer} from './pacer.js';
import {createTurns} from './turns.js';

const collection = 'api/v1/pods';
const kind = builtinResourceMap.find('Pod')[0]!;
let server: TestApiServer;
let client: KubeClient;
let scanner: KindScanner;
let judged: string[];
let problems: Array<string | undefined>;

beforeEach(async () => {
  server = await startTestApiServer();
  client = createKubeClient({kubeConfig: server.kubeConfig, userAgent: 'kyverno', qps: 0, burst: 0, log: silentLogger});
  judged = [];
  problems = [];
});

afterEach(async () => {
  await scanner.stop();
  client.close();
  await server.close();
});

function start(judge: (object: JsonObject) => Promise<void> = async () => undefined): void {
  scanner = createKindScanner({
    client,
    clock: systemClock,
    log: silentLogger,
    kind,
    pacer: createPacer(systemClock),
    turns: createTurns(1),
    async judge(object) {
      judged.push(`${ownPath(object, 'metadata', 'name')} ${ownPath(object, 'metadata', 'labels', 'v')}`);
      await judge(object);
    },
    onPass: ({problem}) => problems.push(problem),
  });
}

function put(name: string, v: string, namespace = 'shop'): void {
  server.put(collection, {apiVersion: 'v1', kind: 'Pod', metadata: {name, namespace, uid: `uid-${name}`, labels: {v}}});
}

const reads = () => server.requests.filter(({method, path}) => method === 'GET' && path.startsWith('/api/v1/pods') && !path.includes('watch')).length;

describe('the scan of a kind', () => {
  it('goes on where its pages have expired, and looks at nothing twice', async () => {
    for (let index = 0; index < 60; index += 1) put(`pod-${index}`, '1');
    let expired = 0;
    server.intercept = ({path, query}, response) => {
      const token = query.get('continue');
      if (path !== '/api/v1/pods' || token === null || expired > 0) return false;
      expired += 1;
      const status = {kind: 'Status', apiVersion: 'v1', status: 'Failure', reason: 'Expired', code: 410, message: 'the provided continue parameter is too old', metadata: {continue: token}};
      response.writeHead(410, {'content-type': 'application/json'}).end(JSON.stringify(status));
      return true;
    };
    start();
    await eventually(() => problems.length === 1);
    expect([problems, judged.length, new Set(judged).size, expired]).toEqual([[undefined], 60, 60, 1]);
    await eventually(() => server.watchers === 1);
  });

  it('reads each object once, whatever their number, and then what changes', async () => {
    for (let index = 0; index < 60; index += 1) put(`pod-${index}`, '1');
    start();
    await eventually(() => problems.length === 1);
    expect(new Set(judged).size).toBe(60);
    expect(judged.length).toBe(60);
    await eventually(() => server.watchers === 1);
    const before = reads();
    put('pod-7', '2');
    put('pod-7', '3');
    await eventually(() => judged.length === 61);
    expect(judged.at(-1)).toBe('pod-7 3');
    expect(reads()).toBe(before);
  });

  it('misses nothing that changes while a pass goes on', async () => {
    put('a', '1');
    put('b', '1');
    let changed = false;
    start(async () => {
      if (changed) return;
      changed = true;
      put('a', '2');
    });
    await eventually(() => judged.includes('a 2'));
    expect(judged).toEqual(['a 1', 'b 1', 'a 2']);
  });

  it('looks at all again when the server has forgotten where it was', async () => {
    put('a', '1');
    put('b', '1');
    start();
    await eventually(() => server.watchers === 1);
    server.freezeWatches();
    put('a', '2');
    put('b', '2');
    server.compact();
    server.endWatches('expired');
    await eventually(() => judged.includes('a 2') && judged.includes('b 2'));
  });

  it('says what is forbidden, and goes on once it may', async () => {
    put('a', '1');
    server.intercept = (request, response) => request.path.startsWith('/api/v1/pods') && fail(response, {code: 403, reason: 'Forbidden'});
    start();
    await eventually(() => problems.length > 0);
    expect(problems[0]).toBeTypeOf('string');
    expect(judged).toEqual([]);
    server.intercept = undefined;
    scanner.pass();
    await eventually(() => judged.length === 1);
    expect(problems.at(-1)).toBeUndefined();
  });

  it('looks at one namespace when only that has changed', async () => {
    put('a', '1');
    put('b', '1', 'yard');
    start();
    await eventually(() => server.watchers === 1);
    scanner.passIn('yard');
    await eventually(() => judged.length === 3);
    expect(judged).toEqual(['a 1', 'b 1', 'b 1']);
  });

  it('outlives the server', async () => {
    put('a', '1');
    start();
    await eventually(() => server.watchers === 1);
    await server.down();
    await turns(20);
    await server.up();
    put('a', '2');
    await eventually(() => judged.includes('a 2'));
  });
});
