import type {IncomingMessage} from 'node:http';
import {isIP} from 'node:net';
import {EvalError} from '../../engine/diagnostic.js';
import {parseJson} from '../../engine/json/parse.js';
import {stringifyJson} from '../../engine/json/stringify.js';
import type {Json, JsonObject} from '../../engine/json/types.js';
import type {Clock} from '../clock.js';
import {createAddressGuard, type EgressRules} from './address-guard.js';
import {createUrlAllowlist, withHostsOfUrls} from './http-egress.js';
import type {NameLookup} from './name-lookup.js';
import {bareHost, codeOf, lowerHeaders, placeOf, readBytes, sendPinned} from './pinned-request.js';

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

export function createServiceCaller(options: ServiceCallerOptions): ServiceCaller {
  const {clock, lookup, maxBytes = 2 * 1024 * 1024, timeoutMs = 30_000} = options;
  const permits = createUrlAllowlist(options.allow ?? []);
  const guard = createAddressGuard({block: options.block, allow: withHostsOfUrls(options.allow ?? [])});

  async function addressOf(url: URL, signal: AbortSignal): Promise<string> {
    const host = bareHost(url);
    const addresses = isIP(host) ? [host] : await lookup(host, signal);
    for (const address of addresses) {
      const why = guard(host, address);
      if (why !== undefined) throw new EvalError(`service call to ${placeOf(url)} refused: ${why}`, 'egress');
    }
    const [first] = addresses;
    if (first === undefined)
      throw new EvalError(`service call to ${placeOf(url)} failed: the host name has no address`);
    return first;
  }

  return async (request, deadline) => {
    const url = parseUrl(request.url);
    if (!permits(url)) {
      throw new EvalError(`service call to ${placeOf(url)} refused: no matching allowlist entry`, 'egress');
    }
    const headers = requestHeaders(request.headers, url);
    const milliseconds = Math.min(timeoutMs, deadline - clock.now());
    if (milliseconds <= 0) throw new EvalError(`service call to ${placeOf(url)} failed: no time is left`);
    const controller = new AbortController();
    const cancel = clock.schedule(milliseconds, () => controller.abort());
    try {
      const address = await addressOf(url, controller.signal);
      const body = request.data === undefined ? undefined : stringifyJson(request.data);
      const {method, caBundle} = request;
      const response = await sendPinned({url, address, method, headers, body, caBundle, signal: controller.signal});
      return await readJson(response, {url, maxBytes});
    } catch (error) {
      if (error instanceof EvalError) throw error;
      const why = controller.signal.aborted ? 'no answer in time' : codeOf(error);
      throw new EvalError(`service call to ${placeOf(url)} failed: ${why}`);
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
    throw new EvalError(`service call to ${placeOf(url)} refused: only http and https are allowed`, 'egress');
  }
  if (url.username !== '' || url.password !== '') {
    throw new EvalError(`service call to ${placeOf(url)} refused: credentials in a URL are not allowed`, 'egress');
  }
  return url;
}

function requestHeaders(given: ServiceRequest['headers'], url: URL): Record<string, string> {
  const read = lowerHeaders(given);
  if ('refused' in read) {
    throw new EvalError(
      `service call to ${placeOf(url)} refused: header ${JSON.stringify(read.refused)} cannot be set`,
    );
  }
  return {accept: 'application/json', ...read.headers};
}

async function readJson(response: IncomingMessage, {url, maxBytes}: {url: URL; maxBytes: number}): Promise<Json> {
  const status = response.statusCode ?? 0;
  if (status < 200 || status > 299) {
    response.destroy();
    const redirect = status >= 300 && status < 400 ? '; redirects are not followed' : '';
    throw new EvalError(`service call to ${placeOf(url)} failed: HTTP ${status}${redirect}`);
  }
  const bytes = await readBytes(response, maxBytes);
  if (bytes === undefined) {
    throw new EvalError(`service call to ${placeOf(url)} failed: the answer exceeds ${maxBytes} bytes`);
  }
  try {
    return parseJson(bytes.toString('utf8'));
  } catch {
    // The parser's text would quote the answer.
    throw new EvalError(`service call to ${placeOf(url)} failed: the answer is no JSON`);
  }
}
