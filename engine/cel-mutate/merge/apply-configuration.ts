import type {Budget} from '../../budget.js';
import {EvalError} from '../../diagnostic.js';
import {type JsonObject, own, setOwn} from '../../json/types.js';
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
  return mergeValues(object, patch, type, budget);
}

function typeThatFits(patch: JsonObject, type: StructuralType, {budget, newerType}: ApplyOptions): StructuralType {
  const errors = validateValue(patch, type, budget);
  if (errors.length === 0) return type;
  const newer = errors.some(({message}) => message === undeclared) ? newerType?.() : undefined;
  if (newer === undefined) throw refusal(errors);
  const left = validateValue(patch, newer, budget);
  if (left.length > 0) throw refusal(left);
  return newer;
}

function refusal(errors: readonly FieldError[]): EvalError {
  return new EvalError(
    `error applying patch: failed to convert patch object to typed object: ${fieldErrorsText(errors)}`,
  );
}
