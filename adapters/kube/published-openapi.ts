import {EvalError} from '../../engine/diagnostic.js';
import {isObject, type JsonObject} from '../../engine/json/types.js';
import type {Clock} from '../clock.js';
import {hasStatus} from './kube-error.js';
import type {KubeClient} from './types.js';

export interface PublishedOpenApiOptions {
  readonly client: Pick<KubeClient, 'request'>;
  readonly clock: Clock;
  /** Milliseconds for one read. */
  readonly timeoutMs: number;
}

/** Milliseconds for which a document is taken to be as it was read. */
const freshFor = 5 * 60_000;
/** They are large, and few are ever asked for. */
const mostKnown = 4;
const maxBytes = 16 * 1024 * 1024;

/** OpenAPI v3 documents of the API server, by group and version. One that was read stays when it cannot be read again. */
export function createPublishedOpenApi({client, clock, timeoutMs}: PublishedOpenApiOptions) {
  const known = new Map<string, {readonly document: JsonObject | undefined; readonly readAt: number}>();
  const reading = new Map<string, Promise<JsonObject | undefined>>();

  async function read(groupVersion: string): Promise<JsonObject | undefined> {
    const parts = groupVersion.split('/').map(encodeURIComponent);
    const path = `/openapi/v3/${parts.length === 1 ? 'api' : 'apis'}/${parts.join('/')}`;
    let document: JsonObject | undefined;
    try {
      const {body} = await client.request({method: 'GET', path, timeoutMs, maxBytes});
      document = isObject(body) ? body : undefined;
    } catch (error) {
      const before = known.get(groupVersion);
      if (!hasStatus(error, 404)) {
        if (before !== undefined) return before.document;
        throw new EvalError(`failed to read the OpenAPI document of ${groupVersion}`);
      }
    }
    known.delete(groupVersion);
    known.set(groupVersion, {document, readAt: clock.monotonic()});
    for (const oldest of known.keys()) {
      if (known.size <= mostKnown) break;
      known.delete(oldest);
    }
    return document;
  }

  return (groupVersion: string): JsonObject | undefined | Promise<JsonObject | undefined> => {
    const entry = known.get(groupVersion);
    if (entry !== undefined && clock.monotonic() - entry.readAt < freshFor) return entry.document;
    let running = reading.get(groupVersion);
    if (running === undefined) {
      running = read(groupVersion).finally(() => reading.delete(groupVersion));
      reading.set(groupVersion, running);
    }
    return running;
  };
}
