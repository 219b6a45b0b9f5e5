import type {Clock} from '../../adapters/clock.js';
import type {Logger} from '../../adapters/log/logger.js';
import {
  NotImplementedError,
  type Engine,
  type EngineRequest,
  type FailurePolicy,
  type PolicyResult,
} from '../../engine/types.js';
import {logDecisions, logVerdicts} from '../log-lines.js';
import type {Metrics} from '../metrics/metrics.js';
import type {AuditRecord, AuditSink} from '../types.js';

export interface AuditJob {
  readonly webhook: 'validate' | 'mutate';
  readonly request: EngineRequest;
  readonly time: number;
  readonly allowed: boolean;
  readonly message?: string;
  /** Verdicts found within the request. */
  readonly results: readonly PolicyResult[];
  /** Audit policies and generation of this failure policy follow; absent: only the record. */
  readonly evaluate?: {
    readonly failurePolicy?: FailurePolicy;
    readonly audit: boolean;
    readonly only?: readonly string[];
  };
}

export interface AuditRunOptions {
  readonly engine: Engine;
  readonly sink: AuditSink;
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: Metrics;
}

/** Judges what had not to be judged in time and hands the whole to the sink, in turns of the event loop. */
export function createAuditRun(options: AuditRunOptions): (job: AuditJob, signal: AbortSignal) => Promise<void> {
  const {engine, clock, log, metrics} = options;
  let generates = true;

  async function judged(job: AuditJob): Promise<PolicyResult[]> {
    if (job.evaluate?.audit !== true) return [];
    const started = clock.monotonic();
    const {failurePolicy} = job.evaluate;
    const deadline = clock.now() + options.timeoutMs;
    const base = {bucket: 'audit', deadline} as const;
    const {results} = await engine.validate(job.request, failurePolicy === undefined ? base : {...base, failurePolicy});
    const seconds = (clock.monotonic() - started) / 1000;
    metrics.policyResults(job.request, results, {cause: 'admission_request', evaluated: seconds, applied: seconds});
    logVerdicts(log, job.request, results);
    logDecisions(log, job.request, results);
    return [...results];
  }

  async function generated(job: AuditJob): Promise<readonly PolicyResult[]> {
    if (!generates || job.evaluate === undefined) return [];
    const {failurePolicy, only} = job.evaluate;
    try {
      const response = await engine.generate(job.request, {
        deadline: clock.now() + options.timeoutMs,
        ...(failurePolicy === undefined ? {} : {failurePolicy}),
        ...(only === undefined ? {} : {only}),
      });
      return response.results;
    } catch (error) {
      if (!(error instanceof NotImplementedError)) throw error;
      generates = false;
      return [];
    }
  }

  return async (job, signal) => {
    const audit = await judged(job);
    const generation = await generated(job);
    const results = [...job.results, ...audit, ...generation];
    if (results.length === 0 && job.allowed) return;
    await turn();
    if (signal.aborted) return;
    await options.sink.submit(record(job, results), signal);
  };
}

function record(job: AuditJob, results: readonly PolicyResult[]): AuditRecord {
  const {webhook, request, time, allowed, message} = job;
  return {webhook, request, time, allowed, results, ...(message === undefined ? {} : {message})};
}

function turn(): Promise<void> {
  return new Promise(resolve => setImmediate(resolve));
}
