import type {Clock} from '../../adapters/clock.js';
import type {CelCall} from '../../engine/cel-policies/run/create-cel-engine.js';
import type {MaybePromise} from '../../engine/context-loader.js';
import {stringifyJson} from '../../engine/json/stringify.js';
import type {Json} from '../../engine/json/types.js';
import type {MutateResponse, PolicyResult} from '../../engine/types.js';
import type {Logger} from '../../adapters/log/logger.js';
import {allowed, allowedWith, denied} from '../answers.js';
import type {AuditJob} from '../audit/audit-job.js';
import {after, type AdmissionContext, type Handler} from '../context.js';
import {redactPatch} from '../layers/payload-dump.js';
import {celDenial, celWarnings} from '../messages/cel-verdict.js';
import type {Metrics} from '../metrics/metrics.js';
import type {AdmissionAnswer, CelServing} from '../types.js';

export interface CelHandlerOptions {
  readonly cel: CelServing;
  readonly submit: (job: AuditJob) => void;
  readonly metrics: Metrics;
  readonly log: Logger;
  readonly dumpPatches: () => boolean;
  readonly clock: Clock;
}

const patchVerbosity = 2;
const mutatingOperations: ReadonlySet<string> = new Set(['CREATE', 'UPDATE', 'CONNECT']);

/** Policies written in CEL, as the path names them: kind first, then names. */
export function celHandler(options: CelHandlerOptions): Handler {
  const {cel, metrics, clock, log} = options;

  function record(context: AdmissionContext, results: readonly PolicyResult[], message: string | undefined): void {
    const request = context.engineRequest!;
    context.results = results;
    if (request.dryRun || context.expired === true || results.length === 0) return;
    const base = {webhook: context.route.webhook, request, time: context.receivedAt, size: context.review.size, results} as const;
    options.submit(message === undefined ? {...base, allowed: true} : {...base, allowed: false, message});
  }

  function validated(context: AdmissionContext, results: readonly PolicyResult[]): AdmissionAnswer {
    const message = celDenial(results);
    record(context, results, message);
    const warnings = celWarnings(results);
    if (message === undefined) return allowedWith(warnings);
    return warnings.length === 0 ? denied(message) : {...denied(message), warnings};
  }

  function mutated(context: AdmissionContext, {results, patch, denied: message}: MutateResponse): AdmissionAnswer {
    record(context, results, message);
    if (message !== undefined) return denied(message);
    const warnings = results.flatMap(({policy, rules}) =>
      rules.filter(rule => rule.status === 'error' || rule.status === 'warn').map(rule => `Policy ${policy.name} ${rule.status}: ${rule.message}`),
    );
    return patchedBy(context, patch, warnings);
  }

  function patchedBy(context: AdmissionContext, patch: MutateResponse['patch'], warnings: readonly string[]): AdmissionAnswer {
    if (patch.length === 0) return allowedWith(warnings);
    const text = stringifyJson(patch as unknown as Json);
    if (options.dumpPatches()) log.v(patchVerbosity, 'patch', {uid: context.request.uid, patch: redactPatch(text, context.request.kind.kind)});
    return {...allowedWith(warnings), patch: text};
  }

  /** An image without a digest is judged like any verdict: by the policy's actions. */
  function pinned(context: AdmissionContext, {results, patch}: MutateResponse): AdmissionAnswer {
    const answer = validated(context, results);
    return answer.allowed ? patchedBy(context, patch, answer.warnings ?? []) : answer;
  }

  return context => {
    const {kind = '', policies: names = [], webhook} = context.route;
    // What policies that generate, or change existing objects, do follows the answer.
    if (kind.endsWith('GeneratingPolicy') || (kind.endsWith('MutatingPolicy') && webhook === 'validate')) return allowed;
    const request = context.engineRequest!;
    if (webhook === 'mutate' && !mutatingOperations.has(request.operation)) return allowed;
    const call: CelCall = {phase: 'admission', kind, names, deadline: context.deadline, fromBackground: cel.isBackground(request), trace: context.trace};
    const started = clock.monotonic();
    const counted = (answer: AdmissionAnswer) => {
      const seconds = (clock.monotonic() - started) / 1000;
      metrics.policyResults(request, context.results ?? [], {cause: 'admission_request', evaluated: seconds, applied: seconds});
      return answer;
    };
    const answer: MaybePromise<AdmissionAnswer> =
      webhook === 'mutate' && kind.endsWith('ImageValidatingPolicy')
        ? after(cel.engine.pinImages(request, call), response => pinned(context, response))
        : webhook === 'mutate'
        ? after(cel.engine.mutate(request, call), response => mutated(context, response))
        : after(cel.engine.validate(request, call), ({results}) => validated(context, results));
    return after(answer, counted);
  };
}
