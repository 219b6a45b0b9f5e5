import {CelError} from '../cel/errors.js';
import {JsonPatchValue, MessageValue, typeMismatches} from '../cel/kubernetes/object-types.js';
import {toJson} from '../cel/values/index.js';
import type {Value} from '../cel/values/value.js';
import {EvalError} from '../diagnostic.js';
import {isObject, type Json, type JsonObject} from '../json/types.js';
import type {PatchOperation} from './json-patch/strict-patch.js';

/** A value as JSON. Throws EvalError for what JSON cannot hold. */
export function jsonOf(value: Value): Json {
  try {
    return toJson(value);
  } catch (thrown) {
    if (thrown instanceof CelError) throw new EvalError(thrown.message);
    throw thrown;
  }
}

/** The configuration that an `Object{…}` says. Throws EvalError when its parts have names of types of other places. */
export function configurationOf(value: Value): JsonObject {
  checkTypes(value);
  const json = jsonOf(value);
  if (!isObject(json)) throw new EvalError('invalid return type: the expression must come to an Object');
  return json;
}

/** Operations that a list of `JSONPatch{…}` says. Throws EvalError. */
export function operationsOf(value: Value): PatchOperation[] {
  if (!Array.isArray(value)) throw new EvalError('type mismatch: JSONPatchType.expression should evaluate to array');
  return value.map((item: Value) => {
    if (!(item instanceof JsonPatchValue)) {
      throw new EvalError('type mismatch: JSONPatchType.expression should evaluate to array of JSONPatch');
    }
    if (item.value !== undefined) checkTypes(item.value);
    return {
      op: item.op,
      path: item.path,
      from: item.from,
      value: item.value === undefined ? undefined : jsonOf(item.value),
    };
  });
}

function checkTypes(value: Value): void {
  if (!(value instanceof MessageValue)) return;
  const faults = typeMismatches(value);
  if (faults.length > 0) throw new EvalError(`type mismatch: ${faults.join('\n')}`);
}
