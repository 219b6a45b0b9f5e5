import {type Clock, sleep} from '../../adapters/clock.js';
import {hasStatus} from '../../adapters/kube/kube-error.js';
import {microTime} from '../../adapters/kube/lease.js';
import {createRateLimit} from '../../adapters/kube/rate-limit.js';
import type {KubeClient, ObjectRef} from '../../adapters/kube/types.js';
import type {Log} from '../../adapters/log.js';
import type {JsonObject} from '../../engine/json/types.js';
import {ownPath} from '../../engine/json/types.js';
import {decisionAnnotation, eventIdentity, eventNamespace, eventObject, type PolicyEvent} from './event.js';

export interface EventEmitterOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly log: Log;
  readonly hostname: string;
  /** 1000 when absent; 0 = no Events at all. */
  readonly maxQueued?: number | undefined;
  /** Requests a second in the long run and at once; 50 and 100 when absent. */
  readonly qps?: number | undefined;
  readonly burst?: number | undefined;
  /** What threads take these requests from; see RateLimitOptions. */
  readonly budget?: SharedArrayBuffer | undefined;
  /** Reasons that make no Event. */
  readonly omit?: readonly string[] | undefined;
  /** Repeats of one event are counted into its object at most this often; 10 s when absent. */
  readonly repeatMs?: number | undefined;
  readonly onDropped?: ((count: number) => void) | undefined;
}

export interface EventEmitter {
  /** Never waits and never throws. */
  emit(event: PolicyEvent): void;
  /** Events lost to the full queue or to failed requests. */
  readonly dropped: number;
  start(): void;
  /** Sends what is queued for at most `graceMs` (2 s when absent). */
  stop(graceMs?: number): Promise<void>;
}

/** One event and its repeats. */
interface Series {
  /** The last of them. */
  event: PolicyEvent;
  readonly identity: string;
  ref: ObjectRef | undefined;
  count: number;
  /** As last written. */
  writtenCount: number;
  lastAt: number;
  queued: boolean;
  cancelFlush: (() => void) | undefined;
}

const collection = {group: 'events.k8s.io', version: 'v1', resource: 'events'} as const;
const attempts = 3;
/** A store that hangs is not tried again for the same Event. */
const giveUpMs = 30_000;
const maxSeries = 4_096;
const maxOmitted = 1_000;
/** A series that was silent for so long is over; the next one is a new Event. */
const seriesMs = 10 * 60_000;

/** Writes Events from a bounded queue; repeats become a `series` of the first. */
export function createEventEmitter(options: EventEmitterOptions): EventEmitter {
  const {
    client,
    clock,
    log,
    hostname,
    repeatMs = 10_000,
    onDropped,
  } = options;
  /** Read anew each time: settings may change. */
  const maxQueued = () => options.maxQueued ?? 1_000;
  const limit = createRateLimit({
    get qps() {
      return options.qps ?? 50;
    },
    get burst() {
      return options.burst ?? 100;
    },
    clock,
    shared: options.budget,
  });
  const known = new Map<string, Series>();
  const omitted = new Set<string>();
  const queue: Series[] = [];
  const stopping = new AbortController();
  const stopped = new AbortController();
  let wake = new AbortController();
  let dropped = 0;
  let full = false;
  /** Events lost in a row to failed requests: a store that is down gets one line, not one per Event. */
  let failing = 0;
  let serial = 0n;
  let running: Promise<void> | undefined;

  function drop(count: number): void {
    dropped += count;
    onDropped?.(count);
  }

  function enqueue(series: Series): void {
    if (series.queued) return;
    if (queue.length >= maxQueued()) {
      if (!full) log.warn('the queue of Events is full; dropping', {maxQueued: maxQueued()});
      full = true;
      // Repeats stay counted in their series; only an event never written is lost.
      if (series.ref === undefined) {
        known.delete(series.identity);
        drop(1);
      }
      return;
    }
    full = false;
    series.queued = true;
    queue.push(series);
    wake.abort();
  }

  function emit(event: PolicyEvent): void {
    if (maxQueued() === 0 || event.regarding.name === '' || stopping.signal.aborted) return;
    if (options.omit?.includes(event.reason) === true) {
      noteOmitted(event);
      return;
    }
    const now = clock.monotonic();
    const identity = eventIdentity(event);
    const old = known.get(identity);
    if (old === undefined || now - old.lastAt > seriesMs) {
      const series: Series = {
        event,
        identity,
        ref: undefined,
        count: 1,
        writtenCount: 0,
        lastAt: now,
        queued: false,
        cancelFlush: undefined,
      };
      remember(series);
      enqueue(series);
      return;
    }
    old.count += 1;
    old.event = event;
    old.lastAt = now;
    remember(old);
    if (old.queued || old.ref === undefined) return;
    flushLater(old);
  }

  /** One line for each object and reason: who leaves Events out looks for them in the log. */
  function noteOmitted({reason, regarding: {kind, namespace, name}}: PolicyEvent): void {
    const key = `${reason} ${kind} ${namespace}/${name}`;
    if (omitted.has(key) || omitted.size >= maxOmitted) return;
    omitted.add(key);
    log.info('Event left out as omitEvents says', {reason, kind, namespace, name});
  }

  function flushLater(series: Series): void {
    if (stopping.signal.aborted) return;
    series.cancelFlush ??= clock.schedule(repeatMs, () => {
      series.cancelFlush = undefined;
      if (series.count > series.writtenCount) enqueue(series);
    });
  }

  /** Least recently seen first, so that the oldest are forgotten. */
  function remember(series: Series): void {
    known.delete(series.identity);
    known.set(series.identity, series);
    if (known.size <= maxSeries) return;
    for (const [identity, oldest] of known) {
      oldest.cancelFlush?.();
      known.delete(identity);
      return;
    }
  }

  async function write(series: Series): Promise<void> {
    const count = series.count;
    const at = clock.now() - (clock.monotonic() - series.lastAt);
    const repeats: JsonObject = {count, lastObservedTime: microTime(at)};
    if (series.ref !== undefined) {
      try {
        const {decision} = series.event;
        const metadata: JsonObject | undefined = decision === undefined ? undefined : {annotations: {[decisionAnnotation]: decision}};
        await client.patch(series.ref, {series: repeats, ...(metadata && {metadata})}, {type: 'merge', signal: stopped.signal});
        series.writtenCount = count;
        return;
      } catch (error) {
        // Events live for an hour; the next one starts anew.
        if (!hasStatus(error, 404)) throw error;
        series.ref = undefined;
      }
    }
    serial += 1n;
    const nanos = BigInt(Math.round(clock.now())) * 1_000_000n + (serial % 1_000_000n);
    const object: JsonObject = {
      ...eventObject(series.event, {at, nanos, hostname}),
      ...(count > 1 && {series: repeats}),
    };
    const namespace = eventNamespace(series.event);
    await client.create({...collection, namespace}, object, {signal: stopped.signal});
    series.ref = {...collection, namespace, name: String(ownPath(object, 'metadata', 'name'))};
    series.writtenCount = count;
  }

  async function send(series: Series): Promise<void> {
    const startedAt = clock.monotonic();
    for (let attempt = 1; ; attempt += 1) {
      if (!(await limit.take(stopped.signal))) return drop(1);
      series.queued = false;
      try {
        await write(series);
        if (failing > 0) log.info('Events are written again', {lost: failing});
        failing = 0;
        // What came in meanwhile.
        if (series.count > series.writtenCount) flushLater(series);
        return;
      } catch (error) {
        const isLate = clock.monotonic() - startedAt >= giveUpMs;
        if (attempt < attempts && !isLate && !stopped.signal.aborted && isTransient(error)) {
          await sleep(clock, 200 * attempt, stopped.signal);
          continue;
        }
        if (failing === 0) log.warn('an Event could not be written', {reason: series.event.reason, error: String(error)});
        failing += 1;
        known.delete(series.identity);
        return drop(1);
      }
    }
  }

  async function run(): Promise<void> {
    for (;;) {
      const series = queue.shift();
      if (series !== undefined) {
        await send(series);
        if (stopped.signal.aborted) return;
        continue;
      }
      if (stopping.signal.aborted) return;
      wake = new AbortController();
      await sleep(clock, repeatMs, wake.signal);
    }
  }

  return {
    emit,
    get dropped() {
      return dropped;
    },
    start() {
      running ??= run();
    },
    async stop(graceMs = 2_000) {
      stopping.abort();
      wake.abort();
      for (const series of known.values()) series.cancelFlush?.();
      const cancel = clock.schedule(graceMs, () => stopped.abort());
      await running;
      cancel();
      stopped.abort();
      if (queue.length > 0) drop(queue.length);
    },
  };
}

/** Refusals as such (forbidden, a namespace that goes away) stay refusals. */
function isTransient(error: unknown): boolean {
  return !(
    hasStatus(error, 400) ||
    hasStatus(error, 403) ||
    hasStatus(error, 404) ||
    hasStatus(error, 409) ||
    hasStatus(error, 422)
  );
}
