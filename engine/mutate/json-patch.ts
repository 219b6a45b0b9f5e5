import type {Budget} from '../budget.js';
import {EvalError} from '../diagnostic.js';
import {shallowCopy} from '../json/clone.js';
import {deepEqual} from '../json/equal.js';
import {isObject, type Json, type JsonObject, own, setOwn} from '../json/types.js';
import type {JsonPatchOperation} from '../types.js';
import {pointerTokens} from './pointer.js';

/** Elements that `add` may pad a list with, and values that all `copy` operations together may duplicate. */
const maxPadding = 1_000;
const maxCopied = 200_000;
const index = /^(?:0|-?[1-9]\d{0,8})$/;

type Edit = (parent: Json[] | JsonObject, token: string) => Json[] | JsonObject;

/**
 * Applies RFC 6902 operations: negative indexes count from the end, removing what is not there does nothing, `add`
 * creates missing parents. The input is left as it is; unchanged parts are shared with it.
 * Throws `EvalError`, also for a `test` that fails. Steps count operations and the members they copy.
 */
export function applyJsonPatch(
  object: JsonObject,
  operations: readonly JsonPatchOperation[],
  budget?: Budget,
): JsonObject {
  let copied = 0;
  let current = object;
  for (const operation of operations) {
    const {op, path} = operation;
    budget?.step(1 + copyCost(current, path) + (operation.from ? copyCost(current, operation.from) : 0));
    const value = operation.value ?? null;
    if (op === 'add') {
      current = add(current, path, value);
    } else if (op === 'remove') {
      current = remove(current, path);
    } else if (op === 'replace') {
      current = replace(current, path, value);
    } else if (op === 'test') {
      if (!deepEqual(read(current, path) ?? null, value)) throw fault(operation, 'the value differs');
    } else {
      const source = operation.from ?? '';
      const moved = read(current, source);
      if (moved === undefined) throw fault(operation, `nothing at ${source}`);
      if (op === 'move') {
        if (path.startsWith(`${source}/`)) throw fault(operation, 'a value cannot move into itself');
        current = remove(current, source);
      } else {
        copied += countValues(moved, maxCopied - copied);
        if (copied >= maxCopied) throw fault(operation, 'copies too much data');
      }
      current = add(current, path, moved);
    }
  }
  return current;
}

function fault({op, path}: Pick<JsonPatchOperation, 'op' | 'path'>, problem: string): EvalError {
  return new EvalError(`JSON patch operation ${op} ${path} failed: ${problem}`);
}

/** Members of the maps and lists on the way to a place: what changing it copies. */
function copyCost(root: JsonObject, path: string): number {
  let cost = 0;
  let current: Json | undefined = root;
  for (const token of pointerTokens(path)) {
    if (Array.isArray(current)) cost += current.length;
    else if (isObject(current)) cost += Object.keys(current).length;
    else break;
    current = child(current, token);
  }
  return cost;
}

function countValues(value: Json, limit: number): number {
  let count = 0;
  const open: Json[] = [value];
  while (open.length > 0 && count < limit) {
    const next = open.pop()!;
    count++;
    if (Array.isArray(next)) for (const item of next) open.push(item);
    else if (isObject(next)) for (const key of Object.keys(next)) open.push(next[key]!);
  }
  return count;
}

/** Position of an index token in a list of `length`; `undefined` when it is no index or lies outside. */
function position(token: string, length: number): number | undefined {
  if (!index.test(token)) return undefined;
  const at = Number(token) < 0 ? Number(token) + length : Number(token);
  return at >= 0 && at < length ? at : undefined;
}

function child(parent: Json, token: string): Json | undefined {
  if (Array.isArray(parent)) {
    const at = position(token, parent.length);
    return at === undefined ? undefined : parent[at];
  }
  return isObject(parent) ? own(parent, token) : undefined;
}

function read(root: JsonObject, path: string): Json | undefined {
  let current: Json | undefined = root;
  for (const token of pointerTokens(path)) {
    if (current === undefined) return undefined;
    current = child(current, token);
  }
  return current;
}

function withChild(parent: Json[] | JsonObject, token: string, value: Json): Json[] | JsonObject {
  if (Array.isArray(parent)) {
    const result = [...parent];
    result[position(token, parent.length)!] = value;
    return result;
  }
  const result = shallowCopy(parent);
  setOwn(result, token, value);
  return result;
}

/** Rewrites the parent of the last token, copying the way down; `undefined` when the way ends before. */
function edit(root: JsonObject, tokens: readonly string[], change: Edit): JsonObject | undefined {
  const way: (Json[] | JsonObject)[] = [];
  let current: Json | undefined = root;
  for (let depth = 0; depth < tokens.length - 1; depth++) {
    if (!Array.isArray(current) && !isObject(current)) return undefined;
    way.push(current);
    current = child(current, tokens[depth]!);
  }
  if (!Array.isArray(current) && !isObject(current)) return undefined;
  let result = change(current, tokens.at(-1)!);
  if (result === current) return root;
  for (let depth = way.length - 1; depth >= 0; depth--) result = withChild(way[depth]!, tokens[depth]!, result);
  return result as JsonObject;
}

function replace(root: JsonObject, path: string, value: Json): JsonObject {
  const result = edit(root, pointerTokens(path), (parent, token) => {
    if (child(parent, token) === undefined) throw fault({op: 'replace', path}, 'nothing there');
    return withChild(parent, token, value);
  });
  if (!result) throw fault({op: 'replace', path}, 'nothing there');
  return result;
}

function remove(root: JsonObject, path: string): JsonObject {
  const result = edit(root, pointerTokens(path), (parent, token) => {
    if (Array.isArray(parent)) {
      const at = position(token, parent.length);
      return at === undefined ? parent : parent.toSpliced(at, 1);
    }
    if (!Object.hasOwn(parent, token)) return parent;
    const result = shallowCopy(parent);
    delete result[token];
    return result;
  });
  return result ?? root;
}

function add(root: JsonObject, path: string, value: Json): JsonObject {
  return addAt(root, pointerTokens(path), {depth: 0, fresh: false, value, path}) as JsonObject;
}

interface Addition {
  readonly depth: number;
  /** The parent was made by this operation, so an index may lie beyond its end. */
  readonly fresh: boolean;
  readonly value: Json;
  readonly path: string;
}

function addAt(parent: Json, tokens: readonly string[], addition: Addition): Json {
  const {depth, fresh, value, path} = addition;
  const token = tokens[depth]!;
  if (!Array.isArray(parent) && !isObject(parent)) {
    throw fault({op: 'add', path}, `/${tokens.slice(0, depth).join('/')} is neither a map nor a list`);
  }
  const last = depth === tokens.length - 1;
  if (last && Array.isArray(parent)) return insert(parent, token, value, {path, mayPad: fresh});
  if (last) return withChild(parent, token, value);
  const existing = child(parent, token) ?? null;
  const next = existing === null ? emptyParent(tokens[depth + 1]!) : existing;
  const changed = addAt(next, tokens, {...addition, depth: depth + 1, fresh: existing === null});
  if (!Array.isArray(parent) || child(parent, token) !== undefined) return withChild(parent, token, changed);
  return insert(parent, token, changed, {path, mayPad: true});
}

/** A list when the next token is an index or `-`, else a map. */
function emptyParent(next: string): Json[] | JsonObject {
  return next === '-' || index.test(next) ? [] : {};
}

function insert(list: readonly Json[], token: string, value: Json, options: {path: string; mayPad: boolean}): Json[] {
  const operation = {op: 'add', path: options.path} as const;
  if (token === '-') return [...list, value];
  if (!index.test(token)) throw fault(operation, `"${token}" is no index of a list`);
  const at = Number(token) < 0 ? Number(token) + list.length + 1 : Number(token);
  const missing = at - list.length;
  if (at < 0 || missing > (options.mayPad ? maxPadding : 0)) {
    throw fault(operation, `index ${token} lies outside the list of ${list.length}`);
  }
  return [...list.slice(0, at), ...new Array<Json>(Math.max(0, missing)).fill(null), value, ...list.slice(at)];
}
