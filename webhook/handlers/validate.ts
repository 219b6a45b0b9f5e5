import type {Clock} from '../../adapters/clock.js';
import type {Logger} from '../../adapters/log/logger.js';
import type {MaybePromise} from '../../engine/context-loader.js';
import type {Engine, PolicyResult, ValidateOptions} from '../../engine/types.js';
import {type AuditJob, type Judged, judgeAudit} from '../audit/audit-job.js';
import {allowedWith, denied} from '../answers.js';
import {after, errorText, isPromise, type AdmissionContext, type Handler} from '../context.js';
import {denialMessage} from '../messages/denial.js';
import {blocks} from '../messages/verdict.js';
import {validationWarnings} from '../messages/warnings.js';
import type {Metrics} from '../metrics/metrics.js';
import type {AdmissionAnswer, PolicyNames} from '../types.js';
import {missingPolicy} from './missing-policy.js';

export interface ValidateHandlerOptions {
  readonly engine: Engine;
  readonly policies: PolicyNames | undefined;
  readonly submit: (job: AuditJob) => void;
  /** Budget of what follows the answer, milliseconds. */
  readonly auditTimeoutMs: number;
  /** Whether what only reports may be judged before the answer leaves: it costs the same, but the requester waits. */
  readonly auditsAtOnce: () => boolean;
  readonly metrics: Metrics;
  readonly log: Logger;
  readonly clock: Clock;
}

type Mutable<T> = {-readonly [K in keyof T]: T[K]};

/**
 * Judges what can refuse the request, then what only warns. What only reports is judged as well before the answer, so
 * that the API server's audit log has it, unless it has to wait for something or others wait already: then it follows
 * the answer, as everything else does. A path that names one policy judges all of it at once.
 */
export function validateHandler(options: ValidateHandlerOptions): Handler {
  const {engine, metrics, clock} = options;

  function decide(context: AdmissionContext, results: readonly PolicyResult[]): MaybePromise<AdmissionAnswer> {
    const request = context.engineRequest!;
    context.results = results;
    if (blocks(results)) {
      const message = denialMessage(request, results);
      if (context.expired !== true) finish(context, results, message);
      return denied(message);
    }
    const warnings = validationWarnings(results);
    if (context.route.policies !== undefined) {
      if (context.expired !== true) finish(context, results, undefined);
      return allowedWith(warnings);
    }
    context.standingAnswer = allowedWith(warnings);
    const expired = context.expired === true;
    return after(warn(context), loud => {
      const all = loud.length === 0 ? results : [...results, ...loud];
      context.results = all;
      if (!expired) {
        const judged = audit(context);
        finish(context, all, undefined, judged);
        if (judged !== undefined && !isPromise(judged) && judged.results.length > 0) context.audited = judged.results;
      }
      return loud.length === 0 ? context.standingAnswer! : allowedWith([...warnings, ...validationWarnings(loud)]);
    });
  }

  /** Verdicts of audit policies that want to be heard at once; they can no longer change the answer. */
  function warn(context: AdmissionContext): MaybePromise<readonly PolicyResult[]> {
    const started = clock.monotonic();
    const lost = (error: unknown) => {
      options.log.error(`warnings of audit policies failed: ${errorText(error)}`, {uid: context.request.uid});
      return [];
    };
    const found = ({results}: {readonly results: readonly PolicyResult[]}) => {
      const seconds = (clock.monotonic() - started) / 1000;
      const run = {cause: 'admission_request', evaluated: seconds, applied: seconds} as const;
      metrics.policyResults(context.engineRequest!, results, run);
      return results;
    };
    try {
      const response = engine.validate(context.engineRequest!, bucketOptions(context, 'audit-warn'));
      return isPromise(response) ? response.then(found).catch(lost) : found(response);
    } catch (error) {
      return lost(error);
    }
  }

  function audit(context: AdmissionContext): MaybePromise<Judged> | undefined {
    const request = context.engineRequest!;
    if (request.dryRun || !options.auditsAtOnce()) return undefined;
    return judgeAudit(engine, request, {failurePolicy: context.route.failurePolicy, timeoutMs: options.auditTimeoutMs, clock, trace: context.trace});
  }

  function finish(
    context: AdmissionContext,
    results: readonly PolicyResult[],
    message: string | undefined,
    judged?: MaybePromise<Judged>,
  ): void {
    const request = context.engineRequest!;
    const {failurePolicy, policies} = context.route;
    if (request.dryRun) return;
    const base = {webhook: 'validate', request, time: context.receivedAt, size: context.review.size, results, ...(context.trace !== undefined && {trace: context.trace})} as const;
    if (message !== undefined) {
      options.submit({...base, allowed: false, message});
      return;
    }
    const evaluate: Mutable<NonNullable<AuditJob['evaluate']>> = {audit: policies === undefined};
    if (policies !== undefined) evaluate.only = policies;
    else if (failurePolicy !== undefined) evaluate.failurePolicy = failurePolicy;
    if (judged !== undefined) evaluate.judged = judged;
    options.submit({...base, allowed: true, evaluate});
  }

  return context => {
    const missing = missingPolicy(context.route, options.policies);
    if (missing !== undefined) return missing;
    const started = clock.monotonic();
    const bucket = context.route.policies === undefined ? 'enforce' : 'all';
    return after(engine.validate(context.engineRequest!, bucketOptions(context, bucket)), ({results}) => {
      const evaluated = (clock.monotonic() - started) / 1000;
      const answer = decide(context, results);
      const applied = (clock.monotonic() - started) / 1000;
      metrics.policyResults(context.engineRequest!, results, {cause: 'admission_request', evaluated, applied});
      return answer;
    });
  };
}

function bucketOptions(context: AdmissionContext, bucket: ValidateOptions['bucket']): ValidateOptions {
  const options: Mutable<ValidateOptions> = {bucket, deadline: context.deadline};
  const {policies, failurePolicy, errors} = context.route;
  if (context.trace !== undefined) options.trace = context.trace;
  if (errors !== undefined) options.errors = errors;
  if (policies !== undefined) options.only = policies;
  else if (failurePolicy !== undefined) options.failurePolicy = failurePolicy;
  return options;
}
