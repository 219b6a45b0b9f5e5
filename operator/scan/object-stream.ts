import {type Clock, sleep} from '../../adapters/clock.js';
import {createBackoff} from '../../adapters/kube/backoff.js';
import {hasStatus, KubeError} from '../../adapters/kube/kube-error.js';
import {keyOf} from '../../adapters/kube/reflector.js';
import type {KubeClient, WatchEvent} from '../../adapters/kube/types.js';
import type {Logger} from '../../adapters/log/logger.js';
import {textOf} from '../../engine/json/text.js';
import {isObject, type JsonObject, own, ownPath} from '../../engine/json/types.js';
import {apiVersionOf, type KindInfo} from '../../engine/resource-map.js';

export interface ObjectStreamOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly log: Logger;
  readonly kind: KindInfo;
  /** Waits for leave to look; what it resolves to is called when the look is over. */
  readonly begin: () => Promise<() => void>;
  /** Objects of a look, as they were at `readAt` (milliseconds since the epoch); the next page is read when this resolves. */
  readonly onPage: (objects: readonly JsonObject[], readAt: number) => Promise<void>;
  /** One object, as it has just become; `undefined`: it is gone. */
  readonly onChange: (key: string, object: JsonObject | undefined) => void;
  /** A look ended; `problem` empty when it was complete. */
  readonly onLook: (outcome: {readonly objects: number; readonly problem: string | undefined}) => void;
  readonly random?: () => number;
}

export interface ObjectStream {
  /** Has every object looked at again. */
  look(): void;
  /** The same of one namespace, beside what else goes on. Rejects with a KubeError. */
  lookIn(namespace: string): Promise<void>;
  stop(): Promise<void>;
}

/** Pages are about so large, whatever the objects are: none is felt by requests, and none fills the memory. */
const pageBytes = 160 * 1024;
const pageSizes = {first: 25, least: 5, most: 250} as const;
const idleMs = 75_000;
const watchSeconds = [300, 600] as const;
const retryMs = {first: 1_000, most: 300_000} as const;

/**
 * Every object of a kind, page by page, and from there on each one that changes. Nothing is kept: what is to be looked
 * at again is read again. What breaks is tried again for ever, a kind that may not be read ever more rarely.
 */
export function createObjectStream(options: ObjectStreamOptions): ObjectStream {
  const {client, clock, log, kind, random = Math.random} = options;
  const collection = {group: kind.group, version: kind.version, resource: kind.resource};
  const root = kind.group === '' ? `/api/${kind.version}` : `/apis/${kind.group}/${kind.version}`;
  const stopped = new AbortController();
  const backoff = createBackoff({firstMs: retryMs.first, maxMs: retryMs.most, random});
  let pageSize: number = pageSizes.first;
  let wanted = true;
  let resourceVersion = '';
  /** Ends a watch, or a rest, since a look is wanted. */
  let wake: AbortController | undefined;

  /**
   * Pages expire after some minutes. The rest is read as it is by then, and followed from there: a look that began anew would expire at
   * the same place. What changed meanwhile in pages before is found by the next look.
   */
  async function read(path: string, onList?: (version: string) => void): Promise<number> {
    let objects = 0;
    let next: string | undefined;
    let isFirst = true;
    // All pages are of one moment.
    let readAt = clock.now();
    do {
      const query: Array<readonly [string, string]> = [['limit', String(pageSize)]];
      if (next !== undefined) query.push(['continue', next]);
      const page = await client.request({method: 'GET', path, query, signal: stopped.signal, unthrottled: true}).catch(error => {
        if (isFirst || !hasStatus(error, 410) || error.continueAt === undefined) throw error;
        return error.continueAt;
      });
      if (typeof page === 'string') {
        next = page;
        isFirst = true;
        readAt = clock.now();
        continue;
      }
      const {body, text} = page;
      const items = itemsOf(body, kind);
      if (items.length > 0) pageSize = Math.min(pageSizes.most, Math.max(pageSizes.least, Math.floor((pageBytes * items.length) / text.length)));
      if (isFirst) onList?.(textOf(ownPath(body, 'metadata', 'resourceVersion')));
      isFirst = false;
      next = textOf(ownPath(body, 'metadata', 'continue')) || undefined;
      objects += items.length;
      await options.onPage(items, readAt);
    } while (next !== undefined && !stopped.signal.aborted);
    return objects;
  }

  async function lookAtAll(): Promise<void> {
    const done = await options.begin();
    try {
      if (stopped.signal.aborted) return;
      wanted = false;
      let version = '';
      const objects = await read(`${root}/${kind.resource}`, first => {
        version = first;
      });
      if (stopped.signal.aborted) return;
      resourceVersion = version;
      options.onLook({objects, problem: undefined});
    } catch (error) {
      wanted = true;
      if (!stopped.signal.aborted) options.onLook({objects: 0, problem: textOfError(error)});
      throw error;
    } finally {
      done();
    }
  }

  async function watch(): Promise<void> {
    wake = new AbortController();
    const ended = AbortSignal.any([stopped.signal, wake.signal]);
    const [least, most] = watchSeconds;
    let failure: KubeError | undefined;
    try {
      if (wanted) return;
      await client.watch(collection, {
        resourceVersion,
        timeoutSeconds: Math.round(least + (most - least) * random()),
        idleMs,
        signal: ended,
        onEvent(event) {
          if (failure !== undefined || ended.aborted) return;
          failure = apply(event);
          if (failure !== undefined) wake?.abort();
        },
      });
    } catch (error) {
      if (failure === undefined && !ended.aborted) throw error;
    } finally {
      wake = undefined;
    }
    if (failure !== undefined) throw failure;
  }

  function apply({type, object}: WatchEvent): KubeError | undefined {
    if (type === 'ERROR') {
      const code = own(object, 'code');
      return new KubeError({status: typeof code === 'number' ? code : 0, reason: textOf(own(object, 'reason')), message: textOf(own(object, 'message'))});
    }
    backoff.reset();
    const version = textOf(ownPath(object, 'metadata', 'resourceVersion'));
    if (version !== '') resourceVersion = version;
    if (type === 'BOOKMARK') return undefined;
    const key = keyOf(object);
    if (key !== undefined) options.onChange(key, type === 'DELETED' ? undefined : withKind(object, kind));
    return undefined;
  }

  async function run(): Promise<void> {
    while (!stopped.signal.aborted) {
      const started = clock.monotonic();
      try {
        if (wanted) await lookAtAll();
        await watch();
        if (wanted || stopped.signal.aborted) continue;
        // A server that ends streams at once must not be hammered.
        if (clock.monotonic() - started < 1_000) await rest(backoff.next());
        else backoff.reset();
      } catch (error) {
        if (stopped.signal.aborted) return;
        const expired = hasStatus(error, 410) || (error instanceof KubeError && error.reason === 'Expired');
        wanted ||= expired || !isInterruption(error);
        log.v(2, `list or watch of ${kind.resource} for the background scan failed; trying again`, {error: textOfError(error)});
        await rest(Math.max(expired ? retryMs.first : backoff.next(), error instanceof KubeError ? (error.retryAfter ?? 0) : 0));
      }
    }
  }

  async function rest(milliseconds: number): Promise<void> {
    wake = new AbortController();
    await sleep(clock, milliseconds, AbortSignal.any([stopped.signal, wake.signal]));
    wake = undefined;
  }

  const running = run().catch(error => log.error(`the background scan of ${kind.resource} ended`, {error: String(error)}));

  return {
    look() {
      wanted = true;
      wake?.abort();
    },
    async lookIn(namespace) {
      await read(`${root}/namespaces/${encodeURIComponent(namespace)}/${kind.resource}`);
    },
    async stop() {
      stopped.abort();
      await running;
    },
  };
}

function itemsOf(body: unknown, kind: KindInfo): JsonObject[] {
  const items = ownPath(body as JsonObject, 'items');
  return (Array.isArray(items) ? items : []).filter(isObject).map(item => withKind(item, kind));
}

/** Items of lists do not say what they are; nobody wants to see who manages which field. */
function withKind(object: JsonObject, kind: KindInfo): JsonObject {
  const metadata = own(object, 'metadata');
  if (isObject(metadata)) delete metadata['managedFields'];
  object['apiVersion'] = apiVersionOf(kind);
  object['kind'] = kind.kind;
  return object;
}

/** Only a broken transport leaves the known version good to go on from. */
function isInterruption(error: unknown): boolean {
  if (!(error instanceof KubeError)) return false;
  if (error.status === 0) return ['Network', 'Timeout', 'Aborted'].includes(error.reason);
  return error.status === 429 || (error.status >= 500 && error.status !== 504);
}

function textOfError(error: unknown): string {
  return error instanceof KubeError ? error.message : String(error);
}
