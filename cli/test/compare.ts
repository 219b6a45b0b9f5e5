import type {JsonObject} from '../../engine/json/types.js';
import type {RuleStatus} from '../../engine/types.js';
import type {Expectation} from '../files/test-file.js';
import {keyOf, keyText, type PolicyResponse, type RuleResponse} from '../offline/responses.js';
import {sameResource} from './tidy.js';

/** Objects of a file that a test names, already read; `undefined` with a reason when it cannot be. */
export type ExpectedObjects = (path: string) => readonly JsonObject[] | {readonly error: string};

export interface Comparison {
  readonly ok: boolean;
  readonly reason: string;
  readonly message: string;
  /** The expected file has no such object; the row is left out unless the test asks otherwise. */
  readonly missing: boolean;
}

/** Status as reports show it: failures of unscored policies only warn. */
export function reportedStatus(response: PolicyResponse, rule: RuleResponse): RuleStatus {
  if (rule.status !== 'fail') return rule.status;
  const annotations = (response.policy.raw['metadata'] as JsonObject | undefined)?.['annotations'] as
    | JsonObject
    | undefined;
  return annotations?.['policies.kyverno.io/scored'] === 'false' ? 'warn' : 'fail';
}

export interface CompareOptions {
  readonly expectation: Expectation;
  readonly response: PolicyResponse;
  readonly rule: RuleResponse;
  /** The object that the rule speaks of: patched, generated or as it was. */
  readonly actual: JsonObject;
  readonly generated: boolean;
  readonly load: ExpectedObjects;
}

/** Holds one rule's answer against what the test expects: the object first, then the status. */
export function compareRule(options: CompareOptions): Comparison {
  const {expectation, response, rule, actual, load} = options;
  const message = rule.message;
  if (rule.unserved) return {ok: false, reason: 'Not served', message, missing: false};
  if (expectation.patchedResources) {
    const fault = compareObject(actual, [expectation.patchedResources], load);
    if (fault !== undefined) return {ok: false, ...fault};
  }
  if (options.generated) {
    const several = expectation.generatedResources ?? [];
    const files = several.length > 0 ? several : expectation.generatedResource ? [expectation.generatedResource] : [];
    const fault = files.length === 0 ? undefined : compareObject(actual, files, load);
    if (fault !== undefined) return {ok: false, ...fault, missing: false};
  }
  const status = reportedStatus(response, rule);
  if (status === expectation.result) return {ok: true, reason: 'Ok', message, missing: false};
  return {ok: false, reason: `Want ${expectation.result ?? ''}, got ${status}`, message, missing: false};
}

type Fault = Pick<Comparison, 'reason' | 'message' | 'missing'>;

/** `undefined` when one of the files holds an equal object of the same identity. */
function compareObject(actual: JsonObject, files: readonly string[], load: ExpectedObjects): Fault | undefined {
  const key = keyOf(actual);
  const wanted = keyText(key);
  let found = false;
  for (const file of files) {
    const objects = load(file);
    if ('error' in objects) return {reason: 'Resource error', message: objects.error, missing: false};
    for (const object of objects) {
      if (keyText(keyOf(object)) !== wanted) continue;
      found = true;
      if (sameResource(actual, object)) return undefined;
    }
  }
  if (found)
    return {
      reason: 'Resource diff',
      message: `the resource differs from the one in ${files.join(', ')}`,
      missing: false,
    };
  return {
    reason: 'Resource error',
    message: `${key.apiVersion} ${key.kind}: resource with name ${key.name} not found in manifest`,
    missing: true,
  };
}
