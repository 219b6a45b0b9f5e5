import {Agent as HttpAgent, type IncomingHttpHeaders, type IncomingMessage, request as httpRequest} from 'node:http';
import {Agent as HttpsAgent, request as httpsRequest} from 'node:https';
import {isIP, type LookupFunction} from 'node:net';
import {rootCertificates} from 'node:tls';
import {bareHost, codeOf, parseUrl, placeOf, readBytes} from '../../http/pinned-request.js';
import type {EndpointGuard} from './endpoint-guard.js';
import {isLoopback} from './hosts.js';
import {openTunnel, type ProxyChoice, proxyCredentials} from './proxy.js';
import {RegistryError} from './registry-error.js';

export interface Call {
  readonly url: URL;
  readonly method: 'GET' | 'HEAD' | 'POST';
  /** Names in lower case. `authorization` stays behind when a redirect leads to another origin. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  /** Bytes of an answer. */
  readonly maxBytes: number;
  /** Certificates are not proven, redirects may lead to plain HTTP, and a loopback host of the first URL is open. */
  readonly insecure: boolean;
  readonly signal: AbortSignal;
}

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/**
 * One exchange, redirects followed (5 at most), whatever its status. Every address is judged before a connection is made
 * to it; connections are kept for the next call. Rejects with a `RegistryError`.
 */
export type Transport = (call: Call) => Promise<Answer>;

export interface TransportOptions {
  readonly guard: EndpointGuard;
  /** PEM; beside the system's authorities. */
  readonly caBundle?: string | undefined;
  readonly proxy?: ProxyChoice | undefined;
  readonly userAgent: string;
}

const maxRedirects = 5;
const redirects = new Set([301, 302, 303, 307, 308]);

export function createTransport({guard, caBundle, proxy = () => undefined, userAgent}: TransportOptions): Transport {
  const ca = caBundle === undefined ? undefined : [...rootCertificates, caBundle];
  const pooling = {keepAlive: true, maxFreeSockets: 16, timeout: 60_000};
  const agents = {
    plain: new HttpAgent(pooling),
    secure: new HttpsAgent({...pooling, minVersion: 'TLSv1.2', ...(ca && {ca})}),
    unproven: new HttpsAgent({...pooling, minVersion: 'TLSv1.2', rejectUnauthorized: false}),
  };

  /** Answers Node's look-up of a new connection with judged addresses only. */
  const judged =
    (openLoopback: boolean): LookupFunction =>
    (host, options, callback) => {
      guard.addressesOf(host, {openLoopback}).then(
        addresses => {
          const wanted = addresses
            .map(address => ({address, family: isIP(address)}))
            .filter(({family}) => !options.family || family === Number(String(options.family).replace('IPv', '')));
          const [first] = wanted;
          if (first === undefined) callback(new RegistryError(`${host}: the host name has no address`, 'unreachable'), '');
          else if (options.all) callback(null, wanted);
          else callback(null, first.address, first.family);
        },
        (error: NodeJS.ErrnoException) => callback(error, ''),
      );
    };

  async function connect(call: Call, url: URL, openLoopback: boolean): Promise<IncomingMessage> {
    guard.checkUrl(url);
    const host = bareHost(url);
    const secure = url.protocol === 'https:';
    const {method, body, signal, insecure} = call;
    const through = proxy(url);
    // No look-up is made for an address, and none for a connection that was opened where loopback was open.
    if (isIP(host) !== 0 || isLoopback(host)) await guard.addressesOf(host, {openLoopback, signal});
    const headers = {
      'user-agent': userAgent,
      ...call.headers,
      host: url.host,
      ...(body !== undefined && {'content-length': String(Buffer.byteLength(body))}),
    };
    const path = `${url.pathname}${url.search}`;
    const common = {method, headers, signal, path, ...(isIP(host) === 0 && {servername: host})};
    if (through === undefined) {
      const target = {...common, host, port: url.port || (secure ? 443 : 80), lookup: judged(openLoopback)};
      return answerOf(secure ? httpsRequest({...target, agent: insecure ? agents.unproven : agents.secure}) : httpRequest({...target, agent: agents.plain}), body);
    }
    if (secure) {
      const socket = await openTunnel({proxy: through, target: url, tls: {rejectUnauthorized: !insecure, ca}, signal});
      // An agent, even none at all (`false`), would open a connection of its own.
      return answerOf(httpRequest({...common, createConnection: () => socket}), body);
    }
    const relay = {...common, path: url.href, headers: {...headers, ...proxyCredentials(through)}};
    return answerOf(httpRequest({...relay, host: bareHost(through), port: through.port || 80, agent: agents.plain}), body);
  }

  async function follow(call: Call): Promise<Answer> {
    let {url, headers} = call;
    for (let count = 0; ; count += 1) {
      const response = await connect({...call, headers}, url, call.insecure && url.origin === call.url.origin);
      const status = response.statusCode ?? 0;
      const {location} = response.headers;
      if (!redirects.has(status) || location === undefined || call.method === 'POST') {
        const body = call.method === 'HEAD' ? Buffer.alloc(0) : await readBytes(response, call.maxBytes);
        if (call.method === 'HEAD') response.resume();
        if (body !== undefined) return {status, headers: response.headers, body};
        throw new RegistryError(`${placeOf(url)}: the answer exceeds ${call.maxBytes} bytes`, 'malformed');
      }
      response.destroy();
      if (count === maxRedirects) throw new RegistryError(`${placeOf(call.url)}: more than ${maxRedirects} redirects`, 'malformed');
      const next = parseUrl(location, url);
      if (next === undefined) throw new RegistryError(`${placeOf(url)}: redirected to what is no URL`, 'malformed');
      if (next.protocol !== 'https:' && url.protocol === 'https:' && !call.insecure) {
        throw new RegistryError(`${placeOf(url)}: redirected from https to plain http`, 'malformed');
      }
      if (next.origin !== url.origin) {
        const {authorization: _kept, ...rest} = headers;
        headers = rest;
      }
      url = next;
    }
  }

  return async call => {
    try {
      return await follow(call);
    } catch (error) {
      if (error instanceof RegistryError) throw error;
      const why = call.signal.aborted ? 'no answer in time' : codeOf(error);
      throw new RegistryError(`${placeOf(call.url)}: ${why}`, 'unreachable', {cause: error});
    }
  };
}

function answerOf(outgoing: ReturnType<typeof httpRequest>, body: string | undefined): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    outgoing.on('error', reject);
    outgoing.once('response', resolve);
    outgoing.end(body);
  });
}
