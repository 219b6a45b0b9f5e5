import type {Clock} from '../../adapters/clock.js';
import {hasStatus, KubeError} from '../../adapters/kube/kube-error.js';
import {createReflector, type Reflector} from '../../adapters/kube/reflector.js';
import type {KubeClient} from '../../adapters/kube/types.js';
import type {Logger} from '../../adapters/log/logger.js';
import {textOf} from '../../engine/json/text.js';
import {type JsonObject, own, ownPath} from '../../engine/json/types.js';
import {apiVersionOf, type KindInfo} from '../../engine/resource-map.js';

export interface KindScannerOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly log: Logger;
  readonly kind: KindInfo;
  /** Judges one object, as it is now. Never rejects for the object's sake. */
  readonly judge: (object: JsonObject) => Promise<void>;
  /** What a pass met with; empty when nothing. */
  readonly onPass: (outcome: {readonly objects: number; readonly problem: string | undefined}) => void;
}

export interface KindScanner {
  /** Looks at every object again, soon; several calls are one pass. */
  pass(): void;
  stop(): Promise<void>;
}

const pageSize = 250;
const passDelayMs = 1_500;
const restartsPerPass = 3;
/** Changes of one object within so long are judged once. */
const changeDelayMs = 1_000;
/** Objects whose change waits to be judged; beyond, a whole pass makes up for them. */
const mostChanges = 2_000;
/** So long the event loop is kept at most before others have their turn. */
const sliceMs = 8;

/**
 * Keeps one kind judged: whole passes page by page, and single objects as they change. Of an object nothing stays but
 * where and which version it is.
 */
export function createKindScanner(options: KindScannerOptions): KindScanner {
  const {client, clock, log, kind, judge} = options;
  const changed = new Map<string, JsonObject>();
  /** Full objects on their way from the stream to the handler, that moment only. */
  let arriving: JsonObject | undefined;
  let stopped = false;
  let passTimer: (() => void) | undefined;
  let changeTimer: (() => void) | undefined;
  let working: Promise<void> = Promise.resolve();
  let synced = false;

  const reflector: Reflector = createReflector({
    client,
    collection: {group: kind.group, version: kind.version, resource: kind.resource},
    clock,
    log,
    optional: true,
    project(object) {
      arriving = object;
      return identityOf(object);
    },
    onChange(key, identity) {
      const object = arriving;
      arriving = undefined;
      // What the first list brings is the first pass's.
      if (!synced || stopped) return;
      if (identity === undefined) changed.delete(key);
      else if (object !== undefined && changed.size < mostChanges) {
        changed.set(key, object);
        changeTimer ??= clock.schedule(changeDelayMs, startChanges);
      } else pass();
    },
  });
  void reflector.synced.then(() => {
    synced = true;
    arriving = undefined;
  });
  reflector.start();

  function startChanges(): void {
    changeTimer = undefined;
    enqueue(async () => {
      const objects = [...changed.values()];
      changed.clear();
      await judgeAll(objects);
    });
  }

  function pass(): void {
    if (stopped) return;
    passTimer ??= clock.schedule(passDelayMs, () => {
      passTimer = undefined;
      enqueue(wholePass);
    });
  }

  function enqueue(work: () => Promise<void>): void {
    working = working.then(() => (stopped ? undefined : work())).catch(error => log.error(`the scan of ${kind.resource} failed`, {error: String(error)}));
  }

  async function wholePass(): Promise<void> {
    let objects = 0;
    let problem: string | undefined;
    for (let start = 0; start < restartsPerPass; start += 1) {
      try {
        objects = await onePass();
        problem = undefined;
        break;
      } catch (error) {
        problem = error instanceof KubeError ? error.message : String(error);
        // A list that outlived the server's memory begins anew; what was judged stays judged.
        if (!hasStatus(error, 410)) break;
      }
    }
    if (!stopped) options.onPass({objects, problem});
  }

  async function onePass(): Promise<number> {
    const root = kind.group === '' ? `/api/${kind.version}` : `/apis/${kind.group}/${kind.version}`;
    let objects = 0;
    let next: string | undefined;
    do {
      const query: Array<readonly [string, string]> = [['limit', String(pageSize)]];
      if (next !== undefined) query.push(['continue', next]);
      const {body} = await client.request({method: 'GET', path: `${root}/${kind.resource}`, query});
      if (stopped) return objects;
      const items = ownPath(body, 'items');
      const page = (Array.isArray(items) ? items : []) as JsonObject[];
      objects += page.length;
      await judgeAll(page);
      next = textOf(ownPath(body, 'metadata', 'continue')) || undefined;
    } while (next !== undefined && !stopped);
    return objects;
  }

  async function judgeAll(objects: readonly JsonObject[]): Promise<void> {
    let sliceStart = clock.monotonic();
    for (const object of objects) {
      if (stopped) return;
      await judge({apiVersion: apiVersionOf(kind), kind: kind.kind, ...object});
      if (clock.monotonic() - sliceStart < sliceMs) continue;
      await new Promise<void>(resolve => setImmediate(resolve));
      sliceStart = clock.monotonic();
    }
  }

  return {
    pass,
    async stop() {
      stopped = true;
      passTimer?.();
      changeTimer?.();
      changed.clear();
      await reflector.stop();
      await working;
    },
  };
}

/** Where, which, and whether anything but its status moved matters; labels and annotations are part of the version. */
function identityOf(object: JsonObject): JsonObject {
  const metadata = own(object, 'metadata');
  const pick = (field: string) => ownPath(metadata, field) ?? null;
  return {metadata: {name: pick('name'), namespace: pick('namespace'), uid: pick('uid'), resourceVersion: pick('resourceVersion')}};
}
