import {mkdtemp, writeFile} from 'node:fs/promises';
import {createServer} from 'node:http';
import type {AddressInfo} from 'node:net';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterEach, beforeEach, describe, expect, it} from 'vitest';
import {createManualClock} from '../clock/manual-clock.js';
import {type Clock, systemClock} from '../clock.js';
import {silentLog} from '../log.js';
import {createKubeClient} from './client.js';
import {createCredentials} from './credentials.js';
import {KubeError} from './kube-error.js';
import {answer, fail, kubeConfigFor, startTestApiServer, type TestApiServer} from './testing/api-server.js';
import {turns} from './testing/eventually.js';
import type {KubeClient} from './types.js';

let server: TestApiServer;
let client: KubeClient;
const pods = {group: '', version: 'v1', resource: 'pods'} as const;

function clientFor(kubeConfig = server.kubeConfig, options: {maxBytes?: number; timeoutMs?: number; clock?: Clock} = {}): KubeClient {
  return createKubeClient({kubeConfig, userAgent: 'kyverno', qps: 0, burst: 0, log: silentLog, ...options});
}

function pod(name: string, namespace = 'shop') {
  return {apiVersion: 'v1', kind: 'Pod', metadata: {name, namespace}};
}

beforeEach(async () => {
  server = await startTestApiServer();
  client = clientFor();
});

afterEach(async () => {
  client.close();
  await server.close();
});

async function errorOf(promise: Promise<unknown>): Promise<KubeError> {
  const error = await promise.then(
    () => undefined,
    reason => reason as unknown,
  );
  expect(error).toBeInstanceOf(KubeError);
  return error as KubeError;
}

describe('kube client', () => {
  it('reads an object with its numbers kept exact', async () => {
    server.put('api/v1/pods', {...pod('a'), spec: {big: 9007199254740993n}});
    const found = await client.get({...pods, namespace: 'shop', name: 'a'});
    expect(found['spec']).toEqual({big: 9007199254740993n});
    expect(server.requests.at(-1)?.headers['user-agent']).toBe('kyverno');
  });

  it('follows pages until the last and fills in what list items lack', async () => {
    for (let index = 0; index < 7; index += 1)
      server.put('api/v1/pods', {metadata: {name: `p${index}`, namespace: 'shop'}});
    const list = await client.list(pods, {limit: 3});
    expect(list.items.map(item => (item['metadata'] as {name: string}).name)).toEqual([
      'p0',
      'p1',
      'p2',
      'p3',
      'p4',
      'p5',
      'p6',
    ]);
    expect(server.requests.length).toBe(3);
    expect(list.resourceVersion).toBe('107');
  });

  it('percent-encodes what users may choose', async () => {
    await errorOf(client.get({...pods, namespace: 'shop/../kube-system', name: 'a b'}));
    expect(server.requests.at(-1)?.path).toBe('/api/v1/namespaces/shop%2F..%2Fkube-system/pods/a%20b');
  });

  it('refuses to address an object without a name', async () => {
    await expect(client.delete({...pods, namespace: 'shop', name: ''})).rejects.toThrow('without a name');
  });

  for (const [type, contentType] of [
    ['merge', 'application/merge-patch+json'],
    ['apply', 'application/apply-patch+yaml'],
    ['json', 'application/json-patch+json'],
    ['strategic', 'application/strategic-merge-patch+json'],
  ] as const) {
    it(`sends a ${type} patch as ${contentType}`, async () => {
      server.put('api/v1/pods', pod('a'));
      server.intercept = (_request, response) => {
        answer(response, pod('a'));
        return true;
      };
      await client.patch({...pods, namespace: 'shop', name: 'a'}, {}, {type, fieldManager: 'kyverno', force: true});
      const seen = server.requests.at(-1);
      expect(seen?.headers['content-type']).toBe(contentType);
      expect(seen?.query.get('fieldManager')).toBe('kyverno');
    });
  }

  it('tells status, reason and message of a refusal', async () => {
    const error = await errorOf(client.get({...pods, namespace: 'shop', name: 'missing'}));
    expect({status: error.status, reason: error.reason}).toEqual({status: 404, reason: 'NotFound'});
    expect(error.message).toContain('says the test');
  });

  it('tries again when the server asks to wait', async () => {
    server.put('api/v1/pods', pod('a'));
    let refusals = 0;
    server.intercept = (_request, response) => {
      if (refusals === 2) return false;
      refusals += 1;
      response.setHeader('retry-after', '0');
      fail(response, {code: 429, reason: 'TooManyRequests'});
      return true;
    };
    await client.get({...pods, namespace: 'shop', name: 'a'});
    expect(server.requests.length).toBe(3);
  });

  it('gives up at once when the wait would outlast the call', async () => {
    server.intercept = (_request, response) => {
      response.setHeader('retry-after', '3600');
      fail(response, {code: 429, reason: 'TooManyRequests'});
      return true;
    };
    const error = await errorOf(client.get({...pods, namespace: 'shop', name: 'a'}));
    expect({status: error.status, retryAfter: error.retryAfter}).toEqual({status: 429, retryAfter: 3_600_000});
    expect(server.requests.length).toBe(1);
  });

  it('ends a call at its deadline', async () => {
    server.intercept = () => true;
    const error = await errorOf(client.get({...pods, namespace: 'shop', name: 'a'}, {timeoutMs: 30}));
    expect(error.reason).toBe('Timeout');
  });

  it('ends a call when its signal is aborted', async () => {
    const controller = new AbortController();
    server.intercept = () => {
      controller.abort();
      return true;
    };
    const error = await errorOf(client.get({...pods, namespace: 'shop', name: 'a'}, {signal: controller.signal}));
    expect(error.reason).toBe('Aborted');
  });

  it('refuses an answer beyond its size limit', async () => {
    server.put('api/v1/pods', {...pod('a'), data: 'x'.repeat(5000)});
    const error = await errorOf(client.get({...pods, namespace: 'shop', name: 'a'}, {maxBytes: 1000}));
    expect(error.reason).toBe('TooLarge');
  });

  it('says that an answer is no JSON', async () => {
    server.intercept = (_request, response) => {
      response.writeHead(200, {'content-type': 'application/json'});
      response.end('{"a":');
      return true;
    };
    expect((await errorOf(client.get({...pods, name: 'a'}))).reason).toBe('Malformed');
  });

  it('says that a connection broke off in the middle of an answer', async () => {
    server.intercept = (_request, response) => {
      response.writeHead(200, {'content-type': 'application/json', 'content-length': '100'});
      response.write('{"a":', () => response.destroy());
      return true;
    };
    expect((await errorOf(client.get({...pods, name: 'a'}))).reason).toBe('Network');
  });

  it('does not follow a redirect, nor show its token to where it points', async () => {
    const seen: Array<string | undefined> = [];
    const other = createServer((request, response) => {
      seen.push(request.headers.authorization);
      response.end('{}');
    });
    await new Promise<void>(resolve => other.listen(0, '127.0.0.1', resolve));
    server.intercept = (_request, response) => {
      response.writeHead(307, {location: `http://127.0.0.1:${(other.address() as AddressInfo).port}/`});
      response.end();
      return true;
    };
    const withToken = clientFor(kubeConfigFor(server.url, {token: 'secret'}));
    const error = await errorOf(withToken.get({...pods, name: 'a'}));
    expect({status: error.status, reason: error.reason}).toEqual({status: 307, reason: 'Redirect'});
    expect(seen).toEqual([]);
    withToken.close();
    await new Promise(resolve => other.close(resolve));
  });

  it('reads a token file again when it has changed, looking once a second', async () => {
    const clock = createManualClock();
    const file = join(await mkdtemp(join(tmpdir(), 'token-')), 'token');
    await writeFile(file, 'first\n');
    const rotating = clientFor(
      kubeConfigFor(server.url, {authProvider: {name: 'tokenFile', config: {tokenFile: file}}}),
      {clock},
    );
    await errorOf(rotating.get({...pods, name: 'a'}));
    await writeFile(file, 'second, longer\n');
    clock.advance(1_000);
    await errorOf(rotating.get({...pods, name: 'a'}));
    expect(server.requests.map(request => request.headers.authorization)).toEqual([
      'Bearer first',
      'Bearer second, longer',
    ]);
    rotating.close();
  });

  it('asks once more with fresh credentials after a 401', async () => {
    let first = true;
    server.put('api/v1/pods', pod('a'));
    server.intercept = (_request, response) => {
      if (!first) return false;
      first = false;
      fail(response, {code: 401, reason: 'Unauthorized'});
      return true;
    };
    await client.get({...pods, namespace: 'shop', name: 'a'});
    expect(server.requests.length).toBe(2);
  });

  it('does not wait for credentials beyond the deadline of the call, nor for ever for the same attempt', async () => {
    const kubeConfig = kubeConfigFor(server.url);
    const apply = kubeConfig.applyToHTTPSOptions.bind(kubeConfig);
    let stuck = true;
    kubeConfig.applyToHTTPSOptions = options => (stuck ? new Promise(() => undefined) : apply(options));
    const clock = createManualClock();
    const waiting = clientFor(kubeConfig, {clock});
    const call = errorOf(waiting.get({...pods, name: 'a'}, {timeoutMs: 1_000}));
    await turns();
    clock.advance(1_000);
    expect((await call).reason).toBe('Timeout');
    stuck = false;
    clock.advance(30_000);
    expect((await errorOf(waiting.get({...pods, name: 'a'}))).status).toBe(404);
    waiting.close();
  });

  for (const [server, sent] of [
    ['http://192.0.2.1:8001', undefined],
    ['http://127.0.0.1:8001', 'Bearer secret'],
    ['https://192.0.2.1', 'Bearer secret'],
  ] as const) {
    it(`${sent === undefined ? 'keeps a token from' : 'has a token for'} ${server}`, async () => {
      const credentials = createCredentials(kubeConfigFor(server, {token: 'secret'}), systemClock);
      const {headers} = await credentials.current();
      expect(headers['authorization']).toBe(sent);
      credentials.close();
    });
  }

  it('reports a server that is not there', async () => {
    await server.down();
    expect((await errorOf(client.get({...pods, name: 'a'}))).reason).toBe('Network');
    await server.up();
    expect((await errorOf(client.get({...pods, name: 'a'}))).status).toBe(404);
  });
});
