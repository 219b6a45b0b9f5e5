import {type IncomingMessage, request as httpRequest, type RequestOptions} from 'node:http';
import {request as httpsRequest} from 'node:https';
import {isIP} from 'node:net';
import {EvalError} from '../../engine/diagnostic.js';
import {parseJson} from '../../engine/json/parse.js';
import {stringifyJson} from '../../engine/json/stringify.js';
import type {Json, JsonObject} from '../../engine/json/types.js';
import type {Clock} from '../clock.js';
import {createAddressGuard, type EgressRules} from './address-guard.js';
import type {NameLookup} from './name-lookup.js';

export interface ServiceCallerOptions extends EgressRules {
  readonly clock: Clock;
  readonly lookup: NameLookup;
  /** Bytes of an answer; 2 MiB when absent. */
  readonly maxBytes?: number | undefined;
  /** Milliseconds for one call, name look-up included; 30 s when absent. */
  readonly timeoutMs?: number | undefined;
}

export interface ServiceRequest {
  readonly url: string;
  readonly method: 'GET' | 'POST';
  readonly headers: ReadonlyArray<readonly [string, string]>;
  /** PEM; instead of the system's authorities. */
  readonly caBundle?: string | undefined;
  readonly data?: JsonObject | undefined;
}

/**
 * Calls a service that a policy names and resolves with its JSON. The name is resolved once, every address is judged, and
 * the connection goes to a judged one. No redirects, no credentials but those in `headers`, TLS 1.2 or newer. Rejects
 * with an EvalError that never repeats what the service said. `deadline` is on the clock's `now()` scale.
 */
export type ServiceCaller = (request: ServiceRequest, deadline: number) => Promise<Json>;

const ownHeaders = new Set([
  'host',
  'content-length',
  'transfer-encoding',
  'connection',
  'upgrade',
  'expect',
  'te',
  'trailer',
]);

export function createServiceCaller(options: ServiceCallerOptions): ServiceCaller {
  const {clock, lookup, maxBytes = 2 * 1024 * 1024, timeoutMs = 30_000} = options;
  const guard = createAddressGuard(options);

  async function addressOf(url: URL, signal: AbortSignal): Promise<string> {
    const host = bareHost(url);
    const addresses = isIP(host) ? [host] : await lookup(host, signal);
    for (const address of addresses) {
      const why = guard(host, address);
      if (why !== undefined) throw new EvalError(`service call to ${place(url)} refused: ${why}`, 'egress');
    }
    const [first] = addresses;
    if (first === undefined) throw new EvalError(`service call to ${place(url)} failed: the host name has no address`);
    return first;
  }

  return async (request, deadline) => {
    const url = parseUrl(request.url);
    const headers = requestHeaders(request.headers, url);
    const milliseconds = Math.min(timeoutMs, deadline - clock.now());
    if (milliseconds <= 0) throw new EvalError(`service call to ${place(url)} failed: no time is left`);
    const controller = new AbortController();
    const cancel = clock.schedule(milliseconds, () => controller.abort());
    try {
      const address = await addressOf(url, controller.signal);
      const response = await send({url, address, headers, request, signal: controller.signal});
      return await readJson(response, {url, maxBytes});
    } catch (error) {
      if (error instanceof EvalError) throw error;
      const why = controller.signal.aborted ? 'no answer in time' : codeOf(error);
      throw new EvalError(`service call to ${place(url)} failed: ${why}`);
    } finally {
      cancel();
      controller.abort();
    }
  };
}

function parseUrl(text: string): URL {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    throw new EvalError(`${JSON.stringify(text)} is no URL`);
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new EvalError(`service call to ${place(url)} refused: only http and https are allowed`, 'egress');
  }
  if (url.username !== '' || url.password !== '') {
    throw new EvalError(`service call to ${place(url)} refused: credentials in a URL are not allowed`, 'egress');
  }
  return url;
}

function requestHeaders(given: ServiceRequest['headers'], url: URL): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, value] of given) {
    const key = name.toLowerCase();
    if (ownHeaders.has(key) || !/^[!#$%&'*+.^_`|~0-9a-z-]+$/.test(key) || /[\r\n\0]/.test(value)) {
      throw new EvalError(`service call to ${place(url)} refused: header ${JSON.stringify(name)} cannot be set`);
    }
    headers[key] = value;
  }
  return {accept: 'application/json', ...headers, host: url.host};
}

interface Outgoing {
  readonly url: URL;
  readonly address: string;
  readonly headers: Record<string, string>;
  readonly request: ServiceRequest;
  readonly signal: AbortSignal;
}

function send({url, address, headers, request, signal}: Outgoing): Promise<IncomingMessage> {
  const body = request.data === undefined ? undefined : stringifyJson(request.data);
  const host = bareHost(url);
  const secure = url.protocol === 'https:';
  const options: RequestOptions = {
    method: request.method,
    host: address,
    port: url.port || (secure ? 443 : 80),
    path: `${url.pathname}${url.search}`,
    headers: {
      ...headers,
      ...(body !== undefined && {'content-length': String(Buffer.byteLength(body))}),
      ...(body !== undefined && headers['content-type'] === undefined && {'content-type': 'application/json'}),
    },
    // A connection of its own: no socket outlives the judgement of its address.
    agent: false,
    signal,
  };
  return new Promise((resolve, reject) => {
    const outgoing = secure
      ? httpsRequest({
          ...options,
          minVersion: 'TLSv1.2',
          ...(isIP(host) === 0 && {servername: host}),
          ...(request.caBundle && {ca: request.caBundle}),
        })
      : httpRequest(options);
    outgoing.on('error', reject);
    outgoing.once('response', resolve);
    outgoing.end(body);
  });
}

async function readJson(response: IncomingMessage, {url, maxBytes}: {url: URL; maxBytes: number}): Promise<Json> {
  const status = response.statusCode ?? 0;
  if (status < 200 || status > 299) {
    response.destroy();
    const redirect = status >= 300 && status < 400 ? '; redirects are not followed' : '';
    throw new EvalError(`service call to ${place(url)} failed: HTTP ${status}${redirect}`);
  }
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response) {
    size += (chunk as Buffer).length;
    if (size > maxBytes) {
      response.destroy();
      throw new EvalError(`service call to ${place(url)} failed: the answer exceeds ${maxBytes} bytes`);
    }
    chunks.push(chunk as Buffer);
  }
  try {
    return parseJson(Buffer.concat(chunks).toString('utf8'));
  } catch {
    // The parser's text would quote the answer.
    throw new EvalError(`service call to ${place(url)} failed: the answer is no JSON`);
  }
}

function bareHost(url: URL): string {
  return url.hostname.replace(/^\[(.*)\]$/, '$1');
}

/** Without query: it may carry secrets. */
function place(url: URL): string {
  return `${url.protocol}//${url.host}${url.pathname}`;
}

function codeOf(error: unknown): string {
  const code = (error as NodeJS.ErrnoException | undefined)?.code;
  return typeof code === 'string' ? code : 'the connection failed';
}
