import {describe, expect, it} from 'vitest';
import {stringifyJson} from '../json/index.js';
import {randomJson, seededRandom} from '../json/testing/random.js';
import {Float, type Json} from '../json/types.js';
import {parseYaml, parseYamlDocuments, YamlError} from './index.js';

describe('parseYaml reads scalars as Kubernetes tools do', () => {
  it.each<[string, Json]>([
    ['a: yes', {a: true}],
    ['a: on', {a: true}],
    ['a: y', {a: true}],
    ['a: off', {a: false}],
    ['a: NO', {a: false}],
    ['a: "yes"', {a: 'yes'}],
    ['on: 1', {true: 1}],
    ['yes: 1', {true: 1}],
    ['a: 014', {a: 12}],
    ['a: -014', {a: -12}],
    ['a: 089', {a: 89}],
    ['a: 0o14', {a: 12}],
    ['a: -0o14', {a: -12}],
    ['a: 0b11', {a: 3}],
    ['a: 0x1F', {a: 31}],
    ['a: 1_000', {a: 1000}],
    ['a: 12:30', {a: '12:30'}],
    ['a: 190:20:30.15', {a: '190:20:30.15'}],
    ['a: 2024-01-01', {a: '2024-01-01'}],
    ['a: 2024-01-01T00:00:00Z', {a: '2024-01-01T00:00:00Z'}],
    ['a: 9007199254740993', {a: 9007199254740993n}],
    ['a: 18446744073709551615', {a: 18446744073709551615n}],
    ['a: -9223372036854775808', {a: -9223372036854775808n}],
    ['a: 18446744073709551616', {a: new Float(2 ** 64)}],
    ['a: 1e25', {a: new Float(1e25)}],
    ['a: 1.0', {a: 1}],
    ['a: 1e3', {a: 1000}],
    ['a: 1.5', {a: 1.5}],
    ['a: .5', {a: 0.5}],
    ['a: +1', {a: 1}],
    ['a: 1.', {a: 1}],
    ['a: -.5e3', {a: -500}],
    ['a: 1_000.5', {a: 1000.5}],
    ['a: e5', {a: 'e5'}],
    ['a: E2', {a: 'E2'}],
    ['a: -e2', {a: '-e2'}],
    ['a: .', {a: '.'}],
    ['a: ._5', {a: '._5'}],
    ['a: .e5', {a: '.e5'}],
    ['a: 12e4567', {a: '12e4567'}],
    ['a: ~', {a: null}],
    ['a:', {a: null}],
    ['a: !!binary aGk=', {a: 'hi'}],
    ['a: !!str 1', {a: '1'}],
    ['a: !!int "3"', {a: 3}],
    ['a: !!float 1', {a: 1}],
    ['a: !!float 1.5', {a: 1.5}],
    ['a: !foo bar', {a: 'bar'}],
    ['a: ?*', {a: '?*'}],
    ['a: <5', {a: '<5'}],
    ['1: a\n1.5: b\ntrue: c', {'1': 'a', '1.5': 'b', true: 'c'}],
    ['a: |\n  x\n  y\n', {a: 'x\ny\n'}],
    ['a: {b: [1, c]}', {a: {b: [1, 'c']}}],
    ['- a\n- 1', ['a', 1]],
    ['', null],
    ['# nothing\n', null],
    ['---\n...\n', null],
    ['{"a": 1.0, "b": 9007199254740993}', {a: 1, b: 9007199254740993n}],
    ['{"a":\t[1]}', {a: [1]}],
    ['\uFEFFa: 1', {a: 1}],
    ['a: 1\r\nb: 2\r\n', {a: 1, b: 2}],
  ])('%j', (text, expected) => {
    expect(parseYaml(text)).toEqual(expected);
  });
});

describe('parseYaml merges and aliases', () => {
  it.each<[string, string, Json]>([
    ['a merge key adds what is missing', 'x: &x {a: 1, b: 2}\nz: {<<: *x, b: 3}', {x: {a: 1, b: 2}, z: {a: 1, b: 3}}],
    ['explicit keys win wherever they stand', '<<: {a: 1}\na: 2', {a: 2}],
    ['explicit keys before the merge win', 'a: 2\n<<: {a: 1, b: 1}', {a: 2, b: 1}],
    ['the first of several sources wins', '<<: [{a: 1}, {a: 2, b: 3}]', {a: 1, b: 3}],
    ['a quoted << is a plain key', '"<<": {a: 1}', {'<<': {a: 1}}],
    ['an alias takes the latest anchor before it', 'a: &v 1\nb: *v\nc: &v 2\nd: *v', {a: 1, b: 1, c: 2, d: 2}],
    ['an alias may be a key', 'a: &k name\n*k : 1', {a: 'name', name: 1}],
    ['the last of equal keys wins', 'a: 1\nb: 2\na: 3', {a: 3, b: 2}],
    ['prototype names are data', '__proto__: {a: 1}', JSON.parse('{"__proto__":{"a":1}}') as Json],
  ])('%s', (_, text, expected) => {
    expect(stringifyJson(parseYaml(text))).toBe(stringifyJson(expected));
  });
});

describe('parseYaml refuses', () => {
  const bomb = [...'bcdefghi'].map((key, i) => `${key}: &${key} [${Array(9).fill(`*${'abcdefgh'[i]}`).join()}]`);
  it.each([
    ['a null key', 'null: 1', 'line 1, column 1: map keys must not be null'],
    ['a missing key', 'a:\n  : 1', 'line 2, column 3: map keys must not be null'],
    ['a complex key', '? [a]\n: 1', 'line 1, column 3: map keys must be scalars'],
    ['an infinite number', 'a: .inf', 'line 1, column 4: infinite numbers and NaN have no JSON form'],
    ['a number that is none', 'a: .nan', 'line 1, column 4: infinite numbers and NaN have no JSON form'],
    ['text tagged as bool', 'a: !!bool x', 'line 1, column 11: "x" cannot be read as !!bool'],
    ['an unquoted !x', 'a: !x', 'line 1, column 4: "!x" is a YAML tag without a value; quote it when text is meant'],
    [
      'an unquoted !x in a list',
      '- !x',
      'line 1, column 3: "!x" is a YAML tag without a value; quote it when text is meant',
    ],
    ['an unquoted !*:latest', 'a: !*:latest', '"!*:latest" is a YAML tag without a value; quote it when text is meant'],
    ['two tags', 'a: !x !y z', 'A node can have at most one tag; quote a value that begins with "!"'],
    ['an unquoted >= 1', 'a: >= 1', 'quote a value that begins with ">" or "|"'],
    ['an unknown alias', 'a: *x', 'line 1, column 4: alias *x refers to no anchor before it'],
    ['an anchor that holds itself', 'a: &a [*a]', 'line 1, column 8: anchor &a contains itself'],
    ['an alias bomb', `a: &a [x, x, x, x, x, x, x, x, x]\n${bomb.join('\n')}`, 'aliases expand to too much data'],
    ['a merge of a scalar', '<<: 1', 'line 1, column 5: map merge requires a map or a list of maps'],
    ['deep flow lists', `${'['.repeat(5000)}`, 'nested too deeply'],
    ['deep block maps', Array.from({length: 600}, (_, i) => `${' '.repeat(i)}a:`).join('\n'), 'nested'],
    [
      'explicit keys without end, on which a reader that calls itself would end the process',
      '? '.repeat(100_000),
      'nested too deeply',
    ],
    ['lists on one line without end', '- '.repeat(100_000), 'nested too deeply'],
    ['brackets without end', '['.repeat(3 << 19), 'nested too deeply'],
    ['a second document', 'a: 1\n---\nb: 2', 'line 3, column 1: expected one document, found another'],
    ['an open quote', 'a: "x', 'Missing closing "quote'],
  ])('%s', (_, text, message) => {
    expect(() => parseYaml(text)).toThrow(YamlError);
    expect(() => parseYaml(text)).toThrow(message);
  });

  it('text beyond its limit', () => {
    expect(() => parseYaml('a: 12345', {maxLength: 5})).toThrow('text of 8 characters exceeds the limit of 5');
  });
});

describe('parseYamlDocuments', () => {
  it('keeps the good documents of a stream with broken ones, each with its line', () => {
    const text = 'a: 1\n---\nb: "x\n---\nc: [1\n---\n# only a comment\n---\n\nd: 4\n...\ne: 5\n--- {f: 6}\n';
    const documents = parseYamlDocuments(text);
    expect(documents.map(({value, line, error}) => [value, line, error?.line])).toEqual([
      [{a: 1}, 1, undefined],
      [null, 4, 4],
      [null, 6, 6],
      [{d: 4}, 10, undefined],
      [{e: 5}, 12, undefined],
      [{f: 6}, 13, undefined],
    ]);
  });

  it('does not split inside block scalars', () => {
    expect(parseYamlDocuments('a: |\n  x\n  ---\n  y\n---\nb: 1').map(document => document.value)).toEqual([
      {a: 'x\n---\ny\n'},
      {b: 1},
    ]);
  });

  it('keeps directives with their document', () => {
    expect(parseYamlDocuments('# head\n%YAML 1.1\n---\na: yes\n').map(document => document.value)).toEqual([{a: true}]);
  });

  it('reads a JSON file', () => {
    expect(parseYamlDocuments('\n{"a": [1, {"b": null}]}\n')).toEqual([
      {value: {a: [1, {b: null}]}, line: 2, duplicates: []},
    ]);
  });

  it('reports repeated keys with path and line', () => {
    const [document] = parseYamlDocuments('---\na:\n  - b: 1\n    c: 2\n    b: 3\n');
    expect(document).toEqual({
      value: {a: [{b: 3, c: 2}]},
      line: 2,
      duplicates: [{path: ['a', '0', 'b'], line: 5, merged: false}],
    });
  });

  it('refuses text that is too long as one error', () => {
    const [document] = parseYamlDocuments('a: 12345', {maxLength: 5});
    expect(document?.error?.message).toBe('text of 8 characters exceeds the limit of 5');
  });
});

describe('mergeDuplicateKeys', () => {
  const mergeDuplicateKeys = (path: readonly string[]): boolean => path.at(-1) === 'resources';
  const policy = (second: string): string => `match:\n  resources:\n    kinds: [Pod]\n  resources:\n    ${second}\n`;

  it('joins two maps under one key', () => {
    expect(parseYamlDocuments(policy('namespaces: [a]'), {mergeDuplicateKeys})).toEqual([
      {
        value: {match: {resources: {kinds: ['Pod'], namespaces: ['a']}}},
        line: 1,
        duplicates: [{path: ['match', 'resources'], line: 4, merged: true}],
      },
    ]);
  });

  it('takes equal sub-keys with equal values', () => {
    const [document] = parseYamlDocuments(policy('kinds: [Pod]'), {mergeDuplicateKeys});
    expect(document?.value).toEqual({match: {resources: {kinds: ['Pod']}}});
  });

  it('refuses equal sub-keys with different values', () => {
    const [document] = parseYamlDocuments(policy('kinds: [Job]'), {mergeDuplicateKeys});
    expect(document?.error).toEqual({
      message: 'key "match.resources.kinds" occurs twice with different values',
      line: 4,
      column: 3,
    });
  });

  it('refuses values that cannot be joined', () => {
    const [document] = parseYamlDocuments('resources: 1\nresources: 2', {mergeDuplicateKeys});
    expect(document?.error?.message).toBe('key "resources" occurs twice with different values');
  });

  it('leaves other keys to the last one', () => {
    const [document] = parseYamlDocuments('a: {b: 1}\na: {c: 1}', {mergeDuplicateKeys});
    expect(document?.value).toEqual({a: {c: 1}});
  });
});

describe('JSON text', () => {
  it('has the same value through YAML, integral doubles as integers', () => {
    const random = seededRandom(3);
    for (let round = 0; round < 200; round++) {
      const value = {v: randomJson(random, 3)};
      const text = stringifyJson(value);
      expect(stringifyJson(parseYaml(text))).toBe(text);
      // A comment keeps the JSON reader out.
      expect(stringifyJson(parseYaml(`# yaml\n${text}`))).toBe(text);
    }
  });
});
