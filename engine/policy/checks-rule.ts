import {isObject, type JsonObject, own} from '../json/types.js';
import {child, has, list, objects, text} from './access.js';
import type {Scope} from './check-scope.js';
import {checkConditions} from './checks-conditions.js';
import {checkContext} from './checks-context.js';
import {checkCleanup, checkGenerate} from './checks-generate.js';
import {checkMatch} from './checks-match.js';
import {checkMutate} from './checks-mutate.js';
import {checkUserInfo} from './checks-user-info.js';
import {checkValidate} from './checks-validate.js';
import {checkVariables} from './checks-variables.js';
import {checkVerifyImages} from './checks-verify-images.js';
import {at} from './faults.js';

export const actionFields = ['mutate', 'validate', 'generate', 'verifyImages', 'cleanup'] as const;

/** The actions that a rule really has: an empty block counts as none. */
export function actionsOf(rule: JsonObject): readonly (typeof actionFields)[number][] {
  return actionFields.filter(key => {
    const value = own(rule, key);
    if (key === 'verifyImages') return Array.isArray(value) && value.length > 0;
    return isObject(value) && Object.keys(value).length > 0;
  });
}

/** An action is there but cannot be read, which was told already. */
function hasUnreadableAction(rule: JsonObject): boolean {
  return actionFields.some(key => {
    if (!has(rule, key)) return false;
    return key === 'verifyImages' ? !Array.isArray(own(rule, key)) : !isObject(own(rule, key));
  });
}

/** All checks of one rule in its current form. `written` tells which of its parts were there at all, fit or not. */
export function checkRule(rule: JsonObject, written: JsonObject, path: string, scope: Scope): void {
  const {faults} = scope;
  const name = text(rule, 'name') ?? '';
  const actions = actionsOf(written);
  if (actions.length === 0 && !has(written, 'match')) {
    faults.error('rule-unfinished', path, `rule '${name}' at ${path} is unfinished: match and an action are missing`, {
      hint: 'write match with the kinds it is for, and one of mutate, validate, generate, verifyImages',
    });
    return;
  }
  if (actions.length === 0 && !hasUnreadableAction(written)) {
    faults.error(
      'action-missing',
      path,
      `No operation defined in the rule '${name}'.(supported operations: mutate,validate,generate,verifyImages)`,
    );
  } else if (actions.length > 1) {
    faults.error(
      'action-several',
      path,
      `Multiple operations defined in the rule '${name}', only one operation (mutate,validate,generate,verifyImages) is allowed per rule`,
      {hint: `given: ${actions.join(', ')}`},
    );
  }
  checkMatch(rule, path, scope);
  checkUserInfo(rule, path, scope);
  checkContext(objects(rule, 'context'), at(path, 'context'), scope);
  checkConditions(own(rule, 'preconditions'), at(path, 'preconditions'), faults);
  checkCelPreconditions(rule, path, scope);
  if (has(rule, 'imageExtractors') && !has(rule, 'verifyImages')) {
    faults.error(
      'extractors-alone',
      at(path, 'imageExtractors'),
      'imageExtractors can only be defined for verifyImages rule',
    );
  }
  for (const action of actions) {
    if (action === 'validate') checkValidate(rule, path, scope);
    else if (action === 'mutate') checkMutate(rule, path, scope);
    else if (action === 'generate') checkGenerate(rule, path, scope);
    else if (action === 'verifyImages') checkVerifyImages(rule, path, scope);
    else checkCleanup(rule, path, scope);
  }
  checkVariables(rule, path, scope);
}

function checkCelPreconditions(rule: JsonObject, path: string, {faults}: Scope): void {
  if (list(rule, 'celPreconditions').length === 0) return;
  const place = at(path, 'celPreconditions');
  if (!has(child(rule, 'validate'), 'cel')) {
    faults.error('cel-preconditions', place, 'celPrecondition can only be used with validate.cel');
  }
  objects(rule, 'celPreconditions').forEach((entry, index) => {
    for (const key of ['name', 'expression']) {
      if (!text(entry, key)) faults.error('cel-preconditions', at(at(place, index), key), `${key} is required`);
    }
  });
}
