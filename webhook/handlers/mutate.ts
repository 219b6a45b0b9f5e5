import type {Clock} from '../../adapters/clock.js';
import type {Logger} from '../../adapters/log/logger.js';
import {stringifyJson} from '../../engine/json/stringify.js';
import type {Json} from '../../engine/json/types.js';
import type {Engine, MutateOptions, MutateResponse, PolicyResult} from '../../engine/types.js';
import {allowed, allowedWith, denied} from '../answers.js';
import type {AuditJob} from '../audit/audit-job.js';
import {type AdmissionContext, after, type Handler} from '../context.js';
import {redactPatch} from '../layers/payload-dump.js';
import {denialMessage, mutationDenial} from '../messages/denial.js';
import {blocks} from '../messages/verdict.js';
import {mutationWarnings} from '../messages/warnings.js';
import type {Metrics} from '../metrics/metrics.js';
import type {AdmissionAnswer, PolicyNames} from '../types.js';
import {missingPolicy} from './missing-policy.js';

export interface MutateHandlerOptions {
  readonly engine: Engine;
  readonly policies: PolicyNames | undefined;
  readonly submit: (job: AuditJob) => void;
  readonly metrics: Metrics;
  readonly log: Logger;
  readonly dumpPatches: () => boolean;
  readonly clock: Clock;
}

const patchVerbosity = 2;

/** Mutation first, then image policies on the patched object; one patch list from what came in to what goes out. */
export function mutateHandler(options: MutateHandlerOptions): Handler {
  const {engine, metrics, clock} = options;

  function finish(context: AdmissionContext, results: readonly PolicyResult[], message: string | undefined): void {
    const request = context.engineRequest!;
    context.results = results;
    if (request.dryRun || context.expired || results.length === 0) return;
    const base = {webhook: 'mutate', request, time: context.receivedAt, size: context.review.size, results} as const;
    options.submit(message === undefined ? {...base, allowed: true} : {...base, allowed: false, message});
  }

  function answer(context: AdmissionContext, mutated: MutateResponse, verified: MutateResponse): AdmissionAnswer {
    const request = context.engineRequest!;
    const results = verified.results.length === 0 ? mutated.results : [...mutated.results, ...verified.results];
    if (blocks(verified.results)) {
      const message = denialMessage(request, verified.results);
      finish(context, results, message);
      return denied(message);
    }
    finish(context, results, undefined);
    const warnings = mutationWarnings(results);
    const patch = [...mutated.patch, ...verified.patch];
    if (patch.length === 0) return warnings.length === 0 ? allowed : allowedWith(warnings);
    const text = stringifyJson(patch as unknown as Json);
    if (options.dumpPatches())
      options.log.v(patchVerbosity, 'patch', {uid: request.uid, patch: redactPatch(text, request.kind.kind)});
    return {...allowedWith(warnings), patch: text};
  }

  return context => {
    const missing = missingPolicy(context.route, options.policies);
    if (missing !== undefined) return missing;
    const request = context.engineRequest!;
    const settings = mutateOptions(context);
    const started = clock.monotonic();
    return after(engine.mutate(request, settings), mutated => {
      const evaluated = (clock.monotonic() - started) / 1000;
      const counted = (outcome: AdmissionAnswer) => {
        const applied = (clock.monotonic() - started) / 1000;
        metrics.policyResults(request, context.results ?? [], {cause: 'admission_request', evaluated, applied});
        return outcome;
      };
      if (mutated.denied !== undefined) {
        const message = mutationDenial(mutated.results, mutated.denied);
        finish(context, mutated.results, message);
        return counted(denied(message));
      }
      const patched = mutated.object === request.object ? request : {...request, object: mutated.object};
      return after(engine.verifyAndPatchImages(patched, settings), verified =>
        counted(answer(context, mutated, verified)),
      );
    });
  };
}

function mutateOptions(context: AdmissionContext): MutateOptions {
  const {policies, failurePolicy, errors} = context.route;
  const {trace} = context;
  const base = {deadline: context.deadline, ...(errors !== undefined && {errors}), ...(trace !== undefined && {trace})};
  if (policies !== undefined) return {...base, only: policies};
  return failurePolicy === undefined ? base : {...base, failurePolicy};
}
