import {parseJsonBytes} from '../../../../engine/json/parse.js';
import {isObject, type Json, type JsonObject} from '../../../../engine/json/types.js';
import type {Clock} from '../../../clock.js';
import {parseUrl, placeOf} from '../../../http/pinned-request.js';
import type {Transport} from '../../registry/transport.js';

/** What the exchanges of all clouds need. */
export interface CloudParts {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

export interface CloudCall {
  /** Documented endpoint, or the one that the environment names in its place. */
  readonly url: URL;
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal: AbortSignal;
  /** The environment named the endpoint: plain HTTP and loopback are its own choice. */
  readonly isChosen: boolean;
}

const maxBytes = 256 * 1024;

/** The JSON object of a 200; throws an error that quotes nothing of it. */
export async function callCloud(transport: Transport, {isChosen, ...call}: CloudCall): Promise<JsonObject> {
  const {status, body} = await transport({...call, maxBytes, insecure: isChosen});
  if (status !== 200) throw new Error(`${placeOf(call.url)}: HTTP ${status}`);
  return objectOf(body, call.url);
}

export function objectOf(body: Uint8Array, url: URL): JsonObject {
  let json: Json;
  try {
    json = parseJsonBytes(body);
  } catch {
    // The parser's text would quote a token.
    throw new Error(`${placeOf(url)}: the answer is no JSON`);
  }
  if (isObject(json)) return json;
  throw new Error(`${placeOf(url)}: the answer is no object`);
}

/** An endpoint, and whether the environment chose it. */
export function endpoint(documented: string, chosen: string | undefined): {readonly url: URL; readonly isChosen: boolean} {
  const url = parseUrl(chosen || documented);
  if (url === undefined) throw new Error(`${JSON.stringify(chosen)} is no URL of an endpoint`);
  return {url, isChosen: Boolean(chosen)};
}
