import {fn, global, method, search} from '../library/declare.js';
import type {CelHost, FunctionDeclaration, Overload} from '../library/library.js';
import {boolType, bytesType, intType, listOf, mapOf, param, stringType, type Type} from '../types/type.js';
import {codePoints, type MapValue, mapSize} from '../values/index.js';
import {compileRegex, dynamicMatchCost} from './regex.js';

const tenth = (text: {length: number}): number => Math.ceil(text.length / 10);
const textPair = [stringType, stringType];

const matches = (host: CelHost, text: string, pattern: string): boolean => compileRegex(host.regex, pattern).test(text);

const sizes: ReadonlyArray<readonly [name: string, of: Type, call: Overload['call'], cost?: Overload['cost']]> = [
  ['string', stringType, codePoints, tenth],
  ['bytes', bytesType, (bytes: Uint8Array) => bytes.length],
  ['list', listOf(param('A')), (list: readonly unknown[]) => list.length],
  ['map', mapOf(param('A'), param('B')), (map: MapValue) => mapSize(map)],
];

export const strings: readonly FunctionDeclaration[] = [
  fn(
    'size',
    ...sizes.map(([name, of, call, cost]) => global(`size_${name}`, [[of], intType], call, cost)),
    ...sizes.map(([name, of, call, cost]) => method(`${name}_size`, [[of], intType], call, cost)),
  ),
  fn(
    'contains',
    method('contains_string', [textPair, boolType], (a: string, b: string) => a.includes(b), search),
  ),
  fn(
    'startsWith',
    method(
      'starts_with_string',
      [textPair, boolType],
      (a: string, b: string) => a.startsWith(b),
      (_, b) => tenth(b),
    ),
  ),
  fn(
    'endsWith',
    method(
      'ends_with_string',
      [textPair, boolType],
      (a: string, b: string) => a.endsWith(b),
      (_, b) => tenth(b),
    ),
  ),
  fn(
    'matches',
    {...global('matches', [textPair, boolType], matches, dynamicMatchCost), host: true},
    {...method('matches_string', [textPair, boolType], matches, dynamicMatchCost), host: true},
  ),
];
