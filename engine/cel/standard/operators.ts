import {CelError} from '../errors.js';
import {fn, global} from '../library/declare.js';
import type {FunctionDeclaration, Overload} from '../library/library.js';
import {
  boolType,
  bytesType,
  doubleType,
  durationType,
  intType,
  listOf,
  mapOf,
  param,
  stringType,
  type Type,
  timestampType,
  uintType,
} from '../types/type.js';
import {compare, equals, type MapValue, mapGet, mapHas} from '../values/index.js';
import type {Value} from '../values/value.js';
import {
  add,
  addInts,
  concat,
  divide,
  divideInts,
  doubles,
  joinBytes,
  modulo,
  moduloInts,
  multiply,
  multiplyInts,
  negate,
  subtract,
  subtractInts,
} from './arithmetic.js';
import {indexList, missingKey} from './index-access.js';

const A = param('A');
const B = param('B');
const listA = listOf(A);
const mapAB = mapOf(A, B);
const lengths = (a: {length: number}, b: {length: number}): number => Math.ceil((a.length + b.length) / 10);

const same = (type: Type): Type[] => [type, type];

/** Name in overload ids, in cel-go's order of declaration. */
const ordered: ReadonlyArray<readonly [name: string, left: Type, right: Type]> = [
  ['bool', boolType, boolType],
  ['int64', intType, intType],
  ['int64_double', intType, doubleType],
  ['int64_uint64', intType, uintType],
  ['uint64', uintType, uintType],
  ['uint64_double', uintType, doubleType],
  ['uint64_int64', uintType, intType],
  ['double', doubleType, doubleType],
  ['double_int64', doubleType, intType],
  ['double_uint64', doubleType, uintType],
  ['string', stringType, stringType],
  ['bytes', bytesType, bytesType],
  ['timestamp', timestampType, timestampType],
  ['duration', durationType, durationType],
];

function ordering(name: string, prefix: string, holds: (order: number) => boolean): FunctionDeclaration {
  const call = (a: Value, b: Value): boolean => holds(compare(a, b));
  return fn(
    name,
    ...ordered.map(([suffix, left, right]) => global(`${prefix}_${suffix}`, [[left, right], boolType], call)),
  );
}

const lazily: Overload['call'] = () => {
  throw new CelError('no such overload');
};

/** Operators. `&&`, `||` and `?:` are compiled, never called: their arguments are not evaluated beforehand. */
export const operators: readonly FunctionDeclaration[] = [
  fn('_?_:_', global('conditional', [[boolType, A, A], A], lazily)),
  fn('_&&_', global('logical_and', [same(boolType), boolType], lazily)),
  fn('_||_', global('logical_or', [same(boolType), boolType], lazily)),
  fn(
    '!_',
    global('logical_not', [[boolType], boolType], (value: boolean) => !value),
  ),
  fn(
    '_==_',
    global('equals', [same(A), boolType], (a: Value, b: Value) => equals(a, b)),
  ),
  fn(
    '_!=_',
    global('not_equals', [same(A), boolType], (a: Value, b: Value) => !equals(a, b)),
  ),
  fn(
    '_+_',
    global('add_bytes', [same(bytesType), bytesType], joinBytes, lengths),
    global(
      'add_double',
      [same(doubleType), doubleType],
      doubles((a, b) => a + b),
    ),
    global('add_duration_duration', [same(durationType), durationType], add),
    global('add_duration_timestamp', [[durationType, timestampType], timestampType], add),
    global('add_timestamp_duration', [[timestampType, durationType], timestampType], add),
    global('add_int64', [same(intType), intType], addInts),
    global('add_list', [same(listA), listA], concat, lengths),
    global('add_string', [same(stringType), stringType], (a: string, b: string) => a + b, lengths),
    global('add_uint64', [same(uintType), uintType], add),
  ),
  fn(
    '_/_',
    global(
      'divide_double',
      [same(doubleType), doubleType],
      doubles((a, b) => a / b),
    ),
    global('divide_int64', [same(intType), intType], divideInts),
    global('divide_uint64', [same(uintType), uintType], divide),
  ),
  fn(
    '_%_',
    global('modulo_int64', [same(intType), intType], moduloInts),
    global('modulo_uint64', [same(uintType), uintType], modulo),
  ),
  fn(
    '_*_',
    global(
      'multiply_double',
      [same(doubleType), doubleType],
      doubles((a, b) => a * b),
    ),
    global('multiply_int64', [same(intType), intType], multiplyInts),
    global('multiply_uint64', [same(uintType), uintType], multiply),
  ),
  fn(
    '-_',
    global('negate_double', [[doubleType], doubleType], negate),
    global('negate_int64', [[intType], intType], negate),
  ),
  fn(
    '_-_',
    global(
      'subtract_double',
      [same(doubleType), doubleType],
      doubles((a, b) => a - b),
    ),
    global('subtract_duration_duration', [same(durationType), durationType], subtract),
    global('subtract_int64', [same(intType), intType], subtractInts),
    global('subtract_timestamp_duration', [[timestampType, durationType], timestampType], subtract),
    global('subtract_timestamp_timestamp', [same(timestampType), durationType], subtract),
    global('subtract_uint64', [same(uintType), uintType], subtract),
  ),
  ordering('_<_', 'less', order => order < 0),
  ordering('_<=_', 'less_equals', order => order <= 0),
  ordering('_>_', 'greater', order => order > 0),
  ordering('_>=_', 'greater_equals', order => order >= 0),
  fn(
    '_[_]',
    global('index_list', [[listA, intType], A], indexList),
    global('index_map', [[mapAB, A], B], (map: MapValue, key: Value) => mapGet(map, key) ?? missingKey(key)),
  ),
  fn(
    '@in',
    global(
      'in_list',
      [[A, listA], boolType],
      (value: Value, list: readonly Value[]) => list.some(item => equals(value, item)),
      (_, list) => list.length,
    ),
    global('in_map', [[A, mapAB], boolType], (key: Value, map: MapValue) => mapHas(map, key)),
  ),
];
