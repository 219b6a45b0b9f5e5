import {describe, expect, it} from 'vitest';
import {BudgetError, CompileError, EvalError} from '../diagnostic.js';
import type {Json, JsonObject} from '../json/types.js';
import {compileQuery, LazyRoot, UnknownKeyError} from './index.js';
import {createQueryEnv} from './testing/query-env.js';
import {fault, json, query} from './testing/run.js';

const data = json(`{
  "n": 3, "zero": 0, "f": 2.5, "s": "text", "t": true, "no": false, "nul": null, "empty": "", "none": [], "blank": {},
  "list": [1, 2, 3, 4],
  "nested": [[1, 2], 3, [4, [5]]],
  "pods": [
    {"name": "a", "port": 80, "tags": ["x", "y"], "on": true},
    {"name": "b", "port": 443, "tags": [], "on": false},
    {"name": "c", "tags": ["z"]}
  ],
  "map": {"k2": {"v": 2}, "k1": {"v": 1}, "k3": {}},
  "a-b": {"c.d/e": "quoted"}
}`);

describe('a query follows the standard where the language does', () => {
  const cases: readonly (readonly [text: string, want: string])[] = [
    ['n', '3'],
    ['@.n', '3'],
    ['map.k1.v', '1'],
    ['"a-b"."c.d/e"', '"quoted"'],
    ['"\\u006e"', '3'],
    ['list[0]', '1'],
    ['list[-1]', '4'],
    ['list[9]', 'null'],
    ['list[-9]', 'null'],
    ['s[0]', 'null'],
    ['list[1:3]', '[2,3]'],
    ['list[:2]', '[1,2]'],
    ['list[2:]', '[3,4]'],
    ['list[::2]', '[1,3]'],
    ['list[::-1]', '[4,3,2,1]'],
    ['list[-2:]', '[3,4]'],
    ['list[10:0:-2]', '[4,2]'],
    ['list[5:9]', '[]'],
    ['s[0:1]', 'null'],
    ['pods[*].name', '["a","b","c"]'],
    ['pods[].name', '["a","b","c"]'],
    ['pods[0:2].port', '[80,443]'],
    ['nested[]', '[1,2,3,4,[5]]'],
    ['nested[][]', '[1,2,3,4,5]'],
    ['pods[].tags[]', '["x","y","z"]'],
    ['pods[*].tags[0]', '["x","z"]'],
    ['pods[*].tags | [0]', '["x","y"]'],
    ['map.*.v', '[1,2]'],
    ['*.v | length(@)', '0'],
    ['pods[?port > `100`].name', '["b"]'],
    ['pods[?port >= `80` && on].name', '["a"]'],
    ["pods[?name == 'c' || port == `80`].name", '["a","c"]'],
    ['pods[?!port].name', '["c"]'],
    ["pods[?contains(tags, 'z')].name | [0]", '"c"'],
    ["pods[?name != 'a'] | [*].name", '["b","c"]'],
    ['pods[?tags[?@ == `"y"`]].name', '["a"]'],
    ['list[?@ > `2`]', '[3,4]'],
    ['[n, s]', '[3,"text"]'],
    ['{x: n, "y-z": s}', '{"x":3,"y-z":"text"}'],
    ['pods[*].{n: name, p: port}', '[{"n":"a","p":80},{"n":"b","p":443},{"n":"c","p":null}]'],
    ['pods[0].[name, port]', '["a",80]'],
    ['nul.[n]', 'null'],
    ['nul.{a: n}', 'null'],
    ['`{"a": [1, 2.5, "x"]}`', '{"a":[1,2.5,"x"]}'],
    ['`"tick \\` inside"`', '"tick ` inside"'],
    ["'raw'", '"raw"'],
    ["'it\\'s'", '"it\'s"'],
    ["'back\\slash'", '"back\\\\slash"'],
    ["''", '""'],
    ['n == `3`', 'true'],
    ['n == `3.0`', 'true'],
    ['n != `4`', 'true'],
    ['s == n', 'false'],
    ['`9007199254740993` == `9007199254740992`', 'false'],
    ['`9007199254740993` > `9007199254740992`', 'true'],
    ['list == `[1, 2, 3, 4]`', 'true'],
    ['map == `{"k1":{"v":1},"k2":{"v":2},"k3":{}}`', 'true'],
    ["'a' < 'b'", 'null'],
    ['n < nul', 'null'],
    ['n < f', 'false'],
    ['f <= `2.5`', 'true'],
    ['t && s', '"text"'],
    ['no && s', 'false'],
    ['zero && s', '"text"'],
    ['empty || s', '"text"'],
    ['none || blank || nul || n', '3'],
    ['!none', 'true'],
    ['!zero', 'false'],
    ['!t || n', '3'],
    ['t || no && nul', 'true'],
    ['(t || no) && nul', 'null'],
    ['n | @', '3'],
    ['pods | [0] | name', '"a"'],
    ['pods[*].tags[*] | []', '["x","y","z"]'],
    ['s.length(@)', '4'],
    ['@ | n', '3'],
    ["not_null(nul, 's',)", '"s"'],
    ["not_null(nul 's')", '"s"'],
    ['{a: n b: s}', '{"a":3,"b":"text"}'],
    ['  n  ', '3'],
  ];
  it.each(cases)('%s is %s', (text, want) => {
    expect(query(text, data)).toBe(want);
  });
});

describe('a map without the key', () => {
  const absorbed: readonly (readonly [text: string, want: string])[] = [
    ["zzz || 'd'", '"d"'],
    ["zzz.yyy || 'd'", '"d"'],
    ["nul || zzz || 'd'", '"d"'],
    ['nul || zzz', 'null'],
    ["zzz && 'a'", 'null'],
    ['!zzz', 'true'],
    ["zzz | 'k'", '"k"'],
    ['map.zzz.v | @', 'null'],
    ["'k' | zzz", 'null'],
    ['n | zzz', 'null'],
    ['blank | zzz', 'null'],
    ['[zzz]', '[null]'],
    ['[map.zzz.v, n]', '[null,3]'],
    ['{a: zzz}', '{"a":null}'],
    ['zzz[]', 'null'],
    ['zzz[*]', 'null'],
    ['zzz[*].a', 'null'],
    ['zzz[?a]', 'null'],
    ['zzz.*', 'null'],
    ['zzz[0:1]', 'null'],
    ['map.zzz[*].a', 'null'],
    ['zzz.yyy[].a', 'null'],
    ['zzz.yyy[?a]', 'null'],
    ['[zzz.length(@)[0]]', '[null]'],
    ['[map.zzz.length(@)[*].a]', '[null]'],
    ['pods[*].zzz', '[]'],
    ['pods[].zzz', '[]'],
    ['pods[?zzz]', '[]'],
    ['pods[?zzz.yyy == `null`] | length(@)', '3'],
    ["pods[?port.zzz == 's']", '[]'],
    ['map.*.zzz', '[]'],
    ["zzz == 'x'", 'false'],
    ['zzz == `null`', 'true'],
    ['zzz > `1`', 'null'],
    ['to_string(zzz)', '"null"'],
    ["length(zzz || '')", '0'],
    ['not_null(zzz, map.zzz, n)', '3'],
    ['map(&zzz, pods)', '[null,null,null]'],
    ['s.t', 'null'],
    ['s.t.u', 'null'],
    ['nul.t', 'null'],
    ['list.t', 'null'],
    ['list[9].a', 'null'],
    ['n.t', 'null'],
    ['zzz.length(@) || n', '3'],
    ['[zzz.length(@)]', '[null]'],
  ];
  it.each(absorbed)('is null in %s, which is %s', (text, want) => {
    expect(query(text, data)).toBe(want);
  });

  const escapes: readonly (readonly [text: string, key: string])[] = [
    ['zzz', 'zzz'],
    ['map.zzz', 'zzz'],
    ['map.zzz.v', 'zzz'],
    ['zzz.yyy', 'zzz'],
    ['zzz[0]', 'zzz'],
    ['zzz[0].a', 'zzz'],
    ['pods[0].zzz', 'zzz'],
    ["'a' && zzz", 'zzz'],
    ['t && map.zzz.v', 'zzz'],
    ['zzz.length(@)', 'zzz'],
    ['zzz.yyy[*].a', 'zzz'],
    ['(zzz).a', 'zzz'],
    ['constructor', 'constructor'],
    ['toString', 'toString'],
    ['__proto__', '__proto__'],
    ['map.hasOwnProperty', 'hasOwnProperty'],
    ['pods[0].__proto__.constructor', '__proto__'],
  ];
  it.each(escapes)('is an error in %s', (text, key) => {
    const run = () => compileQuery(text).evaluate(data, createQueryEnv());
    expect(run).toThrow(UnknownKeyError);
    expect(run).toThrow(`Unknown key "${key}" in path`);
  });

  it('is data when it is an own key with a prototype name', () => {
    const odd = json('{"__proto__": {"x": 1}, "constructor": "c"}');
    expect(query('__proto__.x', odd)).toBe('1');
    expect(query('constructor', odd)).toBe('"c"');
    expect(query('{"__proto__": constructor}', odd)).toBe('{"__proto__":"c"}');
  });
});

describe('errors that are not missing keys', () => {
  it.each([
    'length(n)',
    'length(zzz)',
    'length(n) || s',
    '[length(n)]',
    'length(n) == `1`',
    'not_null(length(n))',
    'length(n)[*]',
    'pods[?length(n)]',
    'pods[*].length(name.x)',
  ])('escape from %s', text => {
    expect(fault(text, data)).toMatch(/^Invalid type for: /);
  });

  it.each(['length(n)[]', 'length(n)[?a]', 'length(n).*'])('give null as the source of %s', text => {
    expect(query(text, data)).toBe('null');
  });
});

class Root extends LazyRoot {
  readonly asked: string[] = [];
  wholes = 0;

  constructor(
    readonly values: JsonObject,
    readonly fail?: unknown,
  ) {
    super();
  }

  get(key: string): Json | undefined {
    this.asked.push(key);
    if (key === 'bad') throw this.fail;
    return Object.hasOwn(this.values, key) ? this.values[key] : undefined;
  }

  toJson(): JsonObject {
    this.wholes++;
    return this.values;
  }
}

describe('a lazy root', () => {
  it('is asked for the fields a query reads and for nothing else', () => {
    const root = new Root({a: {b: 1}, c: 2});
    expect(compileQuery('{x: @.a.b, y: c, z: zzz, f: length(a)}').evaluate(root, createQueryEnv())).toEqual({
      x: 1,
      y: 2,
      z: null,
      f: 1,
    });
    expect(root.asked).toEqual(['a', 'c', 'zzz', 'a']);
    expect(root.wholes).toBe(0);
  });

  it.each(['@', 'keys(@)', '@ | keys(@)', '*', 'to_string(@)', '[@]', '@[?a]'])('is made whole for %s', text => {
    const root = new Root({a: 1});
    compileQuery(text).evaluate(root, createQueryEnv());
    expect(root.wholes).toBe(1);
    expect(compileQuery(text).roots.has('@')).toBe(true);
  });

  it('knows which fields an expression reads from it', () => {
    const compiled = compileQuery("request.object.spec.x[?request.y == element].z || map(&images, config.data) && 'x'");
    expect([...compiled.roots].sort()).toEqual(['config', 'request']);
    expect([...compiled.functions]).toEqual(['map']);
  });

  const failures: readonly (readonly [name: string, fail: unknown])[] = [
    ['an entry that failed', new EvalError('failed to load')],
    ['a budget that ran out', new BudgetError('too much')],
    ['a signal that is no error', {suspend: true}],
    ['an error of the program', new TypeError('bug')],
  ];
  for (const [name, fail] of failures) {
    it.each([
      'bad',
      'bad || c',
      '[bad]',
      'bad[?x]',
      'bad[]',
      'bad.*',
      "bad == 'x'",
      'not_null(bad)',
      '!bad',
      'bad | c',
    ])(`lets ${name} through in %s`, text => {
      const root = new Root({c: 1}, fail);
      let thrown: unknown;
      try {
        compileQuery(text).evaluate(root, createQueryEnv());
      } catch (error) {
        thrown = error;
      }
      expect(thrown).toBe(fail);
    });
  }

  it('does not take a key that an entry misses for a key of the path', () => {
    const root = new Root({c: 1}, new UnknownKeyError('inner'));
    const run = () => compileQuery('bad || c').evaluate(root, createQueryEnv());
    expect(run).toThrow('Unknown key "inner" in path');
    expect(run).not.toThrow(UnknownKeyError);
  });
});

describe('a budget', () => {
  const long = Array.from({length: 2000}, (_, index) => index);
  it.each([
    '[*]',
    '[]',
    '[?@ > `1`]',
    '[::2]',
    'sort(@)',
    'map(&[@], @)',
    'max(@)',
    'reverse(@)',
    'contains(@, `"x"`)',
    '@ == `[0]` || sort_by(@, &@)',
  ])('bounds the steps of %s', text => {
    expect(() => compileQuery(text).evaluate(long, createQueryEnv({steps: 900}))).toThrow(BudgetError);
  });

  const text = 'x'.repeat(1000);
  it.each([
    "join('', [@, @, @])",
    "join(@, ['a', 'b', 'c'])",
    "replace_all(@, 'x', 'yyyyyyyy')",
    "replace_all(@, '', '-')",
    "regex_replace_all('x', @, '$0$0$0')",
    "regex_replace_all_literal('x', @, 'abc')",
    'to_string([@, @])',
    'base64_encode(base64_encode(@))',
    "random('a{1000}b{1000}')",
    "split(@, '')",
    'reverse(reverse(@)) | reverse(@)',
    'to_upper(@) | to_lower(@) | to_upper(@)',
  ])('bounds the bytes that %s makes', expression => {
    expect(() => compileQuery(expression).evaluate(text, createQueryEnv({bytes: 1500}))).toThrow(BudgetError);
  });

  it('is not absorbed by anything', () => {
    const root = [1, 2, 3];
    for (const text of ["[?@] || 'd'", "not_null([?@], 'd')", '[[?@]]', '[?@][]', "([?@])[?a] | 'd'"]) {
      expect(() => compileQuery(text).evaluate(root, createQueryEnv({steps: 3}))).toThrow(BudgetError);
    }
  });

  const huge: readonly (readonly [text: string, data: Json])[] = [
    ["replace_all(@, 'x', @)", 'x'.repeat(500_000)],
    ["regex_replace_all_literal('x', @, @)", 'x'.repeat(20_000)],
    ["regex_replace_all('.+', a, b)", {a: 'x'.repeat(20_000), b: '$0'.repeat(1000)}],
    ["regex_match('(a{500}|b{500})c', @)", 'a'.repeat(500_000)],
    ["regex_replace_all_literal('x', @, 'y')", 'x'.repeat(2_000_000)],
  ];
  it.each(huge)('refuses the huge work of %s before it is done', (expression, value) => {
    expect(() => compileQuery(expression).evaluate(value, createQueryEnv())).toThrow(BudgetError);
  });
});

describe('compiled queries', () => {
  it('are shared by text', () => {
    expect(compileQuery('a.b.c')).toBe(compileQuery('a.b.c'));
  });

  it('are not kept when they do not compile', () => {
    expect(() => compileQuery('nope(a)')).toThrow(CompileError);
    expect(() => compileQuery('nope(a)')).toThrow(CompileError);
  });
});
