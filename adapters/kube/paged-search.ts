import {Budget} from '../../engine/budget.js';
import type {ObjectSearch} from '../../engine/context-loader.js';
import {EvalError} from '../../engine/diagnostic.js';
import {jsonSize} from '../../engine/json/size.js';
import {textOf} from '../../engine/json/text.js';
import {isObject, type JsonObject, ownPath} from '../../engine/json/types.js';
import type {Clock} from '../clock.js';
import {listItems} from './answers.js';
import {KubeError} from './kube-error.js';
import type {SearchRoom} from './search-room.js';
import type {KubeClient, KubeResponse} from './types.js';

export interface SearchOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  /** Of the collection. */
  readonly path: string;
  /** Beside what the search itself asks for. */
  readonly query: ReadonlyArray<readonly [string, string]>;
  readonly search: ObjectSearch;
  /** Milliseconds on the clock's scale, for all parts together. */
  readonly deadline: number;
  /** What is kept has to find room there; absent: the search's own limit is all. */
  readonly room?: SearchRoom | undefined;
}

/** Objects in one part at most; fewer where they are large. */
const mostObjects = 250;
/** Bytes of one part: what is not kept is in memory no longer than its part. */
const maxPartBytes = 16 * 1024 * 1024;
/** Of the room for what is kept, what a part of many objects may take: many searches run at a time. */
const partShare = 1 / 8;
const unlimited = {steps: Number.POSITIVE_INFINITY, bytes: Number.POSITIVE_INFINITY, deadline: Number.POSITIVE_INFINITY};

/**
 * A list of what a search keeps of a collection, read part by part. Rejects with a KubeError, or with what `keep` throws;
 * with an EvalError that says what helps when the time is too short, or the memory (`too-many-objects`), and one that trying again
 * mends when other work holds the memory (`no-room-now`).
 */
export async function searchCollection({client, clock, path, query, search, deadline, room}: SearchOptions): Promise<JsonObject> {
  const items: JsonObject[] = [];
  let seen = 0;
  let limit = mostObjects;
  let next = '';
  for (;;) {
    let page: KubeResponse;
    try {
      const left = deadline - clock.now();
      const timeoutMs = Number.isFinite(left) ? Math.max(1, left) : undefined;
      const maxBytes = room === undefined || limit === 1 ? maxPartBytes : Math.min(maxPartBytes, room.bytes * partShare);
      page = await client.request({method: 'GET', path, query: [...query, ...partQuery(search, limit, next)], timeoutMs, maxBytes});
    } catch (error) {
      if (error instanceof KubeError && error.reason === 'TooLarge' && limit > 1) {
        limit = Math.ceil(limit / 8);
        continue;
      }
      if (error instanceof KubeError && error.reason === 'Timeout') throw new EvalError(tooSlow(path, seen));
      throw error;
    }
    if (!isObject(page.body)) throw new EvalError(`${path}: the answer is no object`);
    for (const item of listItems(page.body)) {
      seen += 1;
      if (!search.keep(item)) continue;
      if (room !== undefined) takeRoom(room, path, item);
      items.push(item);
    }
    next = textOf(ownPath(page.body, 'metadata', 'continue'));
    if (next === '') return {...page.body, items};
  }
}

function partQuery({labelSelector, fieldSelector}: ObjectSearch, limit: number, next: string): Array<readonly [string, string]> {
  const query: Array<readonly [string, string]> = [['limit', String(limit)]];
  if (labelSelector !== undefined) query.push(['labelSelector', labelSelector]);
  if (fieldSelector !== undefined) query.push(['fieldSelector', fieldSelector]);
  if (next !== '') query.push(['continue', next]);
  return query;
}

function takeRoom(room: SearchRoom, path: string, item: JsonObject): void {
  const answer = room.take(jsonSize(item, new Budget(unlimited, () => 0)));
  if (answer === 'never') {
    const mebibytes = Number((room.bytes / 1024 / 1024).toFixed(1));
    throw new EvalError(
      `the objects of ${path} that the rule means take more than ${mebibytes} MiB, an eighth of the memory here: narrow them by name, namespace or selector, split the rule by namespaces, or give the container more memory`,
      'too-many-objects',
    );
  }
  if (answer === 'later') throw new EvalError(`the objects of ${path} that the rule means find no memory while other work holds it: they are looked for again`, 'no-room-now');
}

function tooSlow(path: string, seen: number): string {
  return `failed to GET resource with raw url: ${path}: no answer in time after ${seen} objects: narrow what the rule means by name, namespace or selector`;
}
