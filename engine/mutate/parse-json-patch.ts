import {EvalError} from '../diagnostic.js';
import {isObject, type Json, own} from '../json/types.js';
import type {JsonPatchOperation} from '../types.js';
import {parseYaml} from '../yaml/parse.js';

const kinds = ['add', 'remove', 'replace', 'move', 'copy', 'test'] as const;

/** Reads the text of `patchesJson6902` (YAML or JSON list). Throws `EvalError` that names the operation and its fault. */
export function parseJsonPatch(text: string): JsonPatchOperation[] {
  let value: Json;
  try {
    value = parseYaml(text);
  } catch (error) {
    if (error instanceof SyntaxError) throw new EvalError(`failed to parse JSON patch: ${error.message}`);
    throw error;
  }
  return readJsonPatch(value);
}

/** The same for a list that is parsed already. */
export function readJsonPatch(value: Json): JsonPatchOperation[] {
  if (!Array.isArray(value)) throw new EvalError('JSON patch must be a list of operations');
  return value.map((item, index) => readOperation(item, index));
}

function readOperation(item: Json, index: number): JsonPatchOperation {
  if (!isObject(item)) throw new EvalError(`JSON patch operation ${index} must be a map`);
  const op = kinds.find(kind => kind === own(item, 'op'));
  if (!op) throw new EvalError(`JSON patch operation ${index}: op must be one of ${kinds.join(', ')}`);
  const path = pointer(item, 'path', index);
  if (op === 'move' || op === 'copy') return {op, path, from: pointer(item, 'from', index)};
  return op === 'remove' ? {op, path} : {op, path, value: own(item, 'value') ?? null};
}

function pointer(item: Json, key: 'path' | 'from', index: number): string {
  const value = isObject(item) ? own(item, key) : undefined;
  if (typeof value !== 'string' || !value.startsWith('/')) {
    throw new EvalError(`JSON patch operation ${index}: ${key} must be a text that starts with "/"`);
  }
  return value;
}
