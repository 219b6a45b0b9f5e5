import type {Budget} from '../budget.js';
import type {Json} from '../json/types.js';
import {isObject} from '../json/types.js';
import {goText} from '../values/go-text.js';
import {hasConditionBelow} from './anchor-search.js';
import type {Failure} from './failure.js';
import {failure, pathOf, textOf} from './failure.js';
import {compileList} from './list.js';
import type {CompileNode, NodePlace} from './map.js';
import {compileMap} from './map.js';
import {compileScalarPattern} from './scalar.js';
import type {NodeMatcher} from './state.js';
import type {CompiledPattern, PatternResult} from './types.js';

export type {CompiledPattern, PatternResult} from './types.js';

const pass: PatternResult = {status: 'pass'};
/** Deeper patterns are judged invalid, so that no pattern can exhaust the stack. */
const maxDepth = 400;
/** Characters of a value that a message repeats. */
const maxShown = 256;

/**
 * Turns a validate pattern into closures. Never throws: what cannot be judged answers `error` when it is reached. A
 * passing match builds no path and no text. `path` is the pattern's place in its policy, for texts on invalid patterns;
 * `compile` stands in for `compileNode` where the walk itself is of interest.
 */
export function compilePattern(pattern: Json, path?: string, compile: CompileNode = compileNode): CompiledPattern {
  // No condition to miss: an empty pattern accepts everything.
  if (isObject(pattern) && Object.keys(pattern).length === 0) return {match: () => pass};
  const root = compile(pattern, {depth: 0, role: 'plain'});
  const hasConditions = hasConditionBelow(pattern);
  return {
    match(resource, budget) {
      const found = root(resource, {budget, anchorsFound: undefined});
      if (!found) return pass;
      if (found.kind === 'invalid') return invalidResult(found, path);
      return resultOf(found, hasConditions ? () => someAnchorMissing(root, resource, budget) : () => false);
    },
  };
}

/** One node; what is below it is compiled by `below`. */
export function compileNode(pattern: Json, place: NodePlace, below: CompileNode = compileNode): NodeMatcher {
  if (place.depth > maxDepth) {
    return () => failure('invalid', path => `the pattern nests deeper than ${maxDepth} levels at path ${path}`);
  }
  if (isObject(pattern)) return compileMap(pattern, place, below);
  if (Array.isArray(pattern)) return compileList(pattern, place, below);
  const test = compileScalarPattern(pattern);
  return (value, state) => {
    state.budget.step();
    if (!Array.isArray(value)) return test(value) ? undefined : mismatch(value, pattern);
    for (const element of value) {
      state.budget.step();
      // `?*` asks whether something is there: a list that holds maps or lists is not empty.
      if (pattern === '?*' && (Array.isArray(element) || isObject(element))) continue;
      if (!test(element)) return mismatch(value, pattern);
    }
    return undefined;
  };
}

function mismatch(value: Json | undefined, pattern: Json): Failure {
  return failure(
    'fail',
    path => `resource value '${goText(value, maxShown)}' does not match '${goText(pattern, maxShown)}' at path ${path}`,
  );
}

function invalidResult(found: Failure, path: string | undefined): PatternResult {
  return {status: 'error', message: path === undefined ? textOf(found) : `${path}: ${textOf(found)}`};
}

function resultOf(found: Failure, anchorMissing: () => boolean): PatternResult {
  const message = textOf(found);
  if (found.kind === 'skip') return {status: 'skip', message};
  if (found.kind === 'negation') return {status: 'fail', path: pathOf(found), message};
  if (found.kind !== 'fail' || anchorMissing()) return {status: 'error', message};
  return {status: 'fail', path: pathOf(found), message};
}

/** Walks again, this time with a note of every `( )` and `^( )` key that was met: only failures pay for it. */
function someAnchorMissing(root: NodeMatcher, resource: Json | undefined, budget: Budget): boolean {
  const anchorsFound = new Map<string, boolean>();
  root(resource, {budget, anchorsFound});
  for (const wasFound of anchorsFound.values()) if (!wasFound) return true;
  return false;
}
