import {deepEqual} from '../json/equal.js';
import {isObject, type Json, type JsonObject, own} from '../json/types.js';
import type {JsonPatchOperation} from '../types.js';
import {alignLists} from './align-lists.js';
import {escapeToken} from './pointer.js';

/**
 * RFC 6902 operations that turn `from` into `to`: removals and changes in `from`'s key order, then additions in `to`'s.
 * Lists change element by element. Parts that are the same reference cost nothing.
 */
export function diffJson(from: JsonObject, to: JsonObject): JsonPatchOperation[] {
  const operations: JsonPatchOperation[] = [];
  diffObject(from, to, '', operations);
  return operations;
}

function diffValue(from: Json, to: Json, path: string, operations: JsonPatchOperation[]): void {
  if (from === to) return;
  if (isObject(from) && isObject(to)) diffObject(from, to, path, operations);
  else if (Array.isArray(from) && Array.isArray(to)) diffList(from, to, path, operations);
  else if (!deepEqual(from, to)) operations.push({op: 'replace', path, value: to});
}

function diffObject(from: JsonObject, to: JsonObject, path: string, operations: JsonPatchOperation[]): void {
  if (from === to) return;
  for (const key of Object.keys(from)) {
    const at = `${path}/${escapeToken(key)}`;
    const next = own(to, key);
    if (next === undefined) operations.push({op: 'remove', path: at});
    else diffValue(from[key]!, next, at, operations);
  }
  for (const key of Object.keys(to)) {
    if (!Object.hasOwn(from, key)) operations.push({op: 'add', path: `${path}/${escapeToken(key)}`, value: to[key]!});
  }
}

function diffList(from: readonly Json[], to: readonly Json[], path: string, operations: JsonPatchOperation[]): void {
  let index = 0;
  for (const edit of alignLists(from, to)) {
    const at = `${path}/${index}`;
    if (edit.kind === 'remove') {
      operations.push({op: 'remove', path: at});
      continue;
    }
    if (edit.kind === 'add') operations.push({op: 'add', path: at, value: to[edit.to]!});
    else if (edit.kind === 'replace') operations.push({op: 'replace', path: at, value: to[edit.to]!});
    else if (edit.kind === 'change') diffValue(from[edit.from]!, to[edit.to]!, at, operations);
    index++;
  }
}
