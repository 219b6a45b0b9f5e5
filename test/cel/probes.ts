import {existsSync, readFileSync} from 'node:fs';
import {join, resolve} from 'node:path';
import type {Type} from '../../engine/cel/types/type.js';
import {
  doubleText,
  isInt,
  isMap,
  mapEntries,
  runtimeName,
  timestampText,
  toNumber,
} from '../../engine/cel/values/index.js';
import {
  Duration,
  ObjectValue,
  OpaqueValue,
  Optional,
  Timestamp,
  TypeValue,
  Uint,
  type Value,
} from '../../engine/cel/values/value.js';
import {Float, type JsonObject} from '../../engine/json/types.js';
import {formatDuration} from '../../engine/values/duration.js';

/** An expression with what cel-go made of it. */
export interface Probe {
  readonly expr: string;
  readonly vars: JsonObject;
  readonly expected?: unknown;
  /** Type that the checker found. */
  readonly type?: string;
  readonly error?: 'compile' | 'eval';
  readonly message?: string;
  readonly source: string;
}

/** The recorded probes, beside the repository or beside $CONFORMANCE_DIR; `undefined` when absent. */
export function readProbes(): readonly Probe[] | undefined {
  const conformance = process.env['CONFORMANCE_DIR'];
  const candidates = [
    ...(conformance === undefined ? [] : [join(conformance, '..', 'reference')]),
    resolve(import.meta.dirname, '..', '..', '..', 'shared', 'reference'),
  ];
  const file = candidates.map(path => join(path, 'cel-probes.json')).find(path => existsSync(path));
  return file === undefined ? undefined : (JSON.parse(readFileSync(file, 'utf8')) as Probe[]);
}

/** A value in the probes' notation: JSON, with tags for what JSON has no kind for. */
export function tagged(value: Value): unknown {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (isInt(value)) return {int: String(value)};
  if (typeof value === 'number' || value instanceof Float) return {double: doubleTag(toNumber(value))};
  if (value instanceof Uint) return {uint: String(value.value)};
  if (value instanceof Uint8Array) return {bytes: Buffer.from(value).toString('hex')};
  if (Array.isArray(value)) return {list: value.map(tagged)};
  if (value instanceof Duration) return {duration: formatDuration(value.nanos)};
  if (value instanceof Timestamp) return {timestamp: timestampText(value)};
  if (value instanceof Optional) return {optional: value.value === undefined ? 'none' : tagged(value.value)};
  if (value instanceof TypeValue) return {other: runtimeName(value.type)};
  if (value instanceof ObjectValue || value instanceof OpaqueValue)
    return {other: `${value.typeName} ${value.text?.()}`};
  if (!isMap(value)) throw new Error('a value of no kind');
  const entries = [...mapEntries(value)].map(([key, item]) => [tagged(key), tagged(item)] as const);
  return {map: entries.sort((a, b) => (JSON.stringify(a[0]) < JSON.stringify(b[0]) ? -1 : 1))};
}

function doubleTag(number: number): string {
  const text = doubleText(number);
  return /e[+-]\d/.test(text) && Math.abs(number) < 1e21 && Math.abs(number) >= 1e6 ? String(number) : text;
}

const probeNames: Readonly<Record<string, string>> = {
  duration: 'google.protobuf.Duration',
  timestamp: 'google.protobuf.Timestamp',
};

/** A checker's type as the probes print it. */
export function typeTag(type: Type): string {
  switch (type.kind) {
    case 'list':
      return `list(${typeTag(type.element)})`;
    case 'map':
      return `map(${typeTag(type.key)}, ${typeTag(type.value)})`;
    case 'optional':
      return `optional_type(${typeTag(type.value)})`;
    case 'type':
      return type.of === undefined ? 'type' : `type(${typeTag(type.of)})`;
    case 'opaque':
    case 'object':
    case 'param':
      return type.name;
    default:
      return probeNames[type.kind] ?? type.kind;
  }
}
