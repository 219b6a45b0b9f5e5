import type {Clock} from '../../adapters/clock.js';
import type {Logger} from '../../adapters/log/logger.js';
import type {MaybePromise} from '../../engine/context-loader.js';
import {errorText} from '../context.js';
import type {AuditLoss, Metrics} from '../metrics/metrics.js';
import {createQuietLog} from '../quiet-log.js';

export interface AuditQueueOptions<Job> {
  readonly capacity: number;
  /** Bytes of the jobs that wait or run: a thousand large objects are more than a heap holds. */
  readonly maxBytes: number;
  readonly sizeOf: (job: Job) => number;
  /** Jobs that may wait for something at one time. */
  readonly workers: number;
  /** Budget of one job from its start, milliseconds. */
  readonly timeoutMs: number;
  /** Does one job; the signal of `abort` ends it when its budget is spent. Making that signal costs: only who waits asks. */
  readonly run: (job: Job, abort: AbortController) => MaybePromise<void>;
  readonly describe: (job: Job) => string;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: Metrics;
}

export interface AuditQueue<Job> {
  /** Never waits and never throws; false when the job was dropped (and counted). */
  submit(job: Job): boolean;
  /** Jobs that have not been started. */
  readonly waiting: number;
  /** Resolves when nothing waits or runs. */
  idle(): Promise<void>;
  /** Drops what waits, ends what runs. */
  close(): void;
}

/**
 * Work that follows an answer: started one job per turn of the event loop, so that requests come in between; bounded
 * in length and time, so that a dead sink costs neither memory nor latency.
 */
export function createAuditQueue<Job>(options: AuditQueueOptions<Job>): AuditQueue<Job> {
  const {clock, metrics} = options;
  const waiting: Job[] = [];
  let head = 0;
  let running = 0;
  let held = 0;
  let scheduled = false;
  let closed = false;
  const aborts = new Set<AbortController>();
  const idleWaiters: Array<() => void> = [];
  const quietly = createQuietLog(options.log, clock);
  const report = (reason: AuditLoss, text: string) => {
    metrics.auditLost(reason);
    quietly(reason, `audit work for ${text}`);
  };

  function schedule(): void {
    if (scheduled || head === waiting.length || running >= options.workers) return;
    scheduled = true;
    setImmediate(startNext);
  }

  function takeNext(): Job {
    const job = waiting[head]!;
    head++;
    if (head > 64 && head * 2 > waiting.length) {
      waiting.splice(0, head);
      head = 0;
    }
    return job;
  }

  function startNext(): void {
    scheduled = false;
    if (head === waiting.length || running >= options.workers) return;
    const job = takeNext();
    metrics.auditQueued(waiting.length - head);
    start(job);
    schedule();
  }

  function start(job: Job): void {
    running++;
    const abort = new AbortController();
    let result: MaybePromise<void>;
    try {
      result = options.run(job, abort);
    } catch (error) {
      failed(job, error);
      ended(job);
      return;
    }
    if (result instanceof Promise) supervise(job, result, abort);
    else ended(job);
  }

  function supervise(job: Job, result: Promise<void>, abort: AbortController): void {
    aborts.add(abort);
    let over = false;
    const end = () => {
      over = true;
      cancel();
      aborts.delete(abort);
      ended(job);
    };
    const cancel = clock.schedule(options.timeoutMs, () => {
      if (over) return;
      report('given-up', `${options.describe(job)} given up after ${options.timeoutMs / 1000} s`);
      abort.abort();
      end();
    });
    result.then(
      () => over || end(),
      error => {
        if (over) return;
        failed(job, error);
        end();
      },
    );
  }

  function failed(job: Job, error: unknown): void {
    report('failed', `${options.describe(job)} failed: ${errorText(error)}`);
  }

  function ended(job: Job): void {
    running--;
    held -= options.sizeOf(job);
    if (running === 0 && head === waiting.length) for (const resolve of idleWaiters.splice(0)) resolve();
    schedule();
  }

  return {
    submit(job) {
      const size = options.sizeOf(job);
      metrics.auditAsked();
      if (closed || waiting.length - head >= options.capacity || held + size > options.maxBytes) {
        report(
          closed ? 'closed' : 'queue-full',
          `${options.describe(job)} dropped: the audit queue is ${closed ? 'closed' : 'full'}`,
        );
        return false;
      }
      held += size;
      waiting.push(job);
      schedule();
      return true;
    },
    get waiting() {
      return waiting.length - head;
    },
    idle: () =>
      running === 0 && head === waiting.length ? Promise.resolve() : new Promise(resolve => idleWaiters.push(resolve)),
    close() {
      closed = true;
      for (const job of waiting.splice(0).slice(head)) report('closed', `${options.describe(job)} dropped at exit`);
      head = 0;
      for (const abort of aborts) abort.abort();
      for (const resolve of idleWaiters.splice(0)) resolve();
    },
  };
}
