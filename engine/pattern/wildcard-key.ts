import type {JsonObject} from '../json/types.js';
import {compileGlob} from '../values/glob.js';

/** The key of the object that a pattern key speaks of. */
export type KeyFinder = (resource: JsonObject) => string;

export function exactKey(name: string): KeyFinder {
  return () => name;
}

/** The first key of the object that matches; the name as written (which then is missing) when none does. */
export function wildcardKey(name: string): KeyFinder {
  const matches = compileGlob(name);
  return resource => {
    for (const key in resource) if (Object.hasOwn(resource, key) && matches(key)) return key;
    return name;
  };
}
