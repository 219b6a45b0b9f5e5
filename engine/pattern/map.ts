import type {Json, JsonObject} from '../json/types.js';
import {goTypeName, isObject, own} from '../json/types.js';
import {hasWildcard} from '../values/glob.js';
import type {Anchor} from './anchor.js';
import {parseAnchor} from './anchor.js';
import {compileAnchor, compileGlobalAnchor} from './anchor-matchers.js';
import {hasAnchorBelow} from './anchor-search.js';
import type {Failure} from './failure.js';
import {combineSkips, failure} from './failure.js';
import {compilePlainKey} from './plain-key.js';
import type {MatchState, NodeMatcher} from './state.js';
import type {KeyFinder} from './wildcard-key.js';
import {exactKey, wildcardKey} from './wildcard-key.js';

/** Compiles a child at a key; `depth` guards against patterns that nest without end. */
export type CompileNode = (pattern: Json, place: NodePlace) => NodeMatcher;

export interface NodePlace {
  readonly depth: number;
  /** `tags`: a `labels` or `annotations` map under `metadata`, whose keys may be wildcards. */
  readonly role: 'plain' | 'metadata' | 'tags';
  /** Only where a pattern is explained: puts itself between the map and each of its entries. */
  readonly observe?: ObserveEntry;
}

export type ObserveEntry = (entry: {readonly key: string; readonly pattern: Json; readonly find: KeyFinder}, match: EntryMatcher) => EntryMatcher;

/** What a key of a pattern map asks of the object that holds it. */
export type EntryMatcher = (resource: JsonObject, state: MatchState) => Failure | undefined;

export interface AnchorEntry {
  readonly key: string;
  readonly anchor: Anchor;
  readonly match: EntryMatcher;
}

/** Compiles a map node: anchors first, in key order, then the other keys. */
export function compileMap(pattern: JsonObject, place: NodePlace, compile: CompileNode): NodeMatcher {
  const anchors: AnchorEntry[] = [];
  const rest: Array<{key: string; first: boolean; match: EntryMatcher}> = [];
  for (const key of Object.keys(pattern).sort()) {
    const value = own(pattern, key) ?? null;
    // Tags are texts: upstream compares no other entry once the object has the map.
    if (place.role === 'tags' && typeof value !== 'string') continue;
    const anchor = parseAnchor(key);
    const name = anchor?.key ?? key;
    const find: KeyFinder = place.role === 'tags' && hasWildcard(name) ? wildcardKey(name) : exactKey(name);
    const child = compile(value, {depth: place.depth + 1, role: childRole(place.role, name)});
    const observed = (match: EntryMatcher) => place.observe?.({key, pattern: value, find}, match) ?? match;
    if (!anchor) {
      rest.push({key, first: hasAnchorBelow(value), match: observed(compilePlainKey(value, find, child))});
    } else if (anchor.kind === 'global') {
      rest.push({key, first: true, match: observed(compileGlobalAnchor(find, child))});
    } else {
      anchors.push({
        key,
        anchor,
        match: observed(compileAnchor({kind: anchor.kind, pattern: value, find, child, compile, place})),
      });
    }
  }
  const plain = [...rest.filter(entry => entry.first).reverse(), ...rest.filter(entry => !entry.first)];
  const matchers = plain.map(entry => entry.match);
  return (value, state) => {
    state.budget.step();
    if (!isObject(value)) return structureFailure(value);
    if (anchors.length > 0) {
      const found = matchAnchors(anchors, value, state);
      if (found) return found;
    }
    for (const match of matchers) {
      const found = match(value, state);
      if (found) return found;
    }
    return undefined;
  };
}

function childRole(role: NodePlace['role'], name: string): NodePlace['role'] {
  if (role === 'metadata' && (name === 'labels' || name === 'annotations')) return 'tags';
  return name === 'metadata' ? 'metadata' : 'plain';
}

function structureFailure(value: Json | undefined): Failure {
  const type = goTypeName(value);
  return failure(
    'fail',
    path =>
      `pattern and resource have different structures. Path: ${path}. Expected map[string]interface {}, found ${type}`,
  );
}

/** A skip from below (through `=( )`) lets the other keys be judged as long as some anchor held. */
function matchAnchors(anchors: readonly AnchorEntry[], resource: JsonObject, state: MatchState): Failure | undefined {
  if (state.anchorsFound) recordAnchors(anchors, resource, state.anchorsFound);
  let skips: Failure[] | undefined;
  let held = 0;
  let conditionFailed = false;
  for (const {anchor, match} of anchors) {
    const found = match(resource, state);
    if (!found) {
      held += 1;
    } else if (found.kind === 'skip') {
      skips ??= [];
      skips.push(found);
      if (anchor.kind === 'conditional') conditionFailed = true;
    } else if (!conditionFailed) {
      return found;
    }
  }
  return skips && (held === 0 || conditionFailed) ? combineSkips(skips) : undefined;
}

function recordAnchors(anchors: readonly AnchorEntry[], resource: JsonObject, seen: Map<string, boolean>): void {
  for (const {key, anchor} of anchors) {
    if (anchor.kind !== 'conditional' && anchor.kind !== 'existence') continue;
    if (!seen.get(key)) seen.set(key, Object.hasOwn(resource, anchor.key));
  }
}
