import type {Budget} from '../budget.js';
import {imageDefaults, parseImageReference} from '../image/parse-image.js';
import {deepEqual} from '../json/equal.js';
import {isObject, type Json, type JsonObject} from '../json/types.js';
import {normalisedImage} from '../verify-images/references.js';

/** A place where two objects differ, and what stands there. */
export interface Difference {
  /** Keys and indexes joined by dots, as `ignoreFields` has them. */
  readonly path: string;
  readonly signed: Json | undefined;
  readonly found: Json | undefined;
}

/** Every leaf that is not the same in both, in the order of paths. */
export function differences(signed: JsonObject, found: JsonObject, budget: Budget): Difference[] {
  const before = leaves(signed, budget);
  const after = leaves(found, budget);
  const result: Difference[] = [];
  for (const [key, {path, value}] of before) {
    const there = after.get(key);
    if (there === undefined || !same(path, value, there.value)) result.push({path, signed: value, found: there?.value});
  }
  for (const [key, {path, value}] of after) if (!before.has(key)) result.push({path, signed: undefined, found: value});
  return result.sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
}

interface Leaf {
  readonly path: string;
  readonly value: Json;
}

/** By JSON of the keys: a key that holds a dot is not a level of its own. Null is what is not there. */
function leaves(root: Json, budget: Budget): Map<string, Leaf> {
  const found = new Map<string, Leaf>();
  const walk = (value: Json, keys: readonly string[]) => {
    budget.step();
    if (value === null) return;
    const items = Array.isArray(value)
      ? value.map((item, index) => [String(index), item] as const)
      : isObject(value)
        ? Object.entries(value)
        : undefined;
    if (items === undefined || items.length === 0) {
      found.set(JSON.stringify(keys), {path: keys.join('.'), value});
      return;
    }
    for (const [key, item] of items) walk(item, [...keys, key]);
  };
  walk(root, []);
  return found;
}

function same(path: string, a: Json, b: Json): boolean {
  if (deepEqual(a, b)) return true;
  return path.endsWith('.image') && typeof a === 'string' && typeof b === 'string' && sameImage(a, b);
}

/** Two names of one image. */
function sameImage(a: string, b: string): boolean {
  const [one, other] = [a, b].map(text => parseImageReference(text, imageDefaults));
  if (one === undefined || other === undefined) return false;
  const nameOf = (image: NonNullable<typeof one>) =>
    normalisedImage(image).reference.replace(/^docker\.io\/library\//, 'docker.io/');
  return nameOf(one) === nameOf(other);
}
