import type {CompiledImagesRule, Outcome} from '../compile/types.js';
import {EvalError} from '../diagnostic.js';
import {findImages} from '../image/image-extractors.js';
import type {JsonObject} from '../json/types.js';
import {applyJsonPatch} from '../mutate/index.js';
import type {RuleResult} from '../types.js';
import {type ImageStatus, type ImageStatuses, worseOf} from '../verify-images/record.js';
import {trustedStatuses} from '../verify-images/trusted-record.js';
import {summarise} from '../verify-images/summary.js';
import {type ImageOutcome, type VerifyCall, verifyImages} from '../verify-images/verify-images.js';
import {
  exceptionOutcome,
  guard,
  matchingExceptions,
  preconditionOutcome,
  type RuleCall,
  scopeFor,
  selects,
} from './guard-rule.js';
import {ruleResult} from './results.js';

export interface ImagesRuleOutcome {
  readonly results: readonly RuleResult[];
  /** Set when a digest was put behind a tag. */
  readonly object?: JsonObject;
  /** For the record of the object. */
  readonly statuses: ImageStatuses;
}

const nothing: ImageStatuses = new Map();

/** One verifyImages rule on the running object; `undefined` when it does not select it. Synchronous; may suspend. */
export function imagesRule(call: RuleCall<CompiledImagesRule>): ImagesRuleOutcome | undefined {
  const {rule, context, run} = call;
  const failed = (message: string): ImagesRuleOutcome => ({
    results: [
      ruleResult(rule, {status: 'error', message}, {type: 'ImageVerify', action: rule.fixedAction ?? 'Enforce'}),
    ],
    statuses: nothing,
  });
  return guard<ImagesRuleOutcome | undefined>(
    run,
    () => {
      if (!selects(call)) return undefined;
      const action = rule.fixedAction ?? rule.action(context, run);
      const refusal = call.refusal?.(call.policy);
      if (refusal !== undefined) return failed(refusal);
      const scope = scopeFor(call);
      const answer = (outcome: Outcome, exceptions?: readonly string[]) =>
        ruleResult(rule, outcome, {type: 'ImageVerify', action, scope, ...(exceptions !== undefined && {exceptions})});
      const precondition = preconditionOutcome(rule, scope);
      if (precondition !== undefined) return {results: [answer(precondition)], statuses: nothing};
      const exceptions = matchingExceptions(call, scope);
      if (exceptions.length > 0)
        return {results: [answer(exceptionOutcome(exceptions), exceptions)], statuses: nothing};
      const {object} = context.request;
      if (object === undefined) return undefined;
      const outcomes = verifyImages({
        images: rule.images,
        scope,
        policy: call.policy.ref.name,
        rule: rule.name,
        before: imagesBefore(call),
        mutates: true,
      });
      const patched = withDigests(object, outcomes);
      return {
        results: summarise(outcomes).map(({warns, ...outcome}) =>
          warns ? {...answer(outcome), warns: true} : answer(outcome),
        ),
        ...(patched !== object && {object: patched}),
        statuses: statusesOf(outcomes),
      };
    },
    failed,
  );
}

/** What stood in the object before this update, and what was known of it. */
function imagesBefore({rule, context, policy, run}: RuleCall<CompiledImagesRule>): VerifyCall['before'] {
  const {operation, oldObject} = context.request;
  if (operation !== 'UPDATE' || oldObject === undefined) return {texts: new Set(), statuses: nothing};
  const statuses = trustedStatuses(oldObject, policy.source, rule.name);
  if (statuses.size === 0) return {texts: new Set(), statuses};
  try {
    const found = findImages({kind: context.kind, resource: oldObject, extractors: rule.images.extractors}, run);
    return {texts: new Set(found.map(({text}) => text)), statuses};
  } catch (error) {
    // Of an object that could not be read nothing is taken over.
    if (error instanceof EvalError && error.code !== 'budget') return {texts: new Set(), statuses: nothing};
    throw error;
  }
}

function withDigests(object: JsonObject, outcomes: readonly ImageOutcome[]): JsonObject {
  const changed = outcomes.filter(({found, image}) => image.text !== found.text);
  return applyJsonPatch(
    object,
    changed.map(({image}) => ({op: 'replace', path: image.pointer, value: image.text})),
  );
}

function statusesOf(outcomes: readonly ImageOutcome[]): ImageStatuses {
  const statuses = new Map<string, ImageStatus>();
  for (const {image, status} of outcomes)
    if (status !== undefined) statuses.set(image.name, worseOf(statuses.get(image.name), status));
  return statuses;
}
