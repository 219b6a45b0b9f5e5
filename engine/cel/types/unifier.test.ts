import {describe, expect, test} from 'vitest';
import {sameType} from './same.js';
import {
  anyType,
  boolType,
  doubleType,
  durationType,
  dynType,
  errorType,
  intType,
  listOf,
  mapOf,
  nullType,
  objectType,
  opaque,
  optionalOf,
  param,
  stringType,
  type Type,
  typeOf,
  typeText,
} from './type.js';
import {typeSize, typeSizeLimit} from './type-size.js';
import {moreGeneral, TooComplex, Unifier} from './unifier.js';

const A = param('A');
const B = param('B');
const fits = (from: Type, to: Type): boolean => new Unifier().assignable([from], [to]);

describe('assignability', () => {
  test.each<[string, Type, Type, boolean]>([
    ['a type to itself', intType, intType, true],
    ['int to double', intType, doubleType, false],
    ['dyn to everything', dynType, listOf(intType), true],
    ['everything to dyn', mapOf(stringType, intType), dynType, true],
    ['any to everything', anyType, intType, true],
    ['a fault to everything', errorType, boolType, true],
    ['lists by element', listOf(intType), listOf(intType), true],
    ['lists of other elements', listOf(intType), listOf(stringType), false],
    ['lists of dyn', listOf(dynType), listOf(stringType), true],
    ['lists and maps', listOf(intType), mapOf(intType, intType), false],
    ['maps by key and value', mapOf(stringType, intType), mapOf(stringType, dynType), true],
    ['maps of other keys', mapOf(stringType, intType), mapOf(intType, intType), false],
    ['optionals', optionalOf(intType), optionalOf(dynType), true],
    ['optionals and their values', optionalOf(intType), intType, false],
    ['types of all values', typeOf(intType), typeOf(stringType), true],
    ['opaque types by name', opaque('net.IP'), opaque('net.IP'), true],
    ['other opaque types', opaque('net.IP'), opaque('net.CIDR'), false],
    ['object types by name', objectType('A'), objectType('B'), false],
    ['objects and opaque types', objectType('A'), opaque('A'), false],
    ['null to objects', nullType, objectType('A'), true],
    ['opaque values to null', opaque('net.IP'), nullType, true],
    ['null to durations', nullType, durationType, true],
    ['null to optionals', nullType, optionalOf(intType), true],
    ['null to ints', nullType, intType, false],
    ['null to lists', nullType, listOf(intType), false],
  ])('%s: %s', (_name, from, to, expected) => {
    expect(fits(from, to)).toBe(expected);
  });

  test('as many as there are', () => {
    expect(new Unifier().assignable([intType], [intType, intType])).toBe(false);
  });
});

describe('type parameters', () => {
  test('stand for one type everywhere', () => {
    expect(new Unifier().assignable([intType, intType], [A, A])).toBe(true);
    expect(new Unifier().assignable([intType, stringType], [A, A])).toBe(false);
    expect(new Unifier().assignable([intType, listOf(intType)], [A, listOf(A)])).toBe(true);
    expect(new Unifier().assignable([stringType, listOf(intType)], [A, listOf(A)])).toBe(false);
  });

  test('become what they stand for', () => {
    const unifier = new Unifier();
    unifier.assignable([mapOf(stringType, listOf(intType))], [mapOf(A, B)]);
    expect(typeText(unifier.resolve(listOf(B)))).toBe('list(list(int))');
    expect(typeText(unifier.resolve(A))).toBe('string');
  });

  test('become the more general of two types that agree', () => {
    const unifier = new Unifier();
    expect(unifier.assignable([intType, dynType], [A, A])).toBe(true);
    expect(unifier.resolve(A)).toBe(dynType);
  });

  test('are not learnt of in vain', () => {
    const unifier = new Unifier();
    expect(unifier.assignable([intType, stringType], [A, boolType])).toBe(false);
    expect(unifier.resolve(A)).toBe(A);
    expect(unifier.settle(listOf(A))).toEqual(listOf(dynType));
  });

  test('do not hold themselves', () => {
    expect(new Unifier().assignable([listOf(A)], [A])).toBe(false);
    const unifier = new Unifier();
    expect(unifier.assignable([A], [B])).toBe(true);
    expect(unifier.assignable([listOf(B)], [A])).toBe(false);
    expect(unifier.assignable([B], [A])).toBe(true);
  });

  test('fresh ones have names of their own', () => {
    const unifier = new Unifier();
    expect([unifier.freshParameter(), unifier.freshParameter()].map(typeText)).toEqual(['_var0', '_var1']);
  });

  test('that double with each step end in a fault', () => {
    const unifier = new Unifier();
    const parameters = Array.from({length: 40}, (_, index) => param(`P${index}`));
    for (let index = 0; index < 39; index++) {
      const next = parameters[index + 1]!;
      unifier.assignable([mapOf(next, next)], [parameters[index]!]);
    }
    expect(() => unifier.resolve(parameters[0]!)).toThrow(TooComplex);
  });
});

describe('comparison of types', () => {
  test('the more general one', () => {
    expect(moreGeneral(intType, dynType)).toBe(dynType);
    expect(moreGeneral(listOf(dynType), listOf(intType))).toEqual(listOf(dynType));
    expect(moreGeneral(mapOf(stringType, intType), mapOf(stringType, dynType))).toEqual(mapOf(stringType, dynType));
    expect(moreGeneral(A, intType)).toBe(A);
  });

  test('sameness goes through all parts', () => {
    expect(sameType(mapOf(stringType, listOf(A)), mapOf(stringType, listOf(param('A'))))).toBe(true);
    expect(sameType(listOf(intType), listOf(dynType))).toBe(false);
    expect(sameType(typeOf(), typeOf(intType))).toBe(false);
    expect(sameType(optionalOf(intType), optionalOf(intType))).toBe(true);
  });

  test('sizes stop at a limit, however often parts are shared', () => {
    let type: Type = intType;
    for (let level = 0; level < 200; level++) type = mapOf(type, type);
    expect(typeSize(type)).toBe(typeSizeLimit + 1);
    expect(typeSize(mapOf(stringType, listOf(intType)))).toBe(4);
  });
});
