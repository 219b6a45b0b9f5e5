import {deepEqual, parseJson} from '../../engine/json/index.js';
import {isObject, type Json, type JsonObject, own, ownPath, setOwn} from '../../engine/json/types.js';

const annotation = 'kubectl.kubernetes.io/last-applied-configuration';
/** Keys below which a policy holds data of the user's own shape, where null means something. */
const freeKeys: ReadonlySet<string> = new Set([
  'pattern',
  'anyPattern',
  'patchStrategicMerge',
  'overlay',
  'data',
  'key',
  'value',
  'default',
  'conditions',
  'preconditions',
]);

/**
 * Client-side `kubectl apply` takes null values out of an object before it sends it, and notes the object as written in
 * an annotation. In a pattern null says "must not be there" and in a patch "take away", so a policy would lose its point.
 * Puts them back where the rest of the pattern or patch still is what was written; elsewhere a null says nothing.
 * Returns the paths that got a null, in the order of the object; the object itself when there are none.
 */
export function restoreNulls(object: JsonObject): {readonly object: JsonObject; readonly restored: readonly string[]} {
  const unchanged = {object, restored: []};
  const text = ownPath(object, 'metadata', 'annotations', annotation);
  if (typeof text !== 'string' || !text.includes('null')) return unchanged;
  const written = parse(text);
  const spec = own(object, 'spec');
  const writtenSpec = isObject(written) ? own(written, 'spec') : undefined;
  if (!isObject(spec) || !isObject(writtenSpec)) return unchanged;
  const restored: string[] = [];
  const whole = walk(spec, writtenSpec, 'spec', restored);
  return restored.length === 0 ? unchanged : {object: {...object, spec: whole}, restored};
}

function parse(text: string): Json | undefined {
  try {
    return parseJson(text);
  } catch {
    // Anyone may write the annotation; a broken one tells nothing.
    return undefined;
  }
}

/** Follows what both have in common down to the free places; typed places keep what is stored. */
function walk(stored: Json, written: Json, path: string, restored: string[]): Json {
  if (Array.isArray(stored) && Array.isArray(written)) {
    if (stored.length !== written.length) return stored;
    return stored.map((item, index) => {
      const other = written[index] ?? null;
      return sameName(item, other) ? walk(item, other, `${path}[${index}]`, restored) : item;
    });
  }
  if (!isObject(stored) || !isObject(written)) return stored;
  const out: JsonObject = {};
  for (const [key, value] of Object.entries(stored)) {
    const other = own(written, key);
    setOwn(out, key, other === undefined ? value : child(key, value, other, `${path}.${key}`, restored));
  }
  for (const [key, other] of Object.entries(written)) {
    // A condition value or default that is itself null.
    if (other !== null || !freeKeys.has(key) || Object.hasOwn(stored, key)) continue;
    setOwn(out, key, null);
    restored.push(`${path}.${key}`);
  }
  return out;
}

function child(key: string, stored: Json, written: Json, path: string, restored: string[]): Json {
  if (!freeKeys.has(key)) return walk(stored, written, path, restored);
  const found: string[] = [];
  const grafted = graft(stored, written, path, found);
  if (grafted === undefined) return stored;
  restored.push(...found);
  return grafted;
}

function sameName(stored: Json, written: Json): boolean {
  return isObject(stored) && isObject(written) && own(stored, 'name') === own(written, 'name');
}

/** The stored value with the written one's nulls, or undefined when the two differ in anything else. */
function graft(stored: Json, written: Json, path: string, restored: string[]): Json | undefined {
  if (Array.isArray(stored) && Array.isArray(written)) return graftList(stored, written, path, restored);
  if (!isObject(stored) || !isObject(written)) return deepEqual(stored, written) ? stored : undefined;
  const out: JsonObject = {};
  for (const [key, other] of Object.entries(written)) {
    const value = own(stored, key);
    if (value === undefined) {
      if (other !== null) return undefined;
      restored.push(`${path}.${key}`);
      setOwn(out, key, null);
      continue;
    }
    const below = graft(value, other, `${path}.${key}`, restored);
    if (below === undefined) return undefined;
    setOwn(out, key, below);
  }
  return Object.keys(stored).every(key => Object.hasOwn(written, key)) ? out : undefined;
}

/** Nulls in lists stay on create and go on a later apply. */
function graftList(stored: Json[], written: Json[], path: string, restored: string[]): Json | undefined {
  const dropped = stored.length < written.length;
  const out: Json[] = [];
  let next = 0;
  for (const [index, other] of written.entries()) {
    if (other === null && dropped && stored[next] !== null) {
      restored.push(`${path}[${index}]`);
      out.push(null);
      continue;
    }
    const value = stored[next];
    next += 1;
    const below = value === undefined ? undefined : graft(value, other, `${path}[${index}]`, restored);
    if (below === undefined) return undefined;
    out.push(below);
  }
  return next === stored.length ? out : undefined;
}
