import {afterEach, describe, expect, it} from 'vitest';
import {systemClock} from '../../adapters/clock.js';
import {createHttpCaller, type HttpCallerOptions} from '../../adapters/http/http-caller.js';
import {createNameLookup} from '../../adapters/http/name-lookup.js';
import {createServiceCaller} from '../../adapters/http/service-caller.js';
import {engineOf, judge, policyOf} from '../../engine/testing/engines.js';
import {recordingLoader} from '../../engine/testing/recording-loader.js';
import {requestOf} from '../../engine/testing/requests.js';
import {type HostileServer, startHostileServer} from './support/hostile-server.js';

/** A policy makes the operator call what only the operator can reach. */
const servers: HostileServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map(server => server.close()));
});

async function internal(location?: string): Promise<HostileServer> {
  const server = await startHostileServer((_, response) => {
    if (location !== undefined) response.writeHead(302, {location}).end();
    else response.end('{"secret":"metadata"}');
  });
  servers.push(server);
  return server;
}

/** What a name stands for when it is asked; the second answer is another one. */
const rebinding: string[][] = [];
const names: Readonly<Record<string, readonly string[]>> = {'metadata.evil.example': ['169.254.169.254'], 'loop.evil.example': ['127.0.0.1'], 'six.evil.example': ['::1'], 'mapped.evil.example': ['::ffff:127.0.0.1']};
const lookup = createNameLookup({resolve: async name => (name === 'rebinding.evil.example' ? (rebinding.shift() ?? ['127.0.0.1']) : [...(names[name] ?? [])])});

async function call(url: string, options: Partial<HttpCallerOptions> = {}): Promise<string> {
  const http = createHttpCaller({clock: systemClock, lookup, ...options});
  try {
    return JSON.stringify(await http({method: 'GET', url, headers: []}, systemClock.now() + 10_000));
  } catch (error) {
    return `refused: ${(error as Error).message}`;
  }
}

describe('addresses that are always refused', () => {
  it.each([
    'http://127.0.0.1:PORT/',
    'http://localhost:PORT/',
    'http://[::1]:PORT/',
    'http://[::ffff:127.0.0.1]:PORT/',
    'http://2130706433:PORT/',
    'http://0x7f.1:PORT/',
    'http://0:PORT/',
    'http://loop.evil.example:PORT/',
    'http://six.evil.example:PORT/',
    'http://mapped.evil.example:PORT/',
    'http://metadata.evil.example/latest/meta-data/',
    'http://169.254.169.254/latest/meta-data/',
    'http://[fd00:ec2::254]/latest/meta-data/',
    'http://kubernetes.default.svc/api/v1/secrets',
  ])('%s', async template => {
    const server = await internal();
    const answer = await call(template.replace('PORT', String(server.port)));
    expect(answer).toMatch(/^refused: /);
    expect(answer).not.toContain('metadata"');
    expect(server.requests).toEqual([]);
  });

  it('are refused behind a redirect', async () => {
    const target = await internal();
    const door = await internal(`http://127.0.0.1:${target.port}/`);
    const answer = await call(`http://open.example:${door.port}/`, {lookup: createNameLookup({resolve: async () => ['127.0.0.2']}), allow: ['127.0.0.2']});
    expect(answer).toMatch(/^refused: /);
    expect(door.requests).toHaveLength(1);
    expect(target.requests).toEqual([]);
  });

  it('are judged where the connection goes: a name that stands for something else the next time', async () => {
    const server = await internal();
    rebinding.push(['127.0.0.1'], ['192.0.2.1']);
    expect(await call(`http://rebinding.evil.example:${server.port}/`)).toMatch(/^refused: /);
    expect(server.requests).toEqual([]);
  });

  it('would be reached where an administrator has opened them', async () => {
    const server = await internal();
    expect(await call(`http://127.0.0.1:${server.port}/`, {allow: ['127.0.0.1']})).toContain('metadata');
    expect(server.requests).toHaveLength(1);
  });
});

describe('service calls of classic policies', () => {
  it('keep to the same addresses', async () => {
    const server = await internal();
    const ask = (allow: readonly string[]) => createServiceCaller({clock: systemClock, lookup, allow})({method: 'GET', url: `http://127.0.0.1:${server.port}/`, headers: []}, systemClock.now() + 10_000);
    await expect(ask([])).rejects.toThrow(/refused/);
    expect(server.requests).toEqual([]);
    expect(await ask(['127.0.0.1'])).toEqual({secret: 'metadata'});
  });
});

describe('a namespaced policy', () => {
  const rule = `
- name: ask
  match: {any: [{resources: {kinds: [Pod]}}]}
  context: [{name: found, apiCall: {service: {url: "http://data.shop.svc/x"}}}]
  validate: {message: "{{ found.secret }}", deny: {conditions: {any: [{key: "{{ found.secret }}", operator: Equals, value: s}]}}}`;
  const pod = {apiVersion: 'v1', kind: 'Pod', metadata: {name: 'p', namespace: 'tenant'}, spec: {}};
  const asked = async (namespace: string | undefined, allowServiceCalls: boolean) => {
    const loader = recordingLoader({api: {'http://data.shop.svc/x': {secret: 's'}}});
    const {engine} = engineOf([policyOf('ask', rule, namespace === undefined ? {} : {namespace})], {loader, engine: {allowServiceCalls}});
    const [result] = await judge(engine, requestOf({object: pod}));
    return {status: result?.status, calls: loader.calls.length};
  };

  it('has no network, unless the installation gives it one', async () => {
    expect(await asked('tenant', false)).toEqual({status: 'error', calls: 0});
    expect(await asked('tenant', true)).toMatchObject({status: 'fail'});
    expect(await asked(undefined, false)).toMatchObject({status: 'fail'});
  });
});
