import {isAlias, isMap, isScalar, isSeq, type Node, type ParsedNode, type Scalar, type YAMLMap} from 'yaml';
import {deepEqual} from '../json/equal.js';
import {integerFrom} from '../json/number.js';
import {maxDepth} from '../json/scan.js';
import {Float, isObject, type Json, type JsonNumber, type JsonObject, own, setOwn} from '../json/types.js';

/** Nodes that aliases of one document may add; real manifests stay far below, alias bombs far above. */
const maxAliasNodes = 100_000;

/** A fault at an offset of the document's text. */
export class ConversionError extends Error {
  constructor(
    message: string,
    readonly offset: number,
  ) {
    super(message);
  }
}

export interface Duplicate {
  readonly path: readonly string[];
  readonly offset: number;
  readonly merged: boolean;
}

export interface Conversion {
  readonly value: Json;
  readonly duplicates: readonly Duplicate[];
}

type AnyNode = Node | ParsedNode | null | undefined;

interface State {
  readonly anchors: Map<string, Node>;
  readonly open: Set<Node>;
  readonly duplicates: Duplicate[];
  readonly path: string[];
  readonly mayMerge: ((path: readonly string[]) => boolean) | undefined;
  aliasDepth: number;
  aliasNodes: number;
}

/** Turns composed YAML nodes into JSON values the way Kubernetes tools do. Throws `ConversionError`. */
export function convert(root: AnyNode, mayMerge?: (path: readonly string[]) => boolean): Conversion {
  const state: State = {
    anchors: new Map(),
    open: new Set(),
    duplicates: [],
    path: [],
    mayMerge,
    aliasDepth: 0,
    aliasNodes: 0,
  };
  return {value: convertNode(root, state), duplicates: state.duplicates};
}

function offsetOf(node: AnyNode): number {
  return node?.range?.[0] ?? 0;
}

function convertNode(node: AnyNode, state: State): Json {
  if (!node) return null;
  if (state.path.length > maxDepth) throw new ConversionError(`nested deeper than ${maxDepth} levels`, offsetOf(node));
  if (state.aliasDepth > 0 && ++state.aliasNodes > maxAliasNodes) {
    throw new ConversionError('aliases expand to too much data', offsetOf(node));
  }
  if (isAlias(node)) return convertAlias(node.source, node, state);
  if (state.aliasDepth === 0 && 'anchor' in node && node.anchor) state.anchors.set(node.anchor, node);
  if (isScalar(node)) return scalarValue(node);
  state.open.add(node);
  const value = isMap(node) ? convertMap(node, state) : convertList(node, state);
  state.open.delete(node);
  return value;
}

function convertAlias(name: string, node: Node, state: State): Json {
  const target = state.anchors.get(name);
  if (!target) throw new ConversionError(`alias *${name} refers to no anchor before it`, offsetOf(node));
  if (state.open.has(target)) throw new ConversionError(`anchor &${name} contains itself`, offsetOf(node));
  state.aliasDepth++;
  const value = convertNode(target, state);
  state.aliasDepth--;
  return value;
}

function convertList(node: Node, state: State): Json {
  if (!isSeq(node)) throw new ConversionError('unsupported YAML node', offsetOf(node));
  return node.items.map((item, index) => {
    state.path.push(String(index));
    const value = convertNode(item as AnyNode, state);
    state.path.pop();
    return value;
  });
}

function convertMap(node: YAMLMap, state: State): JsonObject {
  const result: JsonObject = {};
  const written = new Set<string>();
  for (const pair of node.items) {
    const keyNode = pair.key as AnyNode;
    const valueNode = pair.value as AnyNode;
    if (isMergeKey(keyNode)) {
      mergeInto(result, valueNode, state);
      continue;
    }
    const key = keyText(keyNode, state);
    state.path.push(key);
    const value = convertNode(valueNode, state);
    if (written.has(key)) setOwn(result, key, resolveDuplicate(own(result, key)!, value, keyNode, state));
    else setOwn(result, key, value);
    written.add(key);
    state.path.pop();
  }
  return result;
}

function isMergeKey(node: AnyNode): boolean {
  return isScalar(node) && typeof node.value === 'symbol';
}

/** `<<`: keys of the given map or maps that are not there yet; explicit keys win wherever they stand. */
function mergeInto(result: JsonObject, node: AnyNode, state: State): void {
  const source = convertNode(node, state);
  for (const part of Array.isArray(source) ? source : [source]) {
    if (!isObject(part)) throw new ConversionError('map merge requires a map or a list of maps', offsetOf(node));
    for (const key of Object.keys(part)) if (!Object.hasOwn(result, key)) setOwn(result, key, part[key]!);
  }
}

function resolveDuplicate(earlier: Json, later: Json, keyNode: AnyNode, state: State): Json {
  const path = [...state.path];
  const merging = state.mayMerge?.(path) === true;
  state.duplicates.push({path, offset: offsetOf(keyNode), merged: merging});
  if (!merging) return later;
  if (!isObject(earlier) || !isObject(later)) {
    if (deepEqual(earlier, later)) return later;
    throw new ConversionError(`key "${path.join('.')}" occurs twice with different values`, offsetOf(keyNode));
  }
  const merged: JsonObject = {};
  for (const key of Object.keys(earlier)) setOwn(merged, key, earlier[key]!);
  for (const key of Object.keys(later)) {
    const before = own(merged, key);
    if (before !== undefined && !deepEqual(before, later[key]!)) {
      const where = [...path, key].join('.');
      throw new ConversionError(`key "${where}" occurs twice with different values`, offsetOf(keyNode));
    }
    setOwn(merged, key, later[key]!);
  }
  return merged;
}

function keyText(node: AnyNode, state: State): string {
  const value = isAlias(node) ? convertNode(node, state) : isScalar(node) ? scalarValue(node) : undefined;
  if (isScalar(node) && node.anchor && state.aliasDepth === 0) state.anchors.set(node.anchor, node);
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean' || typeof value === 'number' || typeof value === 'bigint') return String(value);
  if (value instanceof Float) return String(value.value);
  const template =
    isMap(node) && node.flow ? '; a value that begins with "{{" wants quotes, a template wants rendering' : '';
  const message = value === null ? 'map keys must not be null' : `map keys must be scalars${template}`;
  throw new ConversionError(message, offsetOf(node));
}

function scalarValue(node: Scalar): Json {
  if (node.tag?.startsWith('!') && node.source === '') {
    const message = `"${node.tag}" is a YAML tag without a value; quote it when text is meant`;
    throw new ConversionError(message, Math.max(0, offsetOf(node) - node.tag.length));
  }
  const value = typeof node.value === 'string' ? taggedText(node.value, node) : node.value;
  if (typeof value === 'bigint') return integerFrom(value);
  if (typeof value === 'number') return yamlDouble(value, node);
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return value;
  if (value === undefined) return null;
  throw new ConversionError('unsupported scalar', offsetOf(node));
}

/** Text whose explicit standard tag asks for something else: `!!float 1` is a number, `!!bool x` is a fault. */
function taggedText(text: string, node: Scalar): string | number {
  const found = /^tag:yaml\.org,2002:(null|bool|int|float)$/.exec(node.tag ?? '');
  if (!found) return text;
  const value = found[1] === 'float' && text.trim() !== '' ? Number(text) : Number.NaN;
  if (Number.isNaN(value)) throw new ConversionError(`"${text}" cannot be read as !!${found[1]}`, offsetOf(node));
  return value;
}

/** Doubles pass through Go's JSON text on their way into Kubernetes, so `1.0` arrives as the integer 1. */
function yamlDouble(value: number, node: Scalar): JsonNumber {
  if (!Number.isFinite(value)) throw new ConversionError('infinite numbers and NaN have no JSON form', offsetOf(node));
  if (!Number.isInteger(value)) return value;
  return Math.abs(value) < 1e21 ? integerFrom(BigInt(value)) : new Float(value);
}
