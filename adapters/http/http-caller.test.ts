import {createServer, type IncomingMessage, type Server, type ServerResponse} from 'node:http';
import {createServer as createTlsServer, type ServerOptions, type Server as TlsServer} from 'node:https';
import type {AddressInfo} from 'node:net';
import {afterEach, beforeEach, describe, expect, it} from 'vitest';
import type {HttpRequest} from '../../engine/context-loader.js';
import {EvalError} from '../../engine/diagnostic.js';
import {systemClock} from '../clock.js';
import {issueCa, issueLeaf} from '../tls/index.js';
import {createHttpCaller, type HttpCallerOptions} from './http-caller.js';
import {createNameLookup} from './name-lookup.js';

interface Seen {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

let server: Server;
let port: number;
let seen: Seen[];
let respond: (response: ServerResponse, request: Seen) => void;

beforeEach(async () => {
  seen = [];
  respond = response => response.end('{"ok":true}');
  server = createServer((request, response) => {
    let body = '';
    request.on('data', chunk => {
      body += chunk;
    });
    request.on('end', () => {
      const {method, url, headers} = request;
      const call = {method, url, headers, body};
      seen.push(call);
      respond(response, call);
    });
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  port = (server.address() as AddressInfo).port;
});

afterEach(async () => {
  server.closeAllConnections();
  await new Promise(resolve => server.close(resolve));
});

const names: Record<string, string[]> = {
  'data.shop.svc': ['127.0.0.1'],
  'other.shop.svc': ['127.0.0.1'],
  'inner.shop.svc': ['127.0.0.2'],
  'mixed.shop.svc': ['127.0.0.1', '169.254.169.254'],
  'api.cluster': ['127.0.0.1'],
};
const lookup = createNameLookup({resolve: async name => names[name] ?? []});

function call(
  request: Partial<HttpRequest> = {},
  options: Partial<HttpCallerOptions> = {},
  deadline = Date.now() + 10_000,
) {
  const caller = createHttpCaller({clock: systemClock, lookup, allow: ['127.0.0.1'], ...options});
  return caller({url: `http://data.shop.svc:${port}/v1?q=1`, method: 'GET', headers: [], ...request}, deadline);
}

async function refusal(result: Promise<unknown>): Promise<string> {
  const error = await result.then(
    () => undefined,
    reason => reason as unknown,
  );
  expect(error).toBeInstanceOf(EvalError);
  return (error as EvalError).message;
}

function redirect(location: string, status = 302): (response: ServerResponse) => void {
  return response => {
    response.writeHead(status, {location});
    response.end('secret');
  };
}

describe('answers', () => {
  it('come with their status, whatever it is', async () => {
    expect(await call()).toEqual({statusCode: 200, body: {ok: true}});
    respond = response => {
      response.writeHead(503);
      response.end('[1, 2.0]');
    };
    expect(await call()).toMatchObject({statusCode: 503, body: [1, {value: 2}]});
  });

  for (const body of ['', 'no json', '{"a":', '\xff\xfe']) {
    it(`without JSON have no body: ${JSON.stringify(body)}`, async () => {
      respond = response => response.end(Buffer.from(body, 'latin1'));
      expect(await call()).toEqual({statusCode: 200, body: undefined});
    });
  }

  it('are read up to the limit', async () => {
    respond = response => response.end(JSON.stringify('x'.repeat(1_000)));
    expect(await refusal(call({}, {maxBytes: 100}))).toBe(
      `Get "http://data.shop.svc:${port}/v1": the answer exceeds 100 bytes`,
    );
  });
});

describe('requests', () => {
  it('carry the headers given and no credentials of ours', async () => {
    await call({headers: [['X-Team', 'shop']]});
    expect(seen[0]).toMatchObject({method: 'GET', url: '/v1?q=1'});
    expect(seen[0]?.headers).toMatchObject({host: `data.shop.svc:${port}`, 'x-team': 'shop'});
    expect(seen[0]?.headers.authorization).toBeUndefined();
  });

  it('post any JSON', async () => {
    await call({method: 'POST', body: [1, {a: 9007199254740993n}]});
    expect(seen[0]).toMatchObject({method: 'POST', body: '[1,{"a":9007199254740993}]'});
    expect(seen[0]?.headers['content-type']).toBe('application/json');
  });

  for (const [name, value] of [
    ['Host', 'other'],
    ['Transfer-Encoding', 'chunked'],
    ['x', 'a\r\nb: c'],
    ['__proto__ x', 'a'],
  ] as const) {
    it(`do not carry the header ${JSON.stringify([name, value])}`, async () => {
      expect(await refusal(call({headers: [[name, value]]}))).toContain('cannot be set');
      expect(seen).toEqual([]);
    });
  }

  for (const url of [
    'ftp://data.shop.svc/',
    'file:///etc/passwd',
    'http://user:pass@data.shop.svc/',
    'not a url',
    '',
  ]) {
    it(`do not go to ${url}`, async () => {
      await refusal(call({url}));
      expect(seen).toEqual([]);
    });
  }
});

describe('what is never called', () => {
  for (const host of [
    '127.0.0.1',
    '0x7f.1',
    '2130706433',
    '[::1]',
    '[::ffff:127.0.0.1]',
    'data.shop.svc',
    'localhost',
  ]) {
    it(`loopback as ${host}`, async () => {
      const options = {
        allow: ['data.shop.svc', 'localhost'],
        lookup: createNameLookup({resolve: async () => ['127.0.0.1']}),
      };
      expect(await refusal(call({url: `http://${host}:${port}/`}, options))).toContain('falls in blocked range');
      expect(seen).toEqual([]);
    });
  }

  it('a name of which one address is blocked', async () => {
    expect(await refusal(call({url: `http://mixed.shop.svc:${port}/`}))).toBe(
      `Get "http://mixed.shop.svc:${port}/": connection to mixed.shop.svc blocked: IP 169.254.169.254 falls in blocked range 169.254.0.0/16`,
    );
    expect(seen).toEqual([]);
  });

  it('a name on the block list, and a URL that is not on the list of allowed ones', async () => {
    expect(await refusal(call({}, {block: ['data.shop.svc']}))).toBe(
      `URL "http://data.shop.svc:${port}/v1" is blocked: hostname "data.shop.svc" is on the blocklist`,
    );
    expect(await refusal(call({}, {allow: ['127.0.0.1', 'https://a.example/']}))).toBe(
      `URL "http://data.shop.svc:${port}/v1" is not permitted: no matching allowlist entry`,
    );
    const allow = ['127.0.0.1', `http://data.shop.svc:${port}/v1`];
    expect(await call({}, {allow})).toMatchObject({statusCode: 200});
  });

  for (const [title, url, apiServer] of [
    ['by its address', 'http://127.0.0.1', ['127.0.0.1']],
    ['by another name of its address', 'http://data.shop.svc', ['127.0.0.1']],
    ['by its own name', 'http://api.cluster', ['api.cluster']],
    ['by another name of where its name leads', 'http://data.shop.svc', ['api.cluster']],
    ['as the Service that Pods see', 'http://kubernetes.default.svc.cluster.local', []],
  ] as const) {
    it(`the API server ${title}`, async () => {
      const text = await refusal(call({url: `${url}:${port}/`}, {apiServer, allow: ['127.0.0.0/8']}));
      expect(text).toContain('the API server is not called by its address');
      expect(seen).toEqual([]);
    });
  }

  it('the API server is, where it is allowed by name', async () => {
    const answer = await call(
      {url: `http://api.cluster:${port}/`},
      {apiServer: ['api.cluster'], allow: ['127.0.0.0/8', 'api.cluster']},
    );
    expect(answer.statusCode).toBe(200);
  });
});

describe('redirects', () => {
  it('are followed, the headers with them on the same origin', async () => {
    respond = (response, {url}) => (url === '/v1?q=1' ? redirect('/v2')(response) : response.end('2'));
    expect(await call({headers: [['authorization', 'Bearer x']]})).toEqual({statusCode: 200, body: 2});
    expect(seen.map(({url, headers}) => [url, headers.authorization])).toEqual([
      ['/v1?q=1', 'Bearer x'],
      ['/v2', 'Bearer x'],
    ]);
  });

  it('leave all headers behind on the way to another origin', async () => {
    respond = (response, {url}) =>
      url === '/v1?q=1' ? redirect(`http://other.shop.svc:${port}/v2`)(response) : response.end('2');
    await call({
      headers: [
        ['authorization', 'Bearer x'],
        ['x-api-key', 'y'],
      ],
    });
    expect(seen[1]?.headers).toMatchObject({host: `other.shop.svc:${port}`});
    expect(seen[1]?.headers.authorization).toBeUndefined();
    expect(seen[1]?.headers['x-api-key']).toBeUndefined();
  });

  for (const [status, method, body] of [
    [301, 'GET', ''],
    [302, 'GET', ''],
    [303, 'GET', ''],
    [307, 'POST', '{"a":1}'],
    [308, 'POST', '{"a":1}'],
  ] as const) {
    it(`with ${status} make a POST a ${method}`, async () => {
      respond = (response, {url}) => (url === '/v1?q=1' ? redirect('/v2', status)(response) : response.end('2'));
      await call({method: 'POST', body: {a: 1}});
      expect(seen[1]).toMatchObject({method, url: '/v2', body});
    });
  }

  for (const location of [
    'http://inner.shop.svc/',
    'http://127.0.0.2/',
    'http://169.254.169.254/latest',
    'http://kubernetes.default.svc/',
    'ftp://data.shop.svc/',
    'file:///etc/passwd',
    'http://user:pass@data.shop.svc/',
    'http://[',
  ]) {
    it(`are judged like the first: ${location}`, async () => {
      respond = redirect(location);
      expect(await refusal(call())).not.toContain('secret');
      expect(seen.length).toBe(1);
    });
  }

  it('end after ten', async () => {
    respond = redirect('/v1?q=1');
    expect(await refusal(call())).toContain('stopped after 10 redirects');
    expect(seen.length).toBe(11);
  });

  it('without a place are answers', async () => {
    respond = response => {
      response.writeHead(304);
      response.end();
    };
    expect(await call()).toEqual({statusCode: 304, body: undefined});
  });
});

describe('time', () => {
  it('ends a call in the answer, in redirects and in the look-up', async () => {
    respond = () => undefined;
    expect(await refusal(call({}, {timeoutMs: 30}))).toContain('no answer in time');
    respond = response => setTimeout(() => redirect('/v1?q=1')(response), 20);
    expect(await refusal(call({}, {timeoutMs: 50}))).toContain('no answer in time');
    const never = createNameLookup({resolve: () => new Promise(() => undefined)});
    expect(await refusal(call({}, {timeoutMs: 30, lookup: never}))).toContain('no answer in time');
  });

  it('that is over begins nothing', async () => {
    expect(await refusal(call({}, {}, 0))).toContain('no time is left');
    expect(seen).toEqual([]);
  });
});

it('tells only how a connection failed', async () => {
  server.closeAllConnections();
  await new Promise(resolve => server.close(resolve));
  expect(await refusal(call({url: `http://data.shop.svc:${port}/v1?token=secret`}))).toBe(
    `Get "http://data.shop.svc:${port}/v1": ECONNREFUSED`,
  );
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
});

describe('TLS', () => {
  let secure: TlsServer;

  async function serve(options: ServerOptions, dnsNames: string[]): Promise<{url: string; ca: string}> {
    const now = Date.now();
    const ca = await issueCa({algorithm: 'ECDSA', now, commonName: 'test'});
    const {cert, key} = await issueLeaf({ca, algorithm: 'ECDSA', now, dnsNames, ipAddresses: []});
    secure = createTlsServer({cert, key, ...options}, (_request, response) => response.end('1'));
    await new Promise<void>(resolve => secure.listen(0, '127.0.0.1', resolve));
    return {url: `https://data.shop.svc:${(secure.address() as AddressInfo).port}/`, ca: ca.cert};
  }

  afterEach(() => new Promise(resolve => secure.close(resolve)));

  it('trusts the authorities given, by the name of the host, and no others', async () => {
    const {url, ca} = await serve({}, ['data.shop.svc']);
    const other = await issueCa({algorithm: 'ECDSA', now: Date.now(), commonName: 'other'});
    expect(await call({url, caBundle: ca})).toEqual({statusCode: 200, body: 1});
    expect(await refusal(call({url}))).toContain('UNABLE_TO_VERIFY_LEAF_SIGNATURE');
    expect(await refusal(call({url, caBundle: other.cert}))).toMatch(/UNABLE_TO|SELF_SIGNED|CERT/);
  });

  it('does not take a certificate of another name', async () => {
    const {url, ca} = await serve({}, ['other.shop.svc']);
    expect(await refusal(call({url, caBundle: ca}))).toContain('ERR_TLS_CERT_ALTNAME_INVALID');
  });

  it('speaks nothing older than 1.2', async () => {
    const {url, ca} = await serve({minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT:@SECLEVEL=0'}, [
      'data.shop.svc',
    ]);
    await refusal(call({url, caBundle: ca}));
  });

  it('tells authorities that cannot be read', async () => {
    const {url} = await serve({}, ['data.shop.svc']);
    const caBundle = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n';
    expect(await refusal(call({url, caBundle}))).toMatch(/^Get "https:/);
  });
});
