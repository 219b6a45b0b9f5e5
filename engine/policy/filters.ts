import {type JsonObject, own} from '../json/types.js';
import {child, objects, strings} from './access.js';
import {at} from './faults.js';

export interface PlacedFilter {
  readonly filter: JsonObject;
  readonly path: string;
}

const directFields = ['resources', 'roles', 'clusterRoles', 'subjects'];

export function hasDirect(block: JsonObject): boolean {
  return directFields.some(field => !isEmpty(own(block, field)));
}

function isEmpty(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0;
  return value === undefined || (typeof value === 'object' && value !== null && Object.keys(value).length === 0);
}

export function filterMode(block: JsonObject): 'any' | 'all' | 'direct' {
  if (objects(block, 'any').length > 0) return 'any';
  return objects(block, 'all').length > 0 ? 'all' : 'direct';
}

/** The filters that count in a match or exclude block, each with its path. */
export function filtersOf(block: JsonObject | undefined, path: string): readonly PlacedFilter[] {
  if (!block) return [];
  const mode = filterMode(block);
  if (mode === 'direct') return hasDirect(block) ? [{filter: block, path}] : [];
  return objects(block, mode).map((filter, index) => ({filter, path: at(at(path, mode), index)}));
}

/** Kinds in all filters of a rule's match. */
export function matchedKinds(rule: JsonObject): readonly string[] {
  return filtersOf(child(rule, 'match'), '').flatMap(({filter}) => strings(child(filter, 'resources'), 'kinds'));
}

export function directKinds(rule: JsonObject): readonly string[] {
  return strings(child(child(rule, 'match'), 'resources'), 'kinds');
}
