import type {Clock} from '../../adapters/clock.js';
import {hasStatus, KubeError} from '../../adapters/kube/kube-error.js';
import type {KubeClient} from '../../adapters/kube/types.js';
import type {Logger} from '../../adapters/log/logger.js';
import type {JsonObject} from '../../engine/json/types.js';
import type {KindInfo} from '../../engine/resource-map.js';
import {createObjectStream} from './object-stream.js';
import type {Pacer} from './pacer.js';
import type {Turns} from './turns.js';

export interface KindScannerOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly log: Logger;
  readonly kind: KindInfo;
  /** Judges one object, as it is now. Never rejects for the object's sake. */
  readonly judge: (object: JsonObject, readAt: number) => Promise<void>;
  readonly pacer: Pacer;
  /** How many kinds are looked through at one time. */
  readonly turns: Turns;
  /** What a pass met with; empty when nothing. */
  readonly onPass: (outcome: {readonly objects: number; readonly problem: string | undefined}) => void;
}

export interface KindScanner {
  /** Looks at every object again, soon; several calls are one pass. */
  pass(): void;
  /** The same of the objects of one namespace. */
  passIn(namespace: string): void;
  stop(): Promise<void>;
}

const passDelayMs = 1_500;
/** Changes of one object within so long are judged once. */
const changeDelayMs = 1_000;
/** Objects whose change waits to be judged; beyond, a whole pass makes up for them. */
const mostChanges = 1_000;
/** The same of namespaces. */
const mostNamespaces = 50;

/** Keeps one kind judged: whole passes page by page, and single objects as they change. Of an object nothing stays. */
export function createKindScanner(options: KindScannerOptions): KindScanner {
  const {client, clock, log, kind, judge, pacer, turns} = options;
  const changed = new Map<string, {readonly object: JsonObject; readonly at: number}>();
  const namespaces = new Set<string>();
  let stopped = false;
  let passTimer: (() => void) | undefined;
  let changeTimer: (() => void) | undefined;
  /** One piece of work after the other: what was read earlier is never judged later. */
  let working: Promise<void> = Promise.resolve();

  const stream = createObjectStream({
    client,
    clock,
    log,
    kind,
    async begin() {
      const release = await turns.take();
      const before = working;
      let over: () => void = () => undefined;
      const look = new Promise<void>(resolve => {
        over = resolve;
      });
      working = before.then(() => look);
      await before;
      // What has changed so far is part of what is read now.
      changed.clear();
      namespaces.clear();
      return () => {
        release();
        over();
      };
    },
    onPage: (objects, at) => judgeAll(objects.map(object => ({object, at}))),
    onChange(key, object) {
      if (stopped) return;
      if (object === undefined) {
        changed.delete(key);
        return;
      }
      if (changed.size >= mostChanges && !changed.has(key)) {
        changed.clear();
        pass();
        return;
      }
      changed.set(key, {object, at: clock.now()});
      changeTimer ??= clock.schedule(changeDelayMs, startChanges);
    },
    onLook: outcome => {
      if (!stopped) options.onPass(outcome);
    },
  });

  function startChanges(): void {
    changeTimer = undefined;
    enqueue(async () => {
      const changes = [...changed.values()];
      changed.clear();
      await judgeAll(changes);
    });
  }

  function pass(): void {
    if (stopped) return;
    passTimer ??= clock.schedule(passDelayMs, () => {
      passTimer = undefined;
      stream.look();
    });
  }

  function passIn(namespace: string): void {
    if (stopped || !kind.namespaced) return;
    if (namespaces.size >= mostNamespaces) {
      pass();
      return;
    }
    if (namespaces.has(namespace)) return;
    namespaces.add(namespace);
    enqueue(async () => {
      if (!namespaces.delete(namespace)) return;
      try {
        await stream.lookIn(namespace);
      } catch (error) {
        if (hasStatus(error, 404)) return;
        pass();
        throw error;
      }
    });
  }

  function enqueue(work: () => Promise<void>): void {
    working = working
      .then(() => (stopped ? undefined : work()))
      .catch(error => {
        if (!stopped) log.error(`the scan of ${kind.resource} failed`, {error: error instanceof KubeError ? error.message : String(error)});
      });
  }

  async function judgeAll(found: ReadonlyArray<{readonly object: JsonObject; readonly at: number}>): Promise<void> {
    for (const {object, at} of found) {
      if (stopped) return;
      await judge(object, at);
      const pause = pacer.turn();
      if (pause !== undefined) await pause;
    }
  }

  return {
    // The first pass is the stream's own.
    pass,
    passIn,
    async stop() {
      stopped = true;
      passTimer?.();
      changeTimer?.();
      changed.clear();
      namespaces.clear();
      await stream.stop();
      await working;
    },
  };
}
