import type {Budget} from '../../budget.js';
import {EvalError} from '../../diagnostic.js';
import {shallowCopy} from '../../json/clone.js';
import {deepEqual} from '../../json/equal.js';
import {isObject, type Json, type JsonObject, own, setOwn} from '../../json/types.js';
import {pointerTokens} from '../../mutate/pointer.js';
import {insertionPoint, itemIndex, PatchFault} from './list-index.js';
import {sizeOf} from './size-of.js';

export interface PatchOperation {
  readonly op: string;
  readonly path: string;
  readonly from: string;
  /** `undefined`: not set, which counts as null. */
  readonly value: Json | undefined;
}

export interface StrictPatchOptions {
  readonly budget: Budget;
  /** `replace` of a key that is not there adds it, as the API server's own admission policies do. */
  readonly replaceAdds: boolean;
}

/** Values that all `copy` operations together may duplicate. */
const maxCopied = 200_000;

type Container = Json[] | JsonObject;

interface Place {
  readonly parent: Container;
  readonly token: string;
}

/**
 * Applies RFC 6902 operations to the letter: what is named must be there, parents are not made. Negative indexes count
 * from the end. The object itself when a `test` does not hold. Parts that stay are shared. Throws `EvalError` with the
 * texts of evanphx/json-patch, which scripts match.
 */
export function applyStrictPatch(
  object: JsonObject,
  operations: readonly PatchOperation[],
  options: StrictPatchOptions,
): JsonObject {
  let current: Json = object;
  let copied = 0;
  try {
    for (const operation of operations) {
      const {op, path, from} = operation;
      options.budget.step();
      const value = operation.value ?? null;
      if (op === 'add') current = add(current, path, value, options);
      else if (op === 'remove') current = remove(current, path, options);
      else if (op === 'replace') current = replace(current, path, value, options);
      else if (op === 'test') {
        if (!holds(current, path, value)) return object;
      } else if (op === 'move') {
        const moved = source(current, from, 'move');
        if (path.startsWith(`${from}/`))
          throw new PatchFault(`error in move for path: '${path}': a value cannot move into itself`);
        current = add(remove(current, from, options), path, moved, options, 'move');
      } else if (op === 'copy') {
        const value = source(current, from, 'copy');
        copied += sizeOf(value, maxCopied - copied);
        if (copied >= maxCopied) throw new PatchFault('unable to copy: the copies of a patch are limited');
        current = add(current, path, value, options, 'copy');
      } else throw new PatchFault(`Unexpected kind: ${op}`);
    }
  } catch (error) {
    if (error instanceof PatchFault) throw new EvalError(`JSON Patch: ${error.text}`);
    throw error;
  }
  if (!isObject(current)) throw new EvalError('JSON Patch: the whole object may only be replaced by another object');
  return current;
}

function child(parent: Json, token: string): Json | undefined {
  if (isObject(parent)) return own(parent, token);
  if (!Array.isArray(parent)) return undefined;
  const at = itemIndex(token, parent.length);
  return typeof at === 'number' ? parent[at] : undefined;
}

/** The container that holds the last token; `undefined`: the way there ends before. */
function parentOf(root: Json, path: string): Place | undefined {
  if (!path.startsWith('/')) return undefined;
  const tokens = pointerTokens(path);
  let current: Json | undefined = root;
  for (const token of tokens.slice(0, -1)) {
    if (current === undefined) return undefined;
    current = child(current, token);
  }
  return isObject(current) || Array.isArray(current) ? {parent: current, token: tokens.at(-1)!} : undefined;
}

/** `undefined`: a map without that key. Throws PatchFault, `what` before it, for an index that is none. */
function read({parent, token}: Place, what: string): Json | undefined {
  if (!Array.isArray(parent)) return own(parent, token);
  const at = itemIndex(token, parent.length);
  if (typeof at !== 'number') throw new PatchFault(`${what}: ${at.fault}`);
  return parent[at];
}

/** Rewrites the container of the last token, copying the way down. */
function edit(
  root: Json,
  path: string,
  {budget}: StrictPatchOptions,
  change: (parent: Container, token: string) => Json,
): Json {
  const tokens = pointerTokens(path);
  const rewrite = (parent: Json, depth: number): Json => {
    const token = tokens[depth]!;
    budget.step(Array.isArray(parent) ? parent.length : Object.keys(parent as JsonObject).length);
    if (depth === tokens.length - 1) return change(parent as Container, token);
    return withChild(parent as Container, token, rewrite(child(parent, token)!, depth + 1));
  };
  return rewrite(root, 0);
}

function withChild(parent: Container, token: string, value: Json): Json {
  if (Array.isArray(parent)) return parent.with(itemIndex(token, parent.length) as number, value);
  const result = shallowCopy(parent);
  setOwn(result, token, value);
  return result;
}

function add(
  root: Json,
  path: string,
  value: Json,
  options: StrictPatchOptions,
  op: 'add' | 'move' | 'copy' = 'add',
): Json {
  if (path === '') return value;
  if (parentOf(root, path) === undefined) {
    throw new PatchFault(
      op === 'add'
        ? `add operation does not apply: doc is missing path: "${path}": missing value`
        : `${op} operation does not apply: doc is missing destination path: ${path}: missing value`,
    );
  }
  return edit(root, path, options, (parent, token) => {
    if (!Array.isArray(parent)) return withChild(parent, token, value);
    const at = insertionPoint(token, parent.length);
    if (typeof at === 'number') return parent.toSpliced(at, 0, value);
    const what = op === 'copy' ? 'error while adding value during copy' : `error in ${op} for path: '${path}'`;
    throw new PatchFault(`${what}: ${at.fault}`);
  });
}

function remove(root: Json, path: string, options: StrictPatchOptions): Json {
  if (parentOf(root, path) === undefined) {
    throw new PatchFault(`remove operation does not apply: doc is missing path: "${path}": missing value`);
  }
  return edit(root, path, options, (parent, token) => {
    if (Array.isArray(parent)) {
      const at = itemIndex(token, parent.length);
      if (typeof at !== 'number') throw new PatchFault(`error in remove for path: '${path}': ${at.fault}`);
      return parent.toSpliced(at, 1);
    }
    if (!Object.hasOwn(parent, token)) {
      throw new PatchFault(
        `error in remove for path: '${path}': unable to remove nonexistent key: ${token}: missing value`,
      );
    }
    const result = shallowCopy(parent);
    delete result[token];
    return result;
  });
}

function replace(root: Json, path: string, value: Json, options: StrictPatchOptions): Json {
  if (path === '') return value;
  const place = parentOf(root, path);
  if (place === undefined)
    throw new PatchFault(`replace operation does not apply: doc is missing path: ${path}: missing value`);
  const {parent, token} = place;
  if (
    Array.isArray(parent)
      ? typeof itemIndex(token, parent.length) !== 'number'
      : !options.replaceAdds && !Object.hasOwn(parent, token)
  ) {
    throw new PatchFault(`replace operation does not apply: doc is missing key: ${path}: missing value`);
  }
  return edit(root, path, options, (container, last) => withChild(container, last, value));
}

function holds(root: Json, path: string, value: Json): boolean {
  if (path === '') return deepEqual(root, value);
  const place = parentOf(root, path);
  if (place === undefined)
    throw new PatchFault(`test operation does not apply: is missing path: ${path}: missing value`);
  return deepEqual(read(place, `error in test for path: '${path}'`) ?? null, value);
}

/** The value that is moved or copied. */
function source(root: Json, from: string, op: 'move' | 'copy'): Json {
  if (from === '' && op === 'move')
    throw new PatchFault('unable to move entire document to another path: invalid state detected');
  const place = parentOf(root, from);
  if (place === undefined) {
    throw new PatchFault(
      `${op} operation does not apply: doc is missing from path: ${op === 'copy' ? `"${from}"` : from}: missing value`,
    );
  }
  const what = op === 'move' ? `error in move for path: '${place.token}'` : `error in copy for from: '${from}'`;
  const value = read(place, what);
  if (value === undefined)
    throw new PatchFault(`${what}: unable to get nonexistent key: ${place.token}: missing value`);
  return value;
}
