import {isIP} from 'node:net';
import type {HttpAnswer, HttpRequest} from '../../engine/context-loader.js';
import {EvalError} from '../../engine/diagnostic.js';
import {parseJsonBytes} from '../../engine/json/parse.js';
import {stringifyJson} from '../../engine/json/stringify.js';
import type {Json} from '../../engine/json/types.js';
import type {Clock} from '../clock.js';
import {type EgressRules, embeddedV4} from './address-guard.js';
import {createHttpEgress} from './http-egress.js';
import type {NameLookup} from './name-lookup.js';
import {bareHost, codeOf, lowerHeaders, parseUrl, placeOf, readBytes, sendPinned} from './pinned-request.js';

export interface HttpCallerOptions extends EgressRules {
  readonly clock: Clock;
  readonly lookup: NameLookup;
  /** Host names and addresses of the API server, never called: `10.96.0.1`, `kubernetes.default.svc`. */
  readonly apiServer?: readonly string[] | undefined;
  /** Bytes of an answer; 2 MiB when absent. */
  readonly maxBytes?: number | undefined;
  /** Milliseconds for one call, redirects included; 30 s when absent. */
  readonly timeoutMs?: number | undefined;
}

/**
 * Calls a web server for a policy and resolves with its status and JSON, whatever the status. Each hop's name is resolved
 * once, every address is judged, and the connection goes to a judged one; up to ten redirects. No credentials but those in
 * `headers`, which stay behind when a redirect leads to another origin. Rejects with an EvalError that never repeats what
 * the server said. `deadline` is on the clock's `now()` scale.
 */
export type HttpCaller = (request: HttpRequest, deadline: number) => Promise<HttpAnswer>;

const maxRedirects = 10;
const redirects = new Set([301, 302, 303, 307, 308]);
export const apiServerNames = ['kubernetes', 'kubernetes.default', 'kubernetes.default.svc'];

interface Hop {
  readonly url: URL;
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

export function createHttpCaller(options: HttpCallerOptions): HttpCaller {
  const {clock, lookup, apiServer = [], maxBytes = 2 * 1024 * 1024, timeoutMs = 30_000} = options;
  const egress = createHttpEgress(options);
  const serverNames = new Set([...apiServerNames, ...apiServer].map(name => name.toLowerCase()));
  const namedServers = apiServer.filter(name => isIP(name) === 0);
  const openServer = (options.allow ?? []).some(entry => serverNames.has(entry));

  /** Where the API server is by now. A name that leads nowhere leads nobody to it. */
  async function serverAddresses(signal: AbortSignal): Promise<ReadonlySet<string>> {
    const found = await Promise.all(namedServers.map(name => lookup(name, signal).catch(() => [])));
    return new Set([...apiServer, ...found.flat()]);
  }

  /** An address that may be connected to. */
  async function judge({url, method}: Hop, signal: AbortSignal): Promise<string> {
    const refuse = (why: string): never => {
      throw new EvalError(why, 'egress');
    };
    const call = `${verb(method)} "${placeOf(url)}"`;
    if (url.protocol !== 'http:' && url.protocol !== 'https:') refuse(`${call}: only http and https are allowed`);
    if (url.username !== '' || url.password !== '') refuse(`${call}: credentials in a URL are not allowed`);
    const blocked = egress.checkUrl(url);
    if (blocked !== undefined) refuse(blocked);
    const host = bareHost(url);
    if (!openServer && isServerName(host, serverNames)) refuse(`${call}: the API server is not called by its address`);
    const addresses = isIP(host) ? [host] : await lookup(host, signal);
    const server = openServer ? new Set<string>() : await serverAddresses(signal);
    for (const address of addresses) {
      const why = egress.checkAddress(host, address);
      if (why !== undefined) refuse(`${call}: ${why}`);
      if (server.has(embeddedV4(address) ?? address)) refuse(`${call}: the API server is not called by its address`);
    }
    return addresses[0] ?? refuse(`${call}: the host name has no address`);
  }

  async function follow(request: HttpRequest, signal: AbortSignal): Promise<HttpAnswer> {
    let hop = firstHop(request);
    for (let count = 0; ; count += 1) {
      const address = await judge(hop, signal);
      const response = await sendPinned({...hop, address, caBundle: request.caBundle, signal});
      const status = response.statusCode ?? 0;
      const {location} = response.headers;
      if (!redirects.has(status) || location === undefined) {
        const bytes = await readBytes(response, maxBytes);
        if (bytes !== undefined) return {statusCode: status, body: jsonOf(bytes)};
        throw new EvalError(`${verb(hop.method)} "${placeOf(hop.url)}": the answer exceeds ${maxBytes} bytes`);
      }
      response.destroy();
      if (count === maxRedirects)
        throw new EvalError(`${verb(hop.method)} "${placeOf(hop.url)}": stopped after ${maxRedirects} redirects`);
      hop = nextHop(hop, {status, location});
    }
  }

  return async (request, deadline) => {
    const milliseconds = Math.min(timeoutMs, deadline - clock.now());
    const call = `${verb(request.method)} ${JSON.stringify(shownText(request.url))}`;
    if (milliseconds <= 0) throw new EvalError(`${call}: no time is left`);
    const controller = new AbortController();
    const cancel = clock.schedule(milliseconds, () => controller.abort());
    try {
      return await follow(request, controller.signal);
    } catch (error) {
      if (error instanceof EvalError) throw error;
      throw new EvalError(`${call}: ${controller.signal.aborted ? 'no answer in time' : codeOf(error)}`);
    } finally {
      cancel();
      controller.abort();
    }
  };
}

function firstHop(request: HttpRequest): Hop {
  const url = parseUrl(request.url);
  if (url === undefined) throw new EvalError(`${JSON.stringify(shownText(request.url))} is no URL`);
  const read = lowerHeaders(request.headers);
  if ('refused' in read) {
    throw new EvalError(
      `${verb(request.method)} "${placeOf(url)}": header ${JSON.stringify(read.refused)} cannot be set`,
    );
  }
  return {
    url,
    method: request.method,
    headers: {accept: 'application/json', ...read.headers},
    body: request.body === undefined ? undefined : stringifyJson(request.body),
  };
}

/** As browsers and Go's client do: 307 and 308 repeat the request, the others ask for the new place. */
function nextHop(hop: Hop, {status, location}: {readonly status: number; readonly location: string}): Hop {
  const url = parseUrl(location, hop.url);
  if (url === undefined) throw new EvalError(`${verb(hop.method)} "${placeOf(hop.url)}": redirected to what is no URL`);
  const repeats = status === 307 || status === 308;
  const {'content-type': type, ...others} = hop.headers;
  const kept = url.origin === hop.url.origin ? others : {accept: 'application/json'};
  const body = repeats ? hop.body : undefined;
  return {
    url,
    method: repeats ? hop.method : 'GET',
    headers: {...kept, ...(body !== undefined && type !== undefined && {'content-type': type})},
    body,
  };
}

function jsonOf(bytes: Buffer): Json | undefined {
  try {
    return parseJsonBytes(bytes);
  } catch {
    // A body that is no JSON is an answer like any other; its text is not for policies.
    return undefined;
  }
}

/** The names that every Pod resolves, with any cluster domain behind `svc`. */
export function isServerName(host: string, names: ReadonlySet<string>): boolean {
  const name = host.toLowerCase().replace(/\.$/, '');
  return names.has(name) || name.startsWith('kubernetes.default.svc.');
}

function verb(method: 'GET' | 'POST'): string {
  return method === 'GET' ? 'Get' : 'Post';
}

/** A query may carry secrets. */
function shownText(url: string): string {
  return url.split(/[?#]/, 1)[0]!.slice(0, 200);
}
