import type {Budget} from '../budget.js';
import {isObject, type Json, type JsonObject, own, setOwn} from '../json/types.js';
import {type Anchor, parseAnchor} from '../pattern/anchor.js';
import {type CompiledPattern, compilePattern} from '../pattern/compile-pattern.js';
import {sameElement} from './merge-list.js';
import type {MergeField, MergeSchema} from './merge-schema.js';

/** A condition that did not hold. A `global` one inside a list counts for the list, any other only for its element. */
export class ConditionMiss extends Error {
  override readonly name = 'ConditionMiss';

  constructor(
    readonly kind: 'conditional' | 'global',
    readonly path: string,
  ) {
    const limit = Error.stackTraceLimit;
    Error.stackTraceLimit = 0;
    super(`${kind} anchor did not match at ${path}`);
    Error.stackTraceLimit = limit;
  }
}

export interface AnchorRun {
  readonly budget: Budget;
  readonly compiled: Map<Json, CompiledPattern>;
  /** Only where a patch is explained. */
  readonly observe?: ObserveAnchor | undefined;
}

/** Told of every anchor: the map of the patch that holds it, its key as written, and whether it held (`+( )`: adds). */
export type ObserveAnchor = (anchor: {
  readonly map: JsonObject;
  readonly key: string;
  /** Place of the key in the object: `/spec/containers/0/image/`. */
  readonly path: string;
  readonly got: Json | undefined;
  readonly held: boolean;
}) => void;

interface Place {
  /** As in pattern results: `/spec/containers/0/`. */
  readonly path: string;
  readonly field: MergeField | undefined;
}

const mutateAnchors: ReadonlySet<string> = new Set(['conditional', 'global', 'addIfAbsent']);

/** `(k)`, `<(k)` and `+(k)`; other anchors have no meaning in patches. */
function anchorOf(key: string): Anchor | undefined {
  const anchor = parseAnchor(key);
  return anchor && mutateAnchors.has(anchor.kind) ? anchor : undefined;
}

export function hasAnchors(value: Json): boolean {
  if (Array.isArray(value)) return value.some(hasAnchors);
  if (!isObject(value)) return false;
  return Object.keys(value).some(key => anchorOf(key) !== undefined || hasAnchors(value[key]!));
}

/**
 * The plain patch that an anchored one means for this object: conditions are checked and dropped, `+(k)` is decided,
 * list templates become one element per object element they fit. `undefined` when nothing is left.
 * Throws `ConditionMiss` when the patch does not apply.
 */
export function resolveAnchors(
  patch: JsonObject,
  object: JsonObject,
  schema: MergeSchema | undefined,
  run: AnchorRun,
): JsonObject | undefined {
  return resolveMap(patch, object, {path: '/', field: {schema, keys: undefined}}, run);
}

function resolveMap(patch: JsonObject, object: Json | undefined, place: Place, run: AnchorRun): JsonObject | undefined {
  const target = isObject(object) ? object : undefined;
  const keys = Object.keys(patch);
  for (const kind of ['global', 'conditional'] as const) {
    for (const key of keys) {
      const anchor = anchorOf(key);
      if (anchor?.kind === kind) checkCondition(anchor, patch[key]!, target, {path: place.path, run, map: patch, written: key});
    }
  }
  const result: JsonObject = {};
  for (const key of keys) {
    run.budget.step();
    const anchor = anchorOf(key);
    const value = patch[key]!;
    const name = anchor?.key ?? key;
    const current = target && own(target, name);
    if (anchor?.kind === 'addIfAbsent') {
      run.observe?.({map: patch, key, path: `${place.path}${name}/`, got: current, held: current === undefined});
      if (current !== undefined) continue;
    }
    // A condition on a map may carry values to set; any other condition only asks.
    if (anchor && anchor.kind !== 'addIfAbsent' && !isObject(value)) continue;
    const below = {path: `${place.path}${name}/`, field: place.field?.schema?.fields.get(name)};
    const resolved = resolveValue(value, current, below, run);
    if (resolved !== undefined) setOwn(result, name, resolved);
  }
  return Object.keys(result).length === 0 && keys.length > 0 ? undefined : result;
}

function resolveValue(patch: Json, object: Json | undefined, place: Place, run: AnchorRun): Json | undefined {
  if (isObject(patch)) return resolveMap(patch, object, place, run);
  return Array.isArray(patch) ? resolveList(patch, object, place, run) : patch;
}

function resolveList(patch: readonly Json[], object: Json | undefined, place: Place, run: AnchorRun): Json | undefined {
  const elements = Array.isArray(object) ? object : [];
  const result: Json[] = [];
  for (const item of patch) {
    run.budget.step();
    if (isObject(item) && hasAnchors(item)) result.push(...resolveTemplate(item, elements, place, run));
    else result.push(item);
  }
  return result.length === 0 && patch.length > 0 ? undefined : result;
}

/** The concrete elements that one anchored list element means. */
function resolveTemplate(template: JsonObject, elements: readonly Json[], place: Place, run: AnchorRun): JsonObject[] {
  const keys = place.field?.keys?.length ? place.field.keys : ['name'];
  const conditional = hasConditions(template);
  const fixed = keys.every((key, index) => index > 0 || own(template, key) !== undefined);
  const result: JsonObject[] = [];
  let globalMiss: ConditionMiss | undefined;
  let globalHolds = false;
  let addressed = false;
  for (const [index, element] of elements.entries()) {
    run.budget.step();
    if (!isObject(element) || (fixed && !sameElement(template, element, keys))) continue;
    addressed = true;
    const path = `${place.path}${index}/`;
    try {
      const resolved = resolveMap(template, element, {path, field: place.field}, run);
      globalHolds = true;
      const concrete = resolved && addressTo(element, resolved, keys);
      if (concrete) result.push(concrete);
    } catch (error) {
      if (!(error instanceof ConditionMiss)) throw error;
      if (error.kind === 'global') globalMiss ??= error;
      else globalHolds = true;
    }
  }
  if (globalMiss && !globalHolds) throw globalMiss;
  // Without conditions the element is meant to be there: it is added with its defaults.
  if (!addressed && !conditional && (fixed || elements.length === 0)) {
    const resolved = resolveMap(template, undefined, place, run);
    if (resolved) result.push(resolved);
  }
  return result;
}

function hasConditions(value: Json): boolean {
  if (Array.isArray(value)) return value.some(hasConditions);
  if (!isObject(value)) return false;
  return Object.keys(value).some(key => {
    const anchor = anchorOf(key);
    return (anchor && anchor.kind !== 'addIfAbsent') || hasConditions(value[key]!);
  });
}

/** Gives a patch element the keys of the element it is for; an element without its decisive key has no address. */
function addressTo(element: JsonObject, patch: JsonObject, keys: readonly string[]): JsonObject | undefined {
  if (own(element, keys[0]!) === undefined) return undefined;
  const result: JsonObject = {};
  for (const key of keys) {
    const value = own(element, key);
    if (value !== undefined) setOwn(result, key, value);
  }
  for (const key of Object.keys(patch)) if (!Object.hasOwn(result, key)) setOwn(result, key, patch[key]!);
  return result;
}

function checkCondition(
  {kind, key}: Anchor,
  pattern: Json,
  object: JsonObject | undefined,
  {path, run, map, written}: {path: string; run: AnchorRun; map: JsonObject; written: string},
): void {
  const value = object && own(object, key);
  if (value !== undefined) {
    let compiled = run.compiled.get(pattern);
    if (!compiled) {
      compiled = compilePattern(withoutAdditions(pattern));
      run.compiled.set(pattern, compiled);
    }
    if (compiled.match(value, run.budget).status === 'pass') {
      run.observe?.({map, key: written, path: `${path}${key}/`, got: value, held: true});
      return;
    }
  }
  run.observe?.({map, key: written, path: `${path}${key}/`, got: value, held: false});
  throw new ConditionMiss(kind === 'global' ? 'global' : 'conditional', `${path}${key}/`);
}

/** `+(k)` inside a condition is an instruction, not a question. */
function withoutAdditions(pattern: Json): Json {
  if (Array.isArray(pattern)) return pattern.map(withoutAdditions);
  if (!isObject(pattern)) return pattern;
  const result: JsonObject = {};
  for (const key of Object.keys(pattern)) {
    if (anchorOf(key)?.kind !== 'addIfAbsent') setOwn(result, key, withoutAdditions(pattern[key]!));
  }
  return result;
}
