import type {Clock} from '../../adapters/clock.js';
import {createWorkQueue} from '../manager/work-queue.js';
import type {CleanupJob} from './cleanup-job.js';

export interface CleanupSchedulerOptions {
  readonly clock: Clock;
  /** Runs the job, which `lastRun` then knows of; where it does not, the job is due at once. Rejects only for what is worth trying again. */
  readonly run: (job: CleanupJob) => Promise<void>;
  /** When the job ran last, as far as is known; milliseconds since the epoch. */
  readonly lastRun: (job: CleanupJob) => number | undefined;
  readonly onError: (id: string, error: unknown) => void;
}

export interface CleanupScheduler {
  put(job: CleanupJob): void;
  drop(id: string): void;
  job(id: string): CleanupJob | undefined;
  jobs(): IterableIterator<CleanupJob>;
  setLeading(leading: boolean): void;
  stop(): Promise<void>;
}

/** Timers end well before their limit; a clock that is set is noticed. */
const longestWaitMs = 10 * 60_000;
const shortestWaitMs = 250;

/**
 * Runs each job when its schedule says so, counted from its last run: however many runs were missed while nobody led,
 * one makes up for them.
 */
export function createCleanupScheduler({clock, run, lastRun, onError}: CleanupSchedulerOptions): CleanupScheduler {
  const jobs = new Map<string, CleanupJob>();
  const queue = createWorkQueue({
    clock,
    concurrency: 2,
    firstRetryMs: 1_000,
    maxRetryMs: 60_000,
    onError,
    async run(id) {
      const job = jobs.get(id);
      if (job === undefined) return;
      const due = dueOf(job);
      if (due === undefined) return;
      if (due <= clock.now()) {
        await run(job);
        if (jobs.get(id) !== job) return;
      }
      wait(job);
    },
  });
  queue.pause();

  function dueOf(job: CleanupJob): number | undefined {
    return job.schedule.next(lastRun(job) ?? job.created);
  }

  function wait(job: CleanupJob): void {
    const due = dueOf(job);
    if (due === undefined) return;
    queue.addAfter(job.id, Math.min(longestWaitMs, Math.max(shortestWaitMs, due - clock.now())));
  }

  return {
    put(job) {
      jobs.set(job.id, job);
      queue.add(job.id);
    },
    drop: id => void jobs.delete(id),
    job: id => jobs.get(id),
    jobs: () => jobs.values(),
    setLeading(leading) {
      if (!leading) {
        queue.pause();
        return;
      }
      for (const id of jobs.keys()) queue.add(id);
      queue.resume();
    },
    stop: () => queue.stop(),
  };
}
