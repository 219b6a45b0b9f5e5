import {describe, expect, it} from 'vitest';
import {Budget, defaultLimits} from '../budget.js';
import {BudgetError, EvalError} from '../diagnostic.js';
import {deepEqual, deepFreeze, stringifyJson} from '../json/index.js';
import {randomJson, randomObject, seededRandom} from '../json/testing/random.js';
import type {Json, JsonObject} from '../json/types.js';
import type {JsonPatchOperation} from '../types.js';
import {applyJsonPatch, diffJson, parseJsonPatch} from './index.js';

function apply(object: JsonObject, text: string): JsonObject {
  return applyJsonPatch(deepFreeze(object), deepFreeze(parseJsonPatch(text) as unknown as Json) as never);
}

describe('applyJsonPatch', () => {
  it.each<[string, JsonObject, string, JsonObject]>([
    ['adds a member', {a: 1}, '[{"op":"add","path":"/b","value":2}]', {a: 1, b: 2}],
    ['replaces a member by add', {a: 1}, '[{"op":"add","path":"/a","value":2}]', {a: 2}],
    ['adds null when no value is given', {}, '[{"op":"add","path":"/a"}]', {a: null}],
    ['inserts into a list', {l: [1, 3]}, '[{"op":"add","path":"/l/1","value":2}]', {l: [1, 2, 3]}],
    ['appends by -', {l: [1]}, '[{"op":"add","path":"/l/-","value":2}]', {l: [1, 2]}],
    ['appends by the length', {l: [1]}, '[{"op":"add","path":"/l/1","value":2}]', {l: [1, 2]}],
    ['counts indexes from the end', {l: [1, 2]}, '[{"op":"replace","path":"/l/-1","value":9}]', {l: [1, 9]}],
    ['adds at the end by -1', {l: [1, 2]}, '[{"op":"add","path":"/l/-1","value":9}]', {l: [1, 2, 9]}],
    ['removes by -1', {l: [1, 2]}, '[{"op":"remove","path":"/l/-1"}]', {l: [1]}],
    ['ignores the removal of a missing member', {a: 1}, '[{"op":"remove","path":"/b"}]', {a: 1}],
    ['ignores the removal of a missing index', {l: [1]}, '[{"op":"remove","path":"/l/5"}]', {l: [1]}],
    ['ignores a removal below nothing', {a: 1}, '[{"op":"remove","path":"/b/c/d"}]', {a: 1}],
    ['creates parents', {}, '[{"op":"add","path":"/a/b/c","value":1}]', {a: {b: {c: 1}}}],
    ['creates a parent list for an index', {}, '[{"op":"add","path":"/a/0","value":1}]', {a: [1]}],
    ['creates a parent list for -', {}, '[{"op":"add","path":"/a/-","value":1}]', {a: [1]}],
    ['pads a list that it makes', {}, '[{"op":"add","path":"/a/2","value":1}]', {a: [null, null, 1]}],
    ['creates a parent in place of null', {a: null}, '[{"op":"add","path":"/a/b","value":1}]', {a: {b: 1}}],
    ['creates an element with its parent', {l: []}, '[{"op":"add","path":"/l/0/x","value":1}]', {l: [{x: 1}]}],
    [
      'reads escaped tokens',
      {'a/b': {'m~n': 1}},
      '[{"op":"replace","path":"/a~1b/m~0n","value":2}]',
      {'a/b': {'m~n': 2}},
    ],
    ['reads the empty name', {'': 1}, '[{"op":"replace","path":"/","value":2}]', {'': 2}],
    ['moves', {a: {b: 1}, c: {}}, '[{"op":"move","from":"/a/b","path":"/c/d"}]', {a: {}, c: {d: 1}}],
    ['moves within a list', {l: [1, 2, 3]}, '[{"op":"move","from":"/l/0","path":"/l/2"}]', {l: [2, 3, 1]}],
    ['copies', {a: {b: 1}}, '[{"op":"copy","from":"/a","path":"/c"}]', {a: {b: 1}, c: {b: 1}}],
    [
      'goes on after a test that holds',
      {a: 1},
      '[{"op":"test","path":"/a","value":1.0},{"op":"remove","path":"/a"}]',
      {},
    ],
    ['takes a missing value for null in a test', {}, '[{"op":"test","path":"/a","value":null}]', {}],
    ['reads YAML', {}, '- op: add\n  path: /metadata/labels/a\n  value: "yes"\n', {metadata: {labels: {a: 'yes'}}}],
    ['works in order', {}, '[{"op":"add","path":"/l","value":[]},{"op":"add","path":"/l/0","value":1}]', {l: [1]}],
  ])('%s', (_, object, text, expected) => {
    expect(apply(object, text)).toEqual(expected);
  });

  it.each<[string, JsonObject, string, string]>([
    ['a replacement of nothing', {}, '[{"op":"replace","path":"/a","value":1}]', 'replace /a failed: nothing there'],
    [
      'a replacement below nothing',
      {},
      '[{"op":"replace","path":"/a/b","value":1}]',
      'replace /a/b failed: nothing there',
    ],
    ['a test that differs', {a: 1}, '[{"op":"test","path":"/a","value":"1"}]', 'test /a failed: the value differs'],
    ['a move from nothing', {}, '[{"op":"move","from":"/a","path":"/b"}]', 'move /b failed: nothing at /a'],
    ['a move into itself', {a: {}}, '[{"op":"move","from":"/a","path":"/a/b"}]', 'a value cannot move into itself'],
    [
      'an index beyond the end',
      {l: []},
      '[{"op":"add","path":"/l/1","value":1}]',
      'index 1 lies outside the list of 0',
    ],
    [
      'a far index in a new list',
      {},
      '[{"op":"add","path":"/l/99999","value":1}]',
      'index 99999 lies outside the list of 0',
    ],
    ['a negative index before the start', {l: [1]}, '[{"op":"add","path":"/l/-9","value":1}]', 'index -9 lies outside'],
    ['a name in a list', {l: [1]}, '[{"op":"add","path":"/l/x","value":1}]', '"x" is no index of a list'],
    ['a leading zero', {l: [1]}, '[{"op":"add","path":"/l/00","value":1}]', '"00" is no index of a list'],
    ['a member of a scalar', {a: 1}, '[{"op":"add","path":"/a/b","value":1}]', '/a is neither a map nor a list'],
  ])('refuses %s', (_, object, text, message) => {
    expect(() => apply(object, text)).toThrow(EvalError);
    expect(() => apply(object, text)).toThrow(message);
  });

  it('treats __proto__ as data', () => {
    const result = apply({}, '[{"op":"add","path":"/__proto__/polluted","value":1}]');
    expect(stringifyJson(result)).toBe('{"__proto__":{"polluted":1}}');
    expect(({} as {polluted?: unknown}).polluted).toBeUndefined();
    expect(() => apply({}, '[{"op":"replace","path":"/constructor/prototype/x","value":1}]')).toThrow('nothing there');
  });

  it('shares what it does not touch and returns the object itself when nothing changes', () => {
    const object = deepFreeze<JsonObject>({a: {b: [1]}, c: {d: 1}});
    const result = applyJsonPatch(object, [{op: 'add', path: '/c/d', value: 2}]);
    expect(result['a']).toBe(object['a']);
    expect(applyJsonPatch(object, [{op: 'remove', path: '/x/y'}])).toBe(object);
  });

  it('charges its budget for what each operation copies', () => {
    const budget = new Budget({...defaultLimits, steps: 100}, () => 0);
    const object = {l: Array.from({length: 60}, () => 0)};
    const operation = {op: 'remove', path: '/l/0'} as const;
    expect(applyJsonPatch(object, [operation], budget)['l']).toHaveLength(59);
    expect(() => applyJsonPatch(object, [operation], budget)).toThrow(BudgetError);
  });

  it('stops copies that double and double', () => {
    const operations: JsonPatchOperation[] = Array.from({length: 40}, (_, i) => ({
      op: 'copy',
      from: '/a',
      path: `/a/${i}`,
    }));
    expect(() => applyJsonPatch({a: {x: 1}}, operations)).toThrow('copies too much data');
  });
});

describe('parseJsonPatch', () => {
  it.each([
    ['[', 'failed to parse JSON patch: invalid YAML at line 1'],
    ['a: 1', 'JSON patch must be a list of operations'],
    ['- 1', 'JSON patch operation 0 must be a map'],
    ['- op: put\n  path: /a', 'JSON patch operation 0: op must be one of add, remove, replace, move, copy, test'],
    ['- op: add\n  path: a', 'JSON patch operation 0: path must be a text that starts with "/"'],
    ['- op: add\n  path: ""', 'JSON patch operation 0: path must be a text that starts with "/"'],
    ['- op: add', 'JSON patch operation 0: path must be a text that starts with "/"'],
    [
      '- {op: remove, path: /a}\n- {op: move, path: /a}',
      'JSON patch operation 1: from must be a text that starts with "/"',
    ],
  ])('refuses %j', (text, message) => {
    expect(() => parseJsonPatch(text)).toThrow(EvalError);
    expect(() => parseJsonPatch(text)).toThrow(message);
  });
});

describe('diffJson', () => {
  const named = (name: string, value?: number): JsonObject => (value === undefined ? {name} : {name, value});
  it.each<[string, Json, Json, readonly JsonPatchOperation[]]>([
    ['equal values give nothing', {a: [1]}, {a: [1]}, []],
    ['numbers of equal value give nothing', {a: 1}, {a: 1n}, []],
    ['a changed scalar', {a: 1}, {a: 2}, [{op: 'replace', path: '/v/a', value: 2}]],
    ['a new member', {}, {'a/b': 1}, [{op: 'add', path: '/v/a~1b', value: 1}]],
    ['a removed member', {'m~n': 1}, {}, [{op: 'remove', path: '/v/m~0n'}]],
    ['a changed type', {a: {}}, {a: []}, [{op: 'replace', path: '/v/a', value: []}]],
    ['an appended element', [1], [1, 2], [{op: 'add', path: '/v/1', value: 2}]],
    ['an element at the front', [1, 2], [0, 1, 2], [{op: 'add', path: '/v/0', value: 0}]],
    ['an element in the middle', [1, 3], [1, 2, 3], [{op: 'add', path: '/v/1', value: 2}]],
    ['a removed element', [1, 2, 3], [1, 3], [{op: 'remove', path: '/v/1'}]],
    ['a changed element', [1, 2, 3], [1, 9, 3], [{op: 'replace', path: '/v/1', value: 9}]],
    [
      'a change inside an element',
      [named('a', 1), named('b', 1)],
      [named('a', 1), named('b', 2)],
      [{op: 'replace', path: '/v/1/value', value: 2}],
    ],
    [
      'a new element before a changed one',
      [named('a', 1)],
      [named('x'), named('a', 2)],
      [
        {op: 'add', path: '/v/0', value: named('x')},
        {op: 'replace', path: '/v/1/value', value: 2},
      ],
    ],
    [
      'removed elements between kept ones',
      [1, 2, 3, 4, 5],
      [1, 3, 5],
      [
        {op: 'remove', path: '/v/1'},
        {op: 'remove', path: '/v/2'},
      ],
    ],
    [
      'an element that became another',
      [named('a', 1), named('b', 1)],
      [named('a', 1), named('c', 1)],
      [{op: 'replace', path: '/v/1', value: named('c', 1)}],
    ],
  ])('of %s', (_, from, to, expected) => {
    expect(diffJson({v: from}, {v: to})).toEqual(expected);
  });

  it('has removals and changes in key order, then additions', () => {
    expect(diffJson({a: 1, b: 2, c: 3}, {z: 1, c: 4, b: 2, y: 1}).map(({op, path}) => `${op} ${path}`)).toEqual([
      'remove /a',
      'replace /c',
      'add /z',
      'add /y',
    ]);
  });

  it('does not look into parts that are the same reference', () => {
    const shared = new Proxy<JsonObject>(
      {},
      {
        ownKeys: () => {
          throw new Error('looked inside');
        },
      },
    );
    expect(diffJson({a: shared, b: 1}, {a: shared, b: 2})).toHaveLength(1);
  });

  it('aligns long lists that differ all over', () => {
    const from = Array.from({length: 300}, (_, i) => i);
    const to = from.map(i => i * 2 + 1).slice(0, 290);
    expect(applyJsonPatch({l: from}, diffJson({l: from}, {l: to}))).toEqual({l: to});
  });

  it('applied to its first argument gives its second', () => {
    const random = seededRandom(4);
    for (let round = 0; round < 1_000; round++) {
      const from = deepFreeze(randomObject(random, 4));
      const to = deepFreeze(round % 2 === 0 ? randomObject(random, 4) : mutated(from, random));
      const operations = diffJson(from, to);
      expect(deepEqual(applyJsonPatch(from, operations), to)).toBe(true);
      expect(diffJson(from, to)).toEqual(operations);
    }
  });
});

/** A value that differs from the given one in some places, lists by insertion, removal and change. */
function mutated(object: JsonObject, random: () => number): JsonObject {
  function change(value: Json): Json {
    if (random() < 0.1) return randomJson(random, 2);
    if (Array.isArray(value)) {
      return value.flatMap(item =>
        random() < 0.2 ? [] : random() < 0.2 ? [randomJson(random, 1), item] : [change(item)],
      );
    }
    if (typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype) {
      const entries = Object.entries(value as JsonObject).filter(() => random() > 0.1);
      return Object.fromEntries(entries.map(([key, item]) => [key, change(item)]));
    }
    return value;
  }
  const result = change(object);
  return typeof result === 'object' && result !== null && !Array.isArray(result) && 'a' in result
    ? (result as JsonObject)
    : {v: result};
}
