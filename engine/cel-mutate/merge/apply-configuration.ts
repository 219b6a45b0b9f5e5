import type {Budget} from '../../budget.js';
import {EvalError} from '../../diagnostic.js';
import {type Json, type JsonObject, own, setOwn} from '../../json/types.js';
import type {StructuralType} from '../schema/types.js';
import {atomicPaths} from './atomics.js';
import {type FieldError, fieldErrorsText} from './field-errors.js';
import {mergeValues} from './merge-values.js';
import {undeclared, validateValue} from './validate.js';

export interface ApplyOptions {
  /** Type of the object; `undefined`: nobody described its kind. */
  readonly type: StructuralType | undefined;
  /** A newer one, asked for when the configuration has fields that `type` does not declare. */
  readonly newerType?: () => StructuralType | undefined;
  /** Atomic lists, maps and structs are replaced, not refused. */
  readonly replaceAtomics: boolean;
  readonly budget: Budget;
}

/**
 * Merges a configuration into an object as `kubectl apply --server-side` would, but without ownership: nothing is
 * removed. Kind and API version are the object's own. Inputs are left as they are. Throws `EvalError`.
 */
export function applyConfiguration(object: JsonObject, configuration: JsonObject, options: ApplyOptions): JsonObject {
  const {budget} = options;
  if (options.type === undefined) throw new EvalError('error applying patch: type converter must not be nil');
  const patch: JsonObject = {};
  for (const key of ['apiVersion', 'kind']) if (Object.hasOwn(object, key)) patch[key] = object[key]!;
  for (const key of Object.keys(configuration))
    if (!Object.hasOwn(patch, key)) setOwn(patch, key, own(configuration, key)!);
  const type = typeThatFits(patch, options.type, options);
  const atomics = options.replaceAtomics ? [] : atomicPaths(patch, type, budget);
  if (atomics.length > 0) {
    throw new EvalError(
      `error applying patch: invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: ${atomics.join(', ')}`,
    );
  }
  check(object, type, {budget, existing: true}, 'failed to convert original object to typed object');
  return mergeValues(object, patch, type, budget) as JsonObject;
}

function typeThatFits(patch: JsonObject, type: StructuralType, {budget, newerType}: ApplyOptions): StructuralType {
  const what = 'failed to convert patch object to typed object';
  const errors = validateValue(patch, type, {budget, existing: false});
  if (errors.length === 0) return type;
  const newer = errors.some(({message}) => message === undeclared) ? newerType?.() : undefined;
  if (newer === undefined) throw refusal(what, errors);
  check(patch, newer, {budget, existing: false}, what);
  return newer;
}

function check(value: Json, type: StructuralType, options: {budget: Budget; existing: boolean}, what: string): void {
  const errors = validateValue(value, type, options);
  if (errors.length > 0) throw refusal(what, errors);
}

function refusal(what: string, errors: readonly FieldError[]): EvalError {
  return new EvalError(`error applying patch: ${what}: ${fieldErrorsText(errors)}`);
}
