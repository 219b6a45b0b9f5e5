import type {Json, JsonObject} from '../json/types.js';
import {goTypeName, isObject, own} from '../json/types.js';
import type {AnchorKind} from './anchor.js';
import type {Failure} from './failure.js';
import {at, failure, textOf} from './failure.js';
import type {CompileNode, EntryMatcher, NodePlace} from './map.js';
import type {NodeMatcher} from './state.js';
import type {KeyFinder} from './wildcard-key.js';

export interface AnchorOptions {
  readonly kind: Exclude<AnchorKind, 'global'>;
  readonly pattern: Json;
  readonly find: KeyFinder;
  readonly child: NodeMatcher;
  readonly compile: CompileNode;
  readonly place: NodePlace;
}

/** The anchors that are judged before the other keys of their map. */
export function compileAnchor(options: AnchorOptions): EntryMatcher {
  const {find, child} = options;
  switch (options.kind) {
    case 'conditional':
      return compileConditional(find, child);
    case 'equality':
      return (resource, state) => {
        const key = find(resource);
        if (!Object.hasOwn(resource, key)) return undefined;
        const found = child(resource[key], state);
        return found && at(key, found);
      };
    case 'negation':
      return resource => {
        const key = find(resource);
        if (!Object.hasOwn(resource, key)) return undefined;
        return at(
          key,
          failure('negation', path => `negation anchor matched in resource: ${path} is not allowed`),
        );
      };
    case 'existence':
      return compileExistence(options);
    case 'addIfAbsent':
      return () => failure('invalid', path => `an add-if-absent anchor has no meaning in a pattern, path ${path}`);
  }
}

/** `(k)`: the map is judged only where `k` is present and satisfies the sub-pattern. */
function compileConditional(find: KeyFinder, child: NodeMatcher): EntryMatcher {
  return (resource, state) => {
    const key = find(resource);
    if (!Object.hasOwn(resource, key)) {
      return failure('skip', path => `conditional anchor mismatch: key ${key} not found at path ${path}`);
    }
    const found = child(resource[key], state);
    return found && asSkip('conditional anchor mismatch', at(key, found));
  };
}

/** `<(k)`: as `(k)`, but an absent key is no obstacle. Judged among the plain keys. */
export function compileGlobalAnchor(find: KeyFinder, child: NodeMatcher): EntryMatcher {
  return (resource, state) => {
    const key = find(resource);
    if (!Object.hasOwn(resource, key)) return undefined;
    const found = child(resource[key], state);
    return found && asSkip('global anchor mismatch', at(key, found));
  };
}

/** An invalid pattern stays an error, also below an anchor. */
function asSkip(title: string, found: Failure): Failure {
  if (found.kind === 'invalid') return found;
  return failure('skip', path => `${title}: ${textOf(found, path)}`);
}

/** `^(k)`: every map of the pattern list is satisfied by at least one element. */
function compileExistence({pattern, find, compile, place}: AnchorOptions): EntryMatcher {
  if (!Array.isArray(pattern) || !pattern.every(isObject)) return invalidExistence(find);
  const wanted = pattern.map(entry => compile(entry, {depth: place.depth + 2, role: 'plain'}));
  return (resource, state) => {
    const key = find(resource);
    if (!Object.hasOwn(resource, key)) return undefined;
    const value = resource[key];
    if (!Array.isArray(value)) return at(key, notAList(value));
    for (const match of wanted) {
      let satisfied = false;
      for (const element of value) {
        state.budget.step();
        const found = match(element, state);
        if (found?.kind === 'invalid') return at(key, found);
        satisfied = found === undefined;
        if (satisfied) break;
      }
      if (!satisfied) {
        return at(
          key,
          failure('fail', path => `existence anchor validation failed at path ${path}`),
        );
      }
    }
    return undefined;
  };
}

function notAList(value: Json | undefined): Failure {
  const type = goTypeName(value);
  return failure('fail', () => `invalid resource type ${type}: an existence anchor can be used only on a list`);
}

function invalidExistence(find: KeyFinder): EntryMatcher {
  return (resource: JsonObject) => {
    const key = find(resource);
    if (own(resource, key) === undefined) return undefined;
    return at(
      key,
      failure('invalid', path => `an existence anchor needs a list of maps as pattern, path ${path}`),
    );
  };
}
