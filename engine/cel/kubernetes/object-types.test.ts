import {describe, expect, it} from 'vitest';
import type {Value} from '../values/value.js';
import {JsonPatchValue, type MessageValue, objectTypes, typeMismatches} from './object-types.js';

const message = (name: string, fields: Readonly<Record<string, Value>>): MessageValue =>
  objectTypes.resolveObject!(name)!.construct!(Object.entries(fields)) as MessageValue;

describe('objects of mutations', () => {
  it('become JSON, parts and lists of parts too', () => {
    const value = message('Object', {
      spec: message('Object.spec', {containers: [message('Object.spec.containers', {name: 'a'})], plain: {a: 1}}),
    });
    expect(value.toJson()).toEqual({spec: {containers: [{name: 'a'}], plain: {a: 1}}});
  });

  it.each<readonly [string, Value, readonly string[]]>([
    ['its place', message('Object', {spec: message('Object.spec', {a: 1})}), []],
    ['its place in a list', message('Object', {spec: [message('Object.spec', {})]}), []],
    [
      'another place',
      message('Object', {spec: message('Object.wrong', {})}),
      ['"Object.wrong", expected "Object.spec"'],
    ],
    [
      'another place in a map',
      message('Object', {a: {b: message('Object.b', {})}}),
      ['"Object.b", expected "Object.a"'],
    ],
    ['its place below a part', message('Object.spec', {a: message('Object.spec.a', {})}), []],
  ])('are named after %s', (_, value, faults) => {
    expect(typeMismatches(value)).toEqual(
      faults.map(fault => `unexpected type name ${fault}, which matches field name path from root Object type`),
    );
  });

  it('are equal field by field', () => {
    const one = message('Object.a', {b: [1, {c: 'x'}]});
    expect(one.equals(message('Object.a', {b: [1, {c: 'x'}]}))).toBe(true);
    expect(one.equals(message('Object.b', {b: [1, {c: 'x'}]}))).toBe(false);
    expect(one.equals(message('Object.a', {b: [2]}))).toBe(false);
  });

  it('keep to names that begin with Object', () => {
    expect(objectTypes.resolveObject!('Objects')).toBeUndefined();
    expect(objectTypes.resolveObject!('My.Object')).toBeUndefined();
  });
});

describe('JSON patch operations', () => {
  const declaration = objectTypes.objects![0]!;
  const operation = declaration.construct!([
    ['op', 'add'],
    ['path', '/a'],
    ['value', null],
  ]) as JsonPatchValue;

  it('have fields that are set or not', () => {
    expect(operation.get('op')).toBe('add');
    expect(operation.get('from')).toBe('');
    expect(operation.has('from')).toBe(false);
    expect(operation.has('value')).toBe(true);
    expect(new JsonPatchValue([]).has('value')).toBe(false);
  });

  it('give other fields a type that nothing fits', () => {
    expect(declaration.field('pth')).toEqual({kind: 'object', name: ''});
    expect(declaration.field('constructor')).toEqual({kind: 'object', name: ''});
  });
});
