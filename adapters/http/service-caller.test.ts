import {createServer, type IncomingMessage, type Server, type ServerResponse} from 'node:http';
import type {AddressInfo} from 'node:net';
import {afterEach, beforeEach, describe, expect, it} from 'vitest';
import {EvalError} from '../../engine/diagnostic.js';
import {systemClock} from '../clock.js';
import {createNameLookup} from './name-lookup.js';
import {createServiceCaller, type ServiceCallerOptions, type ServiceRequest} from './service-caller.js';

let server: Server;
let port: number;
let seen: Array<{url: string | undefined; headers: IncomingMessage['headers']; body: string}>;
let respond: (response: ServerResponse) => void;

beforeEach(async () => {
  seen = [];
  respond = response => response.end('{"ok":true}');
  server = createServer((request, response) => {
    let body = '';
    request.on('data', chunk => {
      body += chunk;
    });
    request.on('end', () => {
      seen.push({url: request.url, headers: request.headers, body});
      respond(response);
    });
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  port = (server.address() as AddressInfo).port;
});

afterEach(async () => {
  server.closeAllConnections();
  await new Promise(resolve => server.close(resolve));
});

function call(request: Partial<ServiceRequest> = {}, options: Partial<ServiceCallerOptions> = {}) {
  const lookup = createNameLookup({resolve: async name => (name === 'data.shop.svc' ? ['127.0.0.1'] : [])});
  const caller = createServiceCaller({clock: systemClock, lookup, allow: ['127.0.0.1'], ...options});
  return caller(
    {url: `http://data.shop.svc:${port}/v1?q=1`, method: 'GET', headers: [], ...request},
    Date.now() + 10_000,
  );
}

async function refusal(result: Promise<unknown>): Promise<string> {
  const error = await result.then(
    () => undefined,
    reason => reason as unknown,
  );
  expect(error).toBeInstanceOf(EvalError);
  return (error as EvalError).message;
}

describe('service caller', () => {
  it('calls the resolved address with the host name as Host, and no credentials', async () => {
    expect(await call()).toEqual({ok: true});
    expect(seen[0]?.url).toBe('/v1?q=1');
    expect(seen[0]?.headers.host).toBe(`data.shop.svc:${port}`);
    expect(seen[0]?.headers.authorization).toBeUndefined();
  });

  it('posts data as JSON with the headers given', async () => {
    await call({method: 'POST', data: {a: 9007199254740993n}, headers: [['X-Team', 'shop']]});
    expect(seen[0]?.body).toBe('{"a":9007199254740993}');
    expect(seen[0]?.headers).toMatchObject({'content-type': 'application/json', 'x-team': 'shop'});
  });

  for (const url of ['ftp://data.shop.svc/', 'file:///etc/passwd', 'http://user:pass@data.shop.svc/', 'not a url']) {
    it(`refuses ${url}`, async () => {
      await refusal(call({url}));
      expect(seen).toEqual([]);
    });
  }

  for (const host of ['127.0.0.1', '0x7f.1', '2130706433', '[::1]', '[::ffff:127.0.0.1]', 'data.shop.svc']) {
    it(`refuses ${host} unless its address is allowed`, async () => {
      expect(await refusal(call({url: `http://${host}:${port}/`}, {allow: ['data.shop.svc']}))).toContain(
        'not allowed',
      );
      expect(seen).toEqual([]);
    });
  }

  it('calls only URLs that are allowed, where any is, and reaches private addresses by them', async () => {
    const allow = ['127.0.0.1', `http://data.shop.svc:${port}/v1`];
    expect(await call({}, {allow})).toEqual({ok: true});
    expect(await refusal(call({url: `http://data.shop.svc:${port}/v2`}, {allow}))).toContain('no matching allowlist entry');
    const lookup = createNameLookup({resolve: async () => ['10.255.255.1']});
    const timeoutMs = 50;
    expect(await refusal(call({}, {allow: [`http://data.shop.svc:${port}/`], lookup, timeoutMs}))).not.toContain('not allowed');
  });

  it('refuses a name of which one address is not allowed', async () => {
    const lookup = createNameLookup({resolve: async () => ['127.0.0.1', '169.254.169.254']});
    expect(await refusal(call({}, {lookup}))).toContain('not allowed');
  });

  it('resolves a name once and goes where that look-up said', async () => {
    let lookups = 0;
    const lookup = createNameLookup({
      resolve: async () => {
        lookups += 1;
        return lookups === 1 ? ['127.0.0.1'] : ['127.0.0.2'];
      },
    });
    await call({}, {lookup});
    expect([lookups, seen.length]).toEqual([1, 1]);
  });

  it('does not follow redirects', async () => {
    respond = response => {
      response.writeHead(302, {location: `http://127.0.0.1:${port}/secret`});
      response.end();
    };
    expect(await refusal(call())).toContain('HTTP 302; redirects are not followed');
    expect(seen.length).toBe(1);
  });

  it('repeats no part of an answer in its errors', async () => {
    respond = response => {
      response.writeHead(500);
      response.end('"s3cret"');
    };
    expect(await refusal(call())).toBe(`service call to http://data.shop.svc:${port}/v1 failed: HTTP 500`);
    respond = response => response.end('s3cret');
    expect(await refusal(call())).toBe(`service call to http://data.shop.svc:${port}/v1 failed: the answer is no JSON`);
  });

  it('reads no more than its limit', async () => {
    respond = response => response.end(JSON.stringify('x'.repeat(1_000)));
    expect(await refusal(call({}, {maxBytes: 100}))).toContain('exceeds 100 bytes');
  });

  it('ends at its time limit, in the answer and in the look-up', async () => {
    respond = () => undefined;
    expect(await refusal(call({}, {timeoutMs: 30}))).toContain('no answer in time');
    const lookup = createNameLookup({resolve: () => new Promise(() => undefined)});
    expect(await refusal(call({}, {timeoutMs: 30, lookup}))).toContain('no answer in time');
  });

  it('does not begin when no time is left', async () => {
    const lookup = createNameLookup({resolve: async () => ['127.0.0.1']});
    const caller = createServiceCaller({clock: systemClock, lookup, allow: ['127.0.0.1']});
    expect(await refusal(caller({url: `http://127.0.0.1:${port}/`, method: 'GET', headers: []}, 0))).toContain(
      'no time is left',
    );
  });

  for (const [name, value] of [
    ['Host', 'other'],
    ['content-length', '1'],
    ['Transfer-Encoding', 'chunked'],
    ['x', 'a\r\nb: c'],
    ['a b', 'c'],
  ] as const) {
    it(`refuses the header ${JSON.stringify([name, value])}`, async () => {
      expect(await refusal(call({headers: [[name, value]]}))).toContain('cannot be set');
    });
  }

  it('does not speak TLS to who does not', async () => {
    expect(await refusal(call({url: `https://data.shop.svc:${port}/`}))).toContain('failed');
  });
});
