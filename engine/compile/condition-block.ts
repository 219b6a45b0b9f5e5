import {compileConditions} from '../conditions/index.js';
import type {RuleScope} from '../context/rule-scope.js';
import type {Json} from '../json/types.js';
import {compileTemplate, type TemplateScope} from '../variables/template.js';
import type {Conditions} from './types.js';

/** Preconditions, deny conditions, exception conditions; `path` is theirs in the policy. */
export function compileBlock(raw: Json | undefined, path: string): Conditions {
  return compileConditions<TemplateScope>(raw, path, (value, at) => compileTemplate(value, at));
}

/** `undefined` for an absent block. */
export function compileOptionalBlock(raw: Json | undefined, path: string): Conditions | undefined {
  return raw === undefined ? undefined : compileBlock(raw, path);
}

export function evaluateBlock(conditions: Conditions, scope: RuleScope): {readonly result: boolean; readonly message: string} {
  return conditions.evaluate(scope, scope.env.budget);
}
