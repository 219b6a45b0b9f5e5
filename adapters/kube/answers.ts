import type {IncomingMessage} from 'node:http';
import {parseJson} from '../../engine/json/parse.js';
import {isObject, type Json, type JsonObject, own, ownPath} from '../../engine/json/types.js';
import {KubeError} from './kube-error.js';
import {readBody} from './transport.js';
import type {KubeResponse} from './types.js';
import {textOf} from '../../engine/json/text.js';

/** The decoded answer; a KubeError for redirects, refusals and what is no JSON. */
export async function readAnswer(response: IncomingMessage, maxBytes: number): Promise<KubeResponse> {
  const status = response.statusCode ?? 0;
  if (status >= 300 && status < 400) {
    response.destroy();
    throw new KubeError({
      status,
      reason: 'Redirect',
      message: `the API server answered ${status}; redirects are not followed`,
    });
  }
  const raw = await readBody(response, maxBytes);
  const isJson = /\bjson\b/.test(response.headers['content-type'] ?? '');
  let body: Json = null;
  if (isJson && raw !== '') {
    try {
      body = parseJson(raw);
    } catch (error) {
      if (status < 400)
        throw new KubeError({status, reason: 'Malformed', message: 'the answer is no JSON', cause: error});
    }
  }
  if (status >= 400) throw statusError({status, body, raw, retryAfter: response.headers['retry-after']});
  return {status, body, text: raw};
}

function statusError({
  status,
  body,
  raw,
  retryAfter,
}: {
  status: number;
  body: Json;
  raw: string;
  retryAfter: string | undefined;
}): KubeError {
  const reason = textOf(ownPath(body, 'reason'));
  const message = textOf(ownPath(body, 'message')) || raw.slice(0, 256).trim();
  const seconds = Number(retryAfter ?? Number.NaN);
  return new KubeError({
    status,
    reason: reason || `HTTP ${status}`,
    message: message || `HTTP ${status}`,
    continueAt: textOf(ownPath(body, 'metadata', 'continue')) || undefined,
    retryAfterMs: Number.isFinite(seconds) && seconds >= 0 ? seconds * 1000 : undefined,
  });
}

/** List items lack apiVersion and kind; the list's own kind tells them. */
export function listItems(page: JsonObject): readonly JsonObject[] {
  const items = own(page, 'items');
  if (!Array.isArray(items)) return [];
  const apiVersion = own(page, 'apiVersion');
  const kind = textOf(own(page, 'kind')).replace(/List$/, '');
  const objects: JsonObject[] = [];
  for (const item of items) {
    if (!isObject(item)) continue;
    const complete = Object.hasOwn(item, 'kind') || kind === '' || apiVersion === undefined;
    objects.push(complete ? item : {apiVersion, kind, ...item});
  }
  return objects;
}
