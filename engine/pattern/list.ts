import type {Json} from '../json/types.js';
import {isObject} from '../json/types.js';
import type {Failure} from './failure.js';
import {at, combineSkips, failure} from './failure.js';
import type {CompileNode, NodePlace} from './map.js';
import type {MatchState, NodeMatcher} from './state.js';

/**
 * Compiles a list node. Maps: every element of the object's list must hold for every map of the pattern list. Scalars:
 * the first one holds for every element. Lists: index by index.
 */
export function compileList(pattern: readonly Json[], place: NodePlace, compile: CompileNode): NodeMatcher {
  const [first] = pattern;
  if (first === undefined) return () => failure('fail', () => 'pattern Array empty');
  const child = {depth: place.depth + 1, role: 'plain'} as const;
  const judge = isObject(first)
    ? mapsMatcher(pattern.filter(isObject).map(entry => compile(entry, child)))
    : Array.isArray(first)
      ? listsMatcher(pattern.map(entry => compile(entry, child)))
      : compile(first, child);
  return (value, state) => {
    state.budget.step();
    if (Array.isArray(value)) return judge(value, state);
    return failure(
      'fail',
      path => `validation rule failed at path ${path}, resource does not satisfy the expected overlay pattern`,
    );
  };
}

/** Elements that skip are set aside; only if no element was judged by any map does the list skip. */
function mapsMatcher(maps: readonly NodeMatcher[]): (value: readonly Json[], state: MatchState) => Failure | undefined {
  return (value, state) => {
    let skips: Failure[] | undefined;
    let judged = 0;
    for (const match of maps) {
      for (let index = 0; index < value.length; index++) {
        const found = match(value[index], state);
        if (!found) {
          judged += 1;
          continue;
        }
        at(String(index), found);
        if (found.kind !== 'skip') return found;
        skips ??= [];
        skips.push(found);
      }
    }
    return skips && judged === 0 ? combineSkips(skips) : undefined;
  };
}

function listsMatcher(
  entries: readonly NodeMatcher[],
): (value: readonly Json[], state: MatchState) => Failure | undefined {
  return (value, state) => {
    if (value.length < entries.length) {
      const text = `validate Array failed, array length mismatch, resource Array len is ${value.length} and pattern Array len is ${entries.length}`;
      return failure('pathless', () => text);
    }
    for (const [index, match] of entries.entries()) {
      const found = match(value[index], state);
      if (found) return at(String(index), found);
    }
    return undefined;
  };
}
