import {celUint, isCelList, isCelMap, isCelUint} from '@bufbuild/cel';
import {isInt, isMap, mapEntries, runtimeName, toNumber} from '../../engine/cel/values/index.js';
import {Duration, Optional, Timestamp, TypeValue, Uint, type Value} from '../../engine/cel/values/value.js';
import {Float} from '../../engine/json/types.js';

/** A value as the other evaluators take it; `exact` where they have integers. Throws for what they cannot be given. */
export function toRival(value: Value, exact: boolean): unknown {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (isInt(value)) return exact ? BigInt(value) : Number(value);
  if (typeof value === 'number' || value instanceof Float) return toNumber(value);
  if (value instanceof Uint) return exact ? celUint(value.value) : Number(value.value);
  if (value instanceof Uint8Array) return value;
  if (Array.isArray(value)) return value.map(item => toRival(item, exact));
  if (!isMap(value)) throw new Error('cannot be given');
  const entries = [...mapEntries(value)].map(([key, item]) => [toRival(key, exact), toRival(item, exact)] as const);
  return entries.every(([key]) => typeof key === 'string') ? Object.fromEntries(entries) : new Map(entries);
}

/**
 * A text that two values share when they are the same with their types, here or in another evaluator. `exact` false: numbers
 * of all types alike, for evaluators that do not tell them apart.
 */
export function canonical(value: unknown, exact: boolean): string {
  const number = (kind: string, text: string): string => (exact ? `${kind} ${text}` : String(Number(text)));
  if (value === null || typeof value === 'boolean') return String(value);
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'bigint') return number('int', String(value));
  if (typeof value === 'number') return number('double', String(value));
  if (value instanceof Float) return number('double', String(value.value));
  if (value instanceof Uint || isCelUint(value)) return number('uint', String(value.value));
  if (value instanceof Uint8Array) return `bytes ${Buffer.from(value).toString('hex')}`;
  if (value instanceof Date) return `timestamp ${BigInt(value.getTime()) * 1_000_000n}`;
  if (Array.isArray(value)) return `[${value.map(item => canonical(item, exact)).join(', ')}]`;
  if (isCelList(value)) return canonical([...value], exact);
  if (isCelMap(value)) return mapText([...value.entries()], exact);
  if (value instanceof Map) return mapText([...value], exact);
  return objectText(value as object, exact);
}

function mapText(entries: ReadonlyArray<readonly [unknown, unknown]>, exact: boolean): string {
  const texts = entries.map(([key, item]) => `${canonical(key, exact)}: ${canonical(item, exact)}`);
  return `{${texts.sort().join(', ')}}`;
}

interface Odd {
  readonly seconds?: bigint | number;
  readonly nanos?: number;
  readonly name?: string;
  readonly value?: unknown;
  readonly message?: {readonly $typeName: string; readonly seconds: bigint; readonly nanos: number};
}

/** Objects of the other evaluators are told by their constructors' names. */
function objectText(value: object, exact: boolean): string {
  const odd = value as Odd;
  const nanos = (seconds: bigint | number, rest: number): bigint => BigInt(seconds) * 1_000_000_000n + BigInt(rest);
  switch (value.constructor?.name) {
    case 'UnsignedInt':
      return exact ? `uint ${odd.value}` : String(Number(odd.value));
    case 'Duration':
      return `duration ${nanos(odd.seconds!, odd.nanos!)}`;
    case 'ReflectMessageImpl': {
      const {$typeName, seconds, nanos: rest} = odd.message!;
      return `${$typeName.split('.').pop()!.toLowerCase()} ${nanos(seconds, rest)}`;
    }
    case 'Type':
      return `type ${odd.name}`;
  }
  if ('kind' in value && 'name' in value) return `type ${odd.name}`;
  return mapText(Object.entries(value), exact);
}

/** The same of a value of this project. */
export function canonicalOwn(value: Value, exact: boolean): string {
  if (isInt(value)) return canonical(BigInt(value), exact);
  if (value instanceof Duration) return `duration ${value.nanos}`;
  if (value instanceof Timestamp) return `timestamp ${value.nanos}`;
  if (value instanceof TypeValue) return `type ${runtimeName(value.type)}`;
  if (value instanceof Optional) return `optional ${value.value === undefined ? '' : canonicalOwn(value.value, exact)}`;
  if (Array.isArray(value)) return `[${value.map(item => canonicalOwn(item, exact)).join(', ')}]`;
  if (isMap(value)) {
    const texts = [...mapEntries(value)].map(
      ([key, item]) => `${canonicalOwn(key, exact)}: ${canonicalOwn(item, exact)}`,
    );
    return `{${texts.sort().join(', ')}}`;
  }
  return canonical(value, exact);
}
