import type {Json} from '../json/types.js';
import {own} from '../json/types.js';
import {at, failure} from './failure.js';
import type {EntryMatcher} from './map.js';
import type {NodeMatcher} from './state.js';
import type {KeyFinder} from './wildcard-key.js';

/** A key without anchor must satisfy its sub-pattern; `*` only asks for a value, and its failure points at the parent. */
export function compilePlainKey(pattern: Json, find: KeyFinder, child: NodeMatcher): EntryMatcher {
  if (pattern === '*') {
    return resource => {
      const key = find(resource);
      const value = own(resource, key);
      if (value !== undefined && value !== null) return undefined;
      return failure('fail', path => `${path}${key} not found`);
    };
  }
  return (resource, state) => {
    const key = find(resource);
    const found = child(own(resource, key), state);
    return found && at(key, found);
  };
}
