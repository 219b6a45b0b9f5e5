import type {Clock} from '../../adapters/clock.js';
import type {Logger} from '../../adapters/log/logger.js';
import type {MaybePromise} from '../../engine/context-loader.js';
import {
  NotImplementedError,
  type Engine,
  type EngineRequest,
  type FailurePolicy,
  type PolicyResult,
  type RunTrace,
} from '../../engine/types.js';
import {after} from '../context.js';
import {turn} from '../turn.js';
import {logDecisions, logVerdicts} from '../log-lines.js';
import type {TraceSink} from '../../adapters/tracing/types.js';
import type {Metrics} from '../metrics/metrics.js';
import type {RequestTrace} from '../tracing/request-trace.js';
import type {AuditRecord, AuditSink} from '../types.js';

export interface AuditJob {
  readonly webhook: 'validate' | 'mutate';
  readonly request: EngineRequest;
  readonly time: number;
  /** Bytes that the request had on the wire. */
  readonly size: number;
  readonly allowed: boolean;
  readonly message?: string;
  /** Verdicts found within the request. */
  readonly results: readonly PolicyResult[];
  readonly trace?: RequestTrace;
  /** Audit policies and generation of this failure policy follow; absent: only the record. */
  readonly evaluate?: {
    readonly failurePolicy?: FailurePolicy;
    readonly audit: boolean;
    readonly only?: readonly string[];
    /** Audit policies as judged before the answer left, or on the way. */
    readonly judged?: MaybePromise<Judged>;
  };
}

export interface Judged {
  readonly results: readonly PolicyResult[];
  readonly seconds: number;
  /** Why they could not be judged. */
  readonly error?: unknown;
}

const none: readonly PolicyResult[] = [];

export interface AuditRunOptions {
  readonly engine: Engine;
  readonly sink: AuditSink;
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly traces?: TraceSink | undefined;
}

/** Judges what had not to be judged in time and hands the whole to the sink, in turns of the event loop. */
export function createAuditRun(options: AuditRunOptions): (job: AuditJob, abort: AbortController) => MaybePromise<void> {
  const {engine, clock, log, metrics} = options;
  let generates = true;

  function judged(job: AuditJob): MaybePromise<readonly PolicyResult[]> {
    if (job.evaluate?.audit !== true) return none;
    const {failurePolicy} = job.evaluate;
    const found = job.evaluate.judged ?? judgeAudit(engine, job.request, {failurePolicy, timeoutMs: options.timeoutMs, clock, trace: job.trace});
    return after(found, outcome => told(job, outcome));
  }

  function told(job: AuditJob, {results, seconds, error}: Judged): readonly PolicyResult[] {
    trace(job);
    if (error !== undefined) throw error;
    if (results.length === 0) return results;
    metrics.policyResults(job.request, results, {cause: 'admission_request', evaluated: seconds, applied: seconds});
    logVerdicts(log, job.request, results);
    logDecisions(log, job.request, results);
    return results;
  }

  /** Policies that were judged after the answer have a span that says what they follow. */
  function trace({trace, request}: AuditJob): void {
    if (trace === undefined || options.traces === undefined) return;
    const record = trace.followUp(`AUDIT ${request.operation} ${request.kind.kind}`, {'kyverno.decision.id': request.uid});
    if (record !== undefined) options.traces.submit(record);
  }

  function generated(job: AuditJob): MaybePromise<readonly PolicyResult[]> {
    return generates && job.evaluate !== undefined ? generatedBy(job, job.evaluate) : none;
  }

  async function generatedBy(job: AuditJob, evaluate: NonNullable<AuditJob['evaluate']>): Promise<readonly PolicyResult[]> {
    const {failurePolicy, only} = evaluate;
    try {
      const response = await engine.generate(job.request, {
        // What comes of it the background works out, and tells.
        selectOnly: true,
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

  async function deliver(job: AuditJob, results: readonly PolicyResult[], abort: AbortController): Promise<void> {
    await turn();
    if (abort.signal.aborted) return;
    await options.sink.submit(record(job, results), abort.signal);
  }

  return (job, abort) =>
    after(judged(job), audit =>
      after(generated(job), generation => {
        if (options.sink.takes?.() === false) return;
        const results = [...job.results, ...audit, ...generation];
        if (results.length > 0 || !job.allowed) return deliver(job, results, abort);
      }),
    );
}

function record(job: AuditJob, results: readonly PolicyResult[]): AuditRecord {
  const {webhook, request, time, allowed, message} = job;
  return {webhook, request, time, allowed, results, ...(message === undefined ? {} : {message})};
}

/** Verdicts of policies that only report. Never throws and never rejects. */
export function judgeAudit(
  engine: Engine,
  request: EngineRequest,
  call: {readonly failurePolicy: FailurePolicy | undefined; readonly timeoutMs: number; readonly clock: Clock; readonly trace?: RunTrace | undefined},
): MaybePromise<Judged> {
  const {failurePolicy, timeoutMs, clock, trace} = call;
  const started = clock.monotonic();
  const seconds = () => (clock.monotonic() - started) / 1000;
  const failed = (error: unknown): Judged => ({results: none, seconds: seconds(), error});
  const deadline = clock.now() + timeoutMs;
  try {
    const response = engine.validate(request, {bucket: 'audit', deadline, ...(failurePolicy !== undefined && {failurePolicy}), ...(trace !== undefined && {trace})});
    if (!(response instanceof Promise)) return {results: response.results, seconds: seconds()};
    return response.then(({results}) => ({results, seconds: seconds()}), failed);
  } catch (error) {
    return failed(error);
  }
}
