import type {Json} from '../json/types.js';
import {isObject} from '../json/types.js';
import {hasAnchor, parseAnchor} from './anchor.js';

const maxDepth = 1000;

/** Some key at or below this pattern node is an anchor. */
export function hasAnchorBelow(pattern: Json, depth = 0): boolean {
  if (depth > maxDepth) return false;
  if (Array.isArray(pattern)) return pattern.some(element => hasAnchorBelow(element, depth + 1));
  if (!isObject(pattern)) return false;
  return Object.keys(pattern).some(key => hasAnchor(key) || hasAnchorBelow(pattern[key] ?? null, depth + 1));
}

/** Some key at or below this pattern node is a `( )` or `^( )`. */
export function hasConditionBelow(pattern: Json, depth = 0): boolean {
  if (depth > maxDepth) return false;
  if (Array.isArray(pattern)) return pattern.some(element => hasConditionBelow(element, depth + 1));
  if (!isObject(pattern)) return false;
  return Object.keys(pattern).some(key => {
    const kind = parseAnchor(key)?.kind;
    return kind === 'conditional' || kind === 'existence' || hasConditionBelow(pattern[key] ?? null, depth + 1);
  });
}
