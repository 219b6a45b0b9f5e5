import {type ResourceLimits, Worker} from 'node:worker_threads';
import {Counter} from 'prom-client';
import {sleep} from '../../adapters/clock.js';
import {createMark} from '../../adapters/mark.js';
import type {ProfiledThread} from '../../adapters/profile-server.js';
import {createBackoff} from '../../adapters/kube/backoff.js';
import {createThreadPort, type ThreadPort} from '../../adapters/thread-port.js';
import {stringifyJson} from '../../engine/json/stringify.js';
import type {Json} from '../../engine/json/types.js';
import type {Duty} from '../duties/duties.js';
import type {Foundations} from '../process/foundations.js';
import type {Judgement} from '../process/judgement.js';
import type {SharedMemory} from '../process/shared-memory.js';
import type {AdmissionFinding} from '../reports/admission-results.js';
import type {Refusal} from '../reports/refused-requests.js';
import {droppedChanges} from '../reports/report-metrics.js';
import type {BackgroundLink} from '../update-requests/requests-feature.js';
import {tellUndone} from '../update-requests/memory-runs.js';
import {joinCounts, withCounts} from '../../webhook/metrics/join-expositions.js';
import type {ToAdmission, ToBackground} from './calls.js';
import {heapLimits} from './heap-limits.js';
import {feedObjects} from './object-feed.js';
import {knownOfImages} from './shared-images.js';
import type {ThreadStart} from './thread-start.js';

/** The thread that works in the background, as the main thread sees it: it is there for as long as the process runs. */
export interface BackgroundThread extends BackgroundLink {
  start(): void;
  /** What an admission found, for its object's report. */
  handOn(finding: AdmissionFinding): void;
  /** One of our webhooks refused the request: what others found in it is not so. */
  refuse(refusal: Refusal): void;
  setDuty(duty: Duty, has: boolean): void;
  /** Work of its duties ends, so that others may have them; what admission finds is still taken in. Never rejects. */
  rest(): Promise<void>;
  /** Exposition text of what is counted there, as it was last heard. */
  metrics(): Promise<string>;
  restartMetrics(): void;
  readonly profiled: ProfiledThread;
  /** Lets it write what waits, as far as a moment allows. */
  stop(): Promise<void>;
}

export interface BackgroundThreadOptions {
  /** File of the program. */
  readonly program: string;
  readonly memory: SharedMemory;
  readonly webhooksServed: () => boolean;
  /** In place of what heapLimits gives it. */
  readonly resourceLimits?: ResourceLimits;
  /** In place of a minute. */
  readonly silentMs?: number;
}

/** Asked so often whether it still takes in what it is told. */
const pingMs = 1_000;
/** Evaluations have budgets: a thread that is silent for so long never comes back. */
const silentMs = 60_000;
/** What admissions found since it last answered; beyond, more is dropped: a scan finds it again. */
const mostUnheard = 5_000;
/** So long it may write what waits. */
const stopMs = 2_500;
const scrapeMs = 2_000;
const profileGraceMs = 10_000;

/**
 * Starts the thread for scans, generation and reports and starts it anew where it ends by itself: what goes wrong there, its memory
 * included, takes no admission along. It judges by the objects that are mirrored here, passed on as they change.
 */
export function createBackgroundThread({settings, environment, log, clock, metrics, manager, discovery, events}: Foundations, {native, images, quarantined}: Judgement, {program, memory, webhooksServed, resourceLimits, ...options}: BackgroundThreadOptions): BackgroundThread {
  const duties = new Map<Duty, boolean>();
  const backoff = createBackoff({firstMs: 1_000, maxMs: 60_000, random: Math.random});
  const ends = new Counter({name: 'kyverno_background_thread_ends_total', help: 'How often the thread of scans, generation and reports ended by itself and was started anew', registers: [metrics.registry]});
  ends.inc(0);
  const heart = createMark(memory.heart);
  heart.note(clock.now());
  const dropped = droppedChanges(metrics.registry);
  let unheard = 0;
  let running: {readonly worker: Worker; readonly port: ThreadPort<ToBackground>; readonly exited: Promise<void>} | undefined;
  /** Of the thread that runs, as last heard; and of those before it. */
  let lastMetrics = '';
  let endedMetrics = '';
  let cancelStart: (() => void) | undefined;
  let stopping = false;

  function start(): void {
    const {origin} = settings;
    const data: ThreadStart = {
      settings: {flags: origin.flags, sources: origin.sources, started: origin.started && stringifyJson(origin.started)},
      environment,
      memory,
    };
    const worker = new Worker(program, {workerData: data, name: 'background', resourceLimits: {...heapLimits(), ...resourceLimits}});
    const cleanUps: Array<() => void> = [];
    const port = createThreadPort<ToBackground, ToAdmission>(worker, {
      tells: {
        mirror(kinds) {
          const tellKinds = () => port.tell('kinds', {all: discovery.resourceMap.all(), failures: discovery.failures});
          tellKinds();
          cleanUps.push(
            discovery.subscribe(tellKinds),
            native.follow((kind, key, entry) => port.tell('native', {kind, key, entry})),
            feedObjects({reflectorOf: key => manager.reflector(key), kinds, send: changes => port.tell('objects', changes)}),
          );
        },
        quarantine: ({policy, state}) => quarantined.tell(policy, state, 'background'),
        reworded: ({kind, key}) => quarantined.free(kind, key, 'background'),
      },
      asks: {
        webhooksServed: () => webhooksServed(),
        image: question => knownOfImages(images, question),
      },
      onError: (name, error) => log.error('the thread of background work could not be heard', {name, error: String(error)}),
    });
    for (const [duty, has] of duties) port.tell('duty', {duty, has});
    worker.on('error', error => log.error('the thread of background work failed', {error: error instanceof Error ? (error.stack ?? error.message) : String(error)}));
    const started = clock.monotonic();
    cleanUps.push(watch(worker, port));
    const exited = new Promise<void>(resolve => {
      worker.once('exit', code => {
        port.close();
        for (const cleanUp of cleanUps) cleanUp();
        quarantined.release('background');
        // Counters that fall would be taken for new ones.
        endedMetrics = joinCounts(endedMetrics, lastMetrics);
        lastMetrics = '';
        running = undefined;
        resolve();
        if (stopping) return;
        ends.inc();
        if (clock.monotonic() - started > 60_000) backoff.reset();
        const retryInMs = Math.round(backoff.next());
        log.error('the thread of background work has ended; it is started anew', {code, retryInMs});
        cancelStart = clock.schedule(retryInMs, start);
      });
    });
    running = {worker, port, exited};
  }

  /** Ends a thread that does not answer any more. */
  function watch(worker: Worker, port: ThreadPort<ToBackground>): () => void {
    const {silentMs: longest = silentMs} = options;
    let heard = clock.monotonic();
    let looked = heard;
    let asked = false;
    unheard = 0;
    const timer = setInterval(() => {
      heart.note(clock.now());
      const now = clock.monotonic();
      // This thread itself had no turn: it could not have heard an answer.
      if (now - looked > longest / 2) heard = now;
      looked = now;
      if (now - heard > longest) {
        log.error('the thread of background work is stuck and ended', {silentMs: Math.round(now - heard)});
        heard = now;
        void worker.terminate();
      }
      if (asked) return;
      asked = true;
      const before = unheard;
      port.ask('ping', undefined).then(
        () => {
          asked = false;
          heard = clock.monotonic();
          unheard -= before;
        },
        () => undefined,
      );
    }, Math.min(pingMs, longest));
    timer.unref();
    return () => clearInterval(timer);
  }

  function alive(): NonNullable<typeof running> {
    if (running === undefined) throw new Error('the thread of background work does not run');
    return running;
  }

  const tell: ThreadPort<ToBackground>['tell'] = (name, value) => running?.port.tell(name, value);

  return {
    start,
    works: () => duties.get('background') === true,
    expect: (uid, work) => tell('expect', {uid, work}),
    over: work => tell('over', work),
    remember(work) {
      const lost = (error: unknown) => tellUndone({log, events}, work, String(error instanceof Error ? error.message : error));
      if (running === undefined) lost('the thread of background work is being started anew');
      else running.port.ask('remember', stringifyJson(work as unknown as Json)).catch(lost);
    },
    handOn(finding) {
      if (running === undefined || unheard >= mostUnheard) {
        dropped.inc({reason: running === undefined ? 'thread-ended' : 'queue-full'});
        return;
      }
      unheard += 1;
      tell('finding', finding);
    },
    refuse: refusal => tell('refusal', refusal),
    setDuty(duty, has) {
      duties.set(duty, has);
      tell('duty', {duty, has});
    },
    async metrics() {
      if (running !== undefined) {
        const answer = running.port.ask('metrics', undefined).catch(() => undefined);
        lastMetrics = (await Promise.race([answer, sleep(clock, scrapeMs)])) ?? lastMetrics;
      }
      return endedMetrics === '' ? lastMetrics : withCounts(lastMetrics, endedMetrics);
    },
    restartMetrics() {
      endedMetrics = '';
      tell('restartMetrics', undefined);
    },
    profiled: {
      heap: () => alive().worker.getHeapSnapshot(),
      cpu(milliseconds, signal) {
        const {port} = alive();
        const late = sleep(clock, milliseconds + profileGraceMs, signal).then((): never => {
          throw new Error('the thread of background work does not answer');
        });
        return Promise.race([port.ask('profile', milliseconds), late]);
      },
    },
    async rest() {
      duties.clear();
      await running?.port.ask('rest', undefined).catch(error => log.warn('work of the thread in the background is handed over unfinished', {error: String(error)}));
    },
    async stop() {
      stopping = true;
      cancelStart?.();
      if (running === undefined) return;
      const {worker, port, exited} = running;
      const stopped = port.ask('stop', undefined).catch(error => log.warn('the thread of background work did not end by itself', {error: String(error)}));
      await Promise.race([stopped, exited, sleep(clock, stopMs)]);
      await worker.terminate();
      await exited;
    },
  };
}
