import {one, optionalField, quoted, relation, type Test} from './code.js';

export type ValueKind = 'list' | 'text' | 'bool' | 'int' | 'map' | 'any';

/** An expression for what a query gives. `nullable`: it may be null, which stands for everything that is missing. */
export interface Value {
  readonly text: string;
  readonly kind: ValueKind;
  readonly nullable: boolean;
  /** Selections that lead to it, so that defaults can be filled in where it is missing. */
  readonly path?: Path;
  /** Of lists. */
  readonly elements?: ValueKind;
  /** Of literals. */
  readonly literal?: unknown;
  /** Of a test: brackets are put as needed. */
  readonly test?: Test;
}

export interface Path {
  readonly holder: string;
  readonly keys: readonly string[];
}

export function value(text: string, kind: ValueKind, more: Partial<Value> = {}): Value {
  return {text, kind, nullable: false, ...more};
}

export function testValue(test: Test): Value {
  return {text: test.text, kind: 'bool', nullable: false, test};
}

function chain({holder, keys}: Path): string {
  return keys.reduce(optionalField, holder);
}

/** What is at a path, null where it is missing. */
export function pathValue(path: Path, kind: ValueKind = 'any'): Value {
  if (path.keys.length === 0) return value(path.holder, kind);
  return {text: `${chain(path)}.orValue(null)`, kind, nullable: true, path};
}

export function select(from: Value, key: string): Value {
  if (from.path !== undefined) return pathValue({...from.path, keys: [...from.path.keys, key]});
  if (from.nullable) return pathValue({holder: `optional.ofNonZeroValue(${from.text})`, keys: [key]});
  return pathValue({holder: atom(from.text), keys: [key]});
}

/** In brackets unless it needs none. */
export function atom(text: string): string {
  return /^[\w.?]+$/.test(text) || /^[\w.?]*(?:\([^()]*\)|\[[^[\]]*\]|[\w.?])*$/.test(text) ? text : `(${text})`;
}

/** With another value where it is missing. */
export function orElse(from: Value, literal: string): string {
  if (from.path !== undefined) return `${chain(from.path)}.orValue(${literal})`;
  return from.nullable ? `optional.ofNonZeroValue(${from.text}).orValue(${literal})` : from.text;
}

/** The list that it is; empty where it is missing. The API server stores some lists at the top as null. */
export function listText(from: Value): string {
  if (from.path?.holder === 'object' && from.path.keys.length === 1) {
    return `optional.ofNonZeroValue(${from.text}).orValue([])`;
  }
  return orElse(from, '[]');
}

/** The list that it is; a single value is a list of one. */
export function asListText(from: Value): string {
  if (from.kind === 'list') return listText(from);
  if (from.kind !== 'any') return `[${from.text}]`;
  if (from.literal !== undefined) return `[${from.text}]`;
  return `[${listText(from)}].flatten()`;
}

/** Its text. Fails at run time for lists and maps. */
export function textOf(from: Value): string {
  if (from.kind === 'text' && !from.nullable) return from.text;
  return `string(${orElse(from, "''")})`;
}

/** What JMESPath takes for true: all but null, false and what is empty. */
export function truth(from: Value): Test {
  if (from.test !== undefined) return from.test;
  if (from.kind === 'bool') return from.nullable ? relation(`${orElse(from, 'false')} == true`) : one(from.text);
  if (from.kind === 'list') return relation(`${from.text} != []`);
  if (from.kind === 'text') return relation(`${textOf(from)} != ''`);
  if (from.kind === 'int') return one('true');
  return one(`optional.ofNonZeroValue(${from.text}).hasValue()`);
}

export function literalValue(literal: unknown): Value | undefined {
  if (literal === null) return {text: 'null', kind: 'any', nullable: true, literal};
  if (typeof literal === 'string') return value(quoted(literal), 'text', {literal});
  if (typeof literal === 'boolean') return value(String(literal), 'bool', {literal});
  if (typeof literal === 'number' && Number.isInteger(literal)) return value(String(literal), 'int', {literal});
  if (Array.isArray(literal)) {
    const items = literal.map(literalValue);
    if (items.some(item => item === undefined)) return undefined;
    const kinds = new Set(items.map(item => item!.kind));
    const texts = items.map(item => (kinds.size > 1 ? `dyn(${item!.text})` : item!.text));
    return value(`[${texts.join(', ')}]`, 'list', {literal, ...(kinds.size === 1 && {elements: items[0]!.kind})});
  }
  if (typeof literal === 'object' && Object.keys(literal as object).length === 0) return value('{}', 'map', {literal});
  return undefined;
}
