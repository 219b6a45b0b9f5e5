import {describe, expect, it} from 'vitest';
import {Budget, defaultLimits} from '../../budget.js';
import {deepFreeze} from '../../json/clone.js';
import type {JsonObject} from '../../json/types.js';
import {applyStrictPatch, type PatchOperation} from './strict-patch.js';

const object = deepFreeze<JsonObject>({a: {b: [1, 2, 3]}, 'c/d': 'x', n: null});
const operation = (op: string, path: string, rest: Partial<PatchOperation> = {}): PatchOperation => ({
  op,
  path,
  from: '',
  value: undefined,
  ...rest,
});

function patched(operations: readonly PatchOperation[], replaceAdds = false): JsonObject {
  return applyStrictPatch(object, operations, {budget: new Budget(defaultLimits, () => 0), replaceAdds});
}

describe('a strict JSON patch', () => {
  it.each<readonly [string, readonly PatchOperation[], JsonObject]>([
    ['adds a key', [operation('add', '/a/x', {value: 1})], {...object, a: {b: [1, 2, 3], x: 1}}],
    ['sets a key that is there by add', [operation('add', '/c~1d', {value: 'y'})], {...object, 'c/d': 'y'}],
    ['inserts into a list', [operation('add', '/a/b/1', {value: 9})], {...object, a: {b: [1, 9, 2, 3]}}],
    ['appends at the end', [operation('add', '/a/b/-', {value: 9})], {...object, a: {b: [1, 2, 3, 9]}}],
    ['appends at the length', [operation('add', '/a/b/3', {value: 9})], {...object, a: {b: [1, 2, 3, 9]}}],
    ['counts negative indexes from the end', [operation('remove', '/a/b/-1')], {...object, a: {b: [1, 2]}}],
    ['removes a key', [operation('remove', '/n')], {a: {b: [1, 2, 3]}, 'c/d': 'x'}],
    ['replaces an element', [operation('replace', '/a/b/0', {value: 7})], {...object, a: {b: [7, 2, 3]}}],
    ['moves', [operation('move', '/a/m', {from: '/c~1d'})], {a: {b: [1, 2, 3], m: 'x'}, n: null}],
    ['copies', [operation('copy', '/a/m', {from: '/a/b'})], {...object, a: {b: [1, 2, 3], m: [1, 2, 3]}}],
    [
      'goes on when a test holds',
      [operation('test', '/a/b/0', {value: 1}), operation('remove', '/a')],
      {'c/d': 'x', n: null},
    ],
    [
      'finds null where nothing is',
      [operation('test', '/zz', {value: null}), operation('remove', '/a')],
      {'c/d': 'x', n: null},
    ],
    ['replaces everything', [operation('replace', '', {value: {z: 1}})], {z: 1}],
  ])('%s', (_, operations, expected) => {
    expect(patched(operations)).toEqual(expected);
  });

  it('changes nothing when a test does not hold', () => {
    expect(patched([operation('remove', '/a'), operation('test', '/c~1d', {value: 'z'})])).toBe(object);
  });

  it.each<readonly [PatchOperation, string]>([
    [
      operation('remove', '/metadata/annotations/z'),
      'remove operation does not apply: doc is missing path: "/metadata/annotations/z": missing value',
    ],
    [
      operation('remove', '/a/z'),
      "error in remove for path: '/a/z': unable to remove nonexistent key: z: missing value",
    ],
    [
      operation('remove', '/a/b/3'),
      "error in remove for path: '/a/b/3': Unable to access invalid index: 3: invalid index referenced",
    ],
    [operation('add', '/x/y', {value: 1}), 'add operation does not apply: doc is missing path: "/x/y": missing value'],
    [
      operation('add', '/a/b/4', {value: 1}),
      "error in add for path: '/a/b/4': Unable to access invalid index: 4: invalid index referenced",
    ],
    [
      operation('add', '/a/b/x', {value: 1}),
      "error in add for path: '/a/b/x': value was not a proper array index: 'x': strconv.Atoi: parsing \"x\": invalid syntax",
    ],
    [operation('add', 'a', {value: 1}), 'add operation does not apply: doc is missing path: "a": missing value'],
    [
      operation('replace', '/zz', {value: 1}),
      'replace operation does not apply: doc is missing key: /zz: missing value',
    ],
    [
      operation('replace', '/x/y', {value: 1}),
      'replace operation does not apply: doc is missing path: /x/y: missing value',
    ],
    [
      operation('move', '/x', {from: '/y/z'}),
      'move operation does not apply: doc is missing from path: /y/z: missing value',
    ],
    [
      operation('move', '/x', {from: '/y'}),
      "error in move for path: 'y': unable to get nonexistent key: y: missing value",
    ],
    [
      operation('copy', '/x/y', {from: '/a'}),
      'copy operation does not apply: doc is missing destination path: /x/y: missing value',
    ],
    [operation('test', '/x/y', {value: 1}), 'test operation does not apply: is missing path: /x/y: missing value'],
    [operation('frob', '/x'), 'Unexpected kind: frob'],
  ])('refuses %j', (wrong, message) => {
    expect(() => patched([wrong])).toThrow(`JSON Patch: ${message}`);
  });

  it('adds by replace as the API server does, where told so', () => {
    expect(patched([operation('replace', '/zz', {value: 1})], true)).toEqual({...object, zz: 1});
  });

  it('does not double without end', () => {
    const doubling = Array.from({length: 40}, (_, index) => operation('copy', `/a/x${index}`, {from: '/a'}));
    expect(() => patched(doubling)).toThrow('the copies of a patch are limited');
  });
});
