import {Buffer, isUtf8} from 'node:buffer';
import {parseFloatText, parseInt64} from '../../values/number-parse.js';
import {CelError} from '../errors.js';
import {fn} from '../library/declare.js';
import type {FunctionDeclaration, Overload} from '../library/library.js';
import {
  boolType,
  bytesType,
  doubleType,
  durationType,
  dynType,
  intType,
  param,
  stringType,
  type Type,
  timestampType,
  typeOf,
  uintType,
} from '../types/type.js';
import {
  type DoubleValue,
  doubleOf,
  doubleText,
  durationOf,
  durationText,
  type IntValue,
  intOf,
  parseDurationText,
  parseTimestamp,
  timestampOf,
  timestampText,
  toBigInt,
  toNumber,
  typeOfValue,
  uintOf,
} from '../values/index.js';
import {type Duration, type Timestamp, TypeValue, type Uint, type Value} from '../values/value.js';

const second = 1_000_000_000n;
const same = (value: Value): Value => value;

function failed(from: string, to: string): never {
  throw new CelError(`type conversion error from '${from}' to '${to}'`);
}

function intFromDouble(value: DoubleValue): IntValue {
  const number = Math.trunc(toNumber(value));
  // As cel-go: the ends themselves are refused, for int64's maximum is no double.
  if (!(number > -(2 ** 63) && number < 2 ** 63)) throw new CelError('integer overflow');
  return intOf(Number.isSafeInteger(number) ? number : BigInt(number));
}

function uintFromDouble(value: DoubleValue): Uint {
  const number = Math.trunc(toNumber(value));
  if (!(number >= 0 && number < 2 ** 64)) throw new CelError('unsigned integer overflow');
  return uintOf(BigInt(number));
}

function uintFromText(text: string): Uint {
  if (text.length > 400 || !/^\d+$/.test(text)) return failed('string', 'uint');
  const value = BigInt(text);
  return value < 2n ** 64n ? uintOf(value) : failed('string', 'uint');
}

function intFromText(text: string): IntValue {
  const value = parseInt64(text);
  return value === undefined ? failed('string', 'int') : intOf(value);
}

const specialDoubles: ReadonlyMap<string, number> = new Map([
  ['nan', Number.NaN],
  ['inf', Number.POSITIVE_INFINITY],
  ['infinity', Number.POSITIVE_INFINITY],
]);

function doubleFromText(text: string): DoubleValue {
  const number = parseFloatText(text);
  if (number !== undefined) return doubleOf(number);
  const match = /^([+-]?)([a-z]{3,8})$/i.exec(text);
  const special = match ? specialDoubles.get(match[2]!.toLowerCase()) : undefined;
  if (special === undefined) return failed('string', 'double');
  return match![1] === '-' ? -special : special;
}

const truths = new Set(['1', 't', 'true', 'TRUE', 'True']);
const falsehoods = new Set(['0', 'f', 'false', 'FALSE', 'False']);

function boolFromText(text: string): boolean {
  if (truths.has(text)) return true;
  return falsehoods.has(text) ? false : failed('string', 'bool');
}

function textFromBytes(bytes: Uint8Array): string {
  if (!isUtf8(bytes)) throw new CelError('invalid UTF-8 in bytes, cannot convert to string');
  return Buffer.from(bytes).toString('utf8');
}

const text = (value: IntValue): string => String(value);
const length = (value: string | Uint8Array): number => Math.ceil(value.length / 10);

function conversion(
  name: string,
  result: Type,
  ...rows: ReadonlyArray<readonly [id: string, from: Type, call: Overload['call'], cost?: Overload['cost']]>
): FunctionDeclaration {
  return fn(
    name,
    ...rows.map(([id, from, call, cost]) => ({id, receiver: false, params: [from], result, call, ...(cost && {cost})})),
  );
}

export const conversions: readonly FunctionDeclaration[] = [
  conversion('bool', boolType, ['bool_to_bool', boolType, same], ['string_to_bool', stringType, boolFromText]),
  conversion(
    'bytes',
    bytesType,
    ['bytes_to_bytes', bytesType, same],
    ['string_to_bytes', stringType, (value: string) => new Uint8Array(Buffer.from(value, 'utf8')), length],
  ),
  conversion(
    'double',
    doubleType,
    ['double_to_double', doubleType, same],
    ['int64_to_double', intType, (value: IntValue) => doubleOf(toNumber(value))],
    ['uint64_to_double', uintType, (value: Uint) => doubleOf(toNumber(value))],
    ['string_to_double', stringType, doubleFromText],
  ),
  conversion(
    'int',
    intType,
    ['int64_to_int64', intType, same],
    ['uint64_to_int64', uintType, (value: Uint) => intOf(value.value)],
    ['double_to_int64', doubleType, intFromDouble],
    ['string_to_int64', stringType, intFromText],
    ['timestamp_to_int64', timestampType, (value: Timestamp) => intOf(floorSeconds(value.nanos))],
    ['duration_to_int64', durationType, (value: Duration) => intOf(value.nanos)],
  ),
  conversion(
    'uint',
    uintType,
    ['uint64_to_uint64', uintType, same],
    ['int64_to_uint64', intType, (value: IntValue) => uintOf(toBigInt(value))],
    ['double_to_uint64', doubleType, uintFromDouble],
    ['string_to_uint64', stringType, uintFromText],
  ),
  conversion(
    'string',
    stringType,
    ['string_to_string', stringType, same],
    ['bool_to_string', boolType, String],
    ['int64_to_string', intType, text],
    ['uint64_to_string', uintType, (value: Uint) => String(value.value)],
    ['double_to_string', doubleType, (value: DoubleValue) => doubleText(toNumber(value))],
    ['bytes_to_string', bytesType, textFromBytes, length],
    ['timestamp_to_string', timestampType, timestampText],
    ['duration_to_string', durationType, durationText],
  ),
  conversion(
    'timestamp',
    timestampType,
    ['timestamp_to_timestamp', timestampType, same],
    ['string_to_timestamp', stringType, parseTimestamp],
    ['int64_to_timestamp', intType, (value: IntValue) => timestampOf(toBigInt(value) * second)],
  ),
  conversion(
    'duration',
    durationType,
    ['duration_to_duration', durationType, same],
    ['string_to_duration', stringType, parseDurationText],
    ['int64_to_duration', intType, (value: IntValue) => durationOf(toBigInt(value))],
  ),
  conversion('dyn', dynType, ['to_dyn', param('A'), same]),
  conversion('type', typeOf(param('A')), ['type', param('A'), (value: Value) => new TypeValue(typeOfValue(value))]),
];

function floorSeconds(nanos: bigint): bigint {
  const rest = ((nanos % second) + second) % second;
  return (nanos - rest) / second;
}
