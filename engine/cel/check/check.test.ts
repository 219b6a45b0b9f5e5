import {describe, expect, test} from 'vitest';
import {fn, global, method} from '../library/declare.js';
import type {Library} from '../library/library.js';
import {standardLibrary} from '../standard/index.js';
import {parse} from '../syntax/parse.js';
import {
  anyType,
  boolType,
  durationType,
  dynType,
  intType,
  listOf,
  mapOf,
  objectType,
  opaque,
  optionalOf,
  stringType,
  type Type,
  typeText,
} from '../types/type.js';
import {check} from './check.js';
import type {Checked} from './checked.js';
import {type CheckOptions, createScope, extendScope, type Scope} from './scope.js';

const ip = opaque('net.IP');
const nothing = (): null => null;

const library: Library = {
  name: 'test',
  functions: [
    fn('math.abs', global('abs_int', [[intType], intType], nothing)),
    fn('ip', global('ip_string', [[stringType], ip], nothing)),
    fn('ip.isCanonical', global('ip_canonical', [[stringType], boolType], nothing)),
    fn('family', method('ip_family', [[ip], intType], nothing)),
    fn(
      'twice',
      global('twice_int', [[intType], intType], nothing),
      global('twice_string', [[stringType], stringType], nothing),
    ),
  ],
  variables: {'authorizer.requestResource': opaque('kubernetes.authorization.ResourceCheck')},
  objects: [
    {
      name: 'request',
      field: name => ({name: stringType, userInfo: objectType('user'), options: dynType, any: anyType})[name],
      fieldNames: () => ['name', 'userInfo', 'options', 'any'],
    },
    {name: 'user', field: name => (name === 'groups' ? listOf(stringType) : undefined)},
    {name: 'JSONPatch', field: name => ({op: stringType, value: dynType})[name], construct: nothing},
  ],
  resolveObject: name => (name.startsWith('Object') ? {name, field: () => dynType, construct: nothing} : undefined),
  literalChecks: {matches: pattern => (pattern.includes('[') ? 'error parsing regexp' : undefined)},
};

const scopeWith = (options: Partial<CheckOptions> = {}): Scope =>
  createScope({
    libraries: [standardLibrary, library],
    variables: {
      object: dynType,
      request: objectType('request'),
      labels: mapOf(stringType, stringType),
      names: listOf(stringType),
      maybe: optionalOf(stringType),
      long: durationType,
      address: ip,
      missing: objectType('gone'),
    },
    options: {homogeneousLiterals: true, literalValidators: true, lenientOrValue: false, ...options},
    regex: {compile: () => ({}) as never},
  });

const scope = scopeWith();

function checked(source: string, within = scope): Checked {
  const {expr, issues} = parse(source, {twoVariableMacros: true});
  if (expr === undefined) throw new Error(issues[0]!.message);
  return check(expr, within);
}

const typeOf = (source: string, within = scope): string => {
  const {type, issues} = checked(source, within);
  return issues[0]?.message ?? typeText(type);
};
const faults = (source: string, within = scope) => checked(source, within).issues.map(({message, at}) => [at, message]);
const hint = (source: string, within = scope) => checked(source, within).issues[0]?.hint;

describe('types', () => {
  test.each([
    ['null', 'null'],
    ['b"a"', 'bytes'],
    ['[]', 'list(dyn)'],
    ['{}', 'map(dyn, dyn)'],
    ['[1, 2]', 'list(int)'],
    ['{"a": [1]}', 'map(string, list(int))'],
    ['[] + [1]', 'list(int)'],
    ['labels.app', 'string'],
    ['labels["app"]', 'string'],
    ['labels.?app', 'optional_type(string)'],
    ['labels[?"app"]', 'optional_type(string)'],
    ['labels.?app.orValue("")', 'string'],
    ['object.?a.?b', 'optional_type(dyn)'],
    ['maybe.optMap(m, m.size())', 'optional_type(int)'],
    ['maybe.optFlatMap(m, optional.of(1))', 'optional_type(int)'],
    ['maybe.optFlatMap(m, optional.none())', 'optional_type(dyn)'],
    ['object.optMap(m, m)', 'optional_type(dyn)'],
    ['names[0]', 'string'],
    ['names.map(n, n.size())', 'list(int)'],
    ['names.map(n, n != "a", {n: 1})', 'list(map(string, int))'],
    ['names.filter(n, n != "a")', 'list(string)'],
    ['labels.filter(k, k != "a")', 'list(string)'],
    ['labels.map(k, labels[k])', 'list(string)'],
    ['object.map(x, x)', 'list(dyn)'],
    ['object.filter(x, x.y)', 'list(dyn)'],
    ['names.all(n, n == "a")', 'bool'],
    ['names.exists_one(n, n == "a")', 'bool'],
    ['labels.all(k, v, k == v)', 'bool'],
    ['names.all(i, v, i == 0 && v == "")', 'bool'],
    ['names.transformList(i, v, i)', 'list(int)'],
    ['labels.transformMap(k, v, v.size())', 'map(string, int)'],
    ['names.transformMap(i, v, v)', 'map(int, string)'],
    ['labels.transformMapEntry(k, v, {v: k.size()})', 'map(string, int)'],
    ['names.sortBy(n, n.size())', 'list(string)'],
    ['object.sortBy(x, x.y)', 'list(dyn)'],
    ['cel.bind(a, names, a[0])', 'string'],
    ['true ? 1 : 2', 'int'],
    ['true ? 1 : dyn(2)', 'dyn'],
    ['true ? [] : [1]', 'list(int)'],
    ['has(labels.a)', 'bool'],
    ['has(object.a.?b.c)', 'bool'],
    ['request.userInfo.groups', 'list(string)'],
    ['request.any.a', 'dyn'],
    ['twice(1)', 'int'],
    ['twice(object)', 'dyn'],
    ['math.abs(1)', 'int'],
    ['ip.isCanonical("a")', 'bool'],
    ['ip("a").family()', 'int'],
    ['.math.abs(1)', 'int'],
    ['.object', 'dyn'],
    ['authorizer.requestResource', 'kubernetes.authorization.ResourceCheck'],
    ['type(1)', 'type(int)'],
    ['type(address) == net.IP', 'bool'],
    ['google.protobuf.Timestamp', 'type(timestamp)'],
    ['JSONPatch{op: "add", value: 1}', 'JSONPatch'],
    ['JSONPatch{?op: maybe}', 'JSONPatch'],
    ['Object.spec{anything: [1]}', 'Object.spec'],
    ['[?maybe, "a"]', 'list(string)'],
    ['{?"a": maybe}', 'map(string, string)'],
    ['!!1', 'int'],
    ['long == null', 'bool'],
    ['1 < 1.5', 'bool'],
    ['dyn(1) == 1.0', 'bool'],
  ])('%s: %s', (source, type) => {
    expect(typeOf(source)).toBe(type);
  });
});

describe('faults', () => {
  test.each<[string, number, string]>([
    ['foo', 0, "undeclared reference to 'foo' (in container '')"],
    ['.foo', 0, "undeclared reference to '.foo' (in container '')"],
    ['foo(1)', 3, "undeclared reference to 'foo' (in container '')"],
    ['"a".nope()', 8, "undeclared reference to 'nope' (in container '')"],
    ['Nope{}', 4, "undeclared reference to 'Nope' (in container '')"],
    ['int{}', 3, "'int' is not a message type"],
    ['request{}', 7, "'request' is not a message type"],
    ['names{}', 5, "'list(string)' is not a type"],
    ['request.nope', 7, "undefined field 'nope'"],
    ['has(request.nope)', 3, "undefined field 'nope'"],
    ['request.?nope', 7, "undefined field 'nope'"],
    ['missing.a', 7, "unexpected failed resolution of 'gone'"],
    ['JSONPatch{pth: ""}', 13, "undefined field 'pth'"],
    ['JSONPatch{op: 1}', 12, "expected type of field 'op' is 'string' but provided type is 'int'"],
    ['JSONPatch{?op: "a"}', 15, "expected type 'optional_type(string)' but found 'string'"],
    ['1.foo', 1, "type 'int' does not support field selection"],
    ['[].foo', 2, "type 'list(_var0)' does not support field selection"],
    ['size(1)', 4, "found no matching overload for 'size' applied to '(int)'"],
    ['"a".contains(1)', 12, "found no matching overload for 'contains' applied to 'string.(int)'"],
    ['math.abs("a")', 8, "found no matching overload for 'math.abs' applied to '(string)'"],
    ['1 == "a"', 2, "found no matching overload for '_==_' applied to '(int, string)'"],
    ['"a" in [1]', 4, "found no matching overload for '@in' applied to '(string, list(int))'"],
    ['[1][1.0]', 3, "found no matching overload for '_[_]' applied to '(list(int), double)'"],
    ['1 ? 2 : 3', 2, "found no matching overload for '_?_:_' applied to '(int, int, int)'"],
    ['true ? 2 : "a"', 5, "found no matching overload for '_?_:_' applied to '(bool, int, string)'"],
    ['!1', 0, "found no matching overload for '!_' applied to '(int)'"],
    ['1 && true', 0, "expected type 'bool' but found 'int'"],
    ['true || "a"', 8, "expected type 'bool' but found 'string'"],
    ['names.all(n, n)', 13, "expected type 'bool' but found 'string'"],
    ['names.exists_one(n, n)', 16, "found no matching overload for '_?_:_' applied to '(string, int, int)'"],
    [
      'names.filter(n, n)',
      12,
      "found no matching overload for '_?_:_' applied to '(string, list(string), list(string))'",
    ],
    ['names.map(n, 1, n)', 9, "found no matching overload for '_?_:_' applied to '(int, list(string), list(string))'"],
    [
      '1.all(n, true)',
      0,
      "expression of type 'int' cannot be range of a comprehension (must be list, map, or dynamic)",
    ],
    [
      'names.transformMapEntry(i, v, v)',
      23,
      "found no matching overload for 'cel.@mapInsert' applied to '(map(dyn, dyn), string)'",
    ],
    [
      'names.sortBy(n, [n])',
      12,
      "found no matching overload for '@sortByAssociatedKeys' applied to 'list(string).(list(list(string)))'",
    ],
    [
      'labels.sortBy(n, n)',
      13,
      "found no matching overload for '@sortByAssociatedKeys' applied to 'map(string, string).(list(string))'",
    ],
    ['"a".optMap(x, x)', 10, "found no matching overload for 'hasValue' applied to 'string.()'"],
    [
      'maybe.optFlatMap(x, x)',
      16,
      "found no matching overload for '_?_:_' applied to '(bool, string, optional_type(dyn))'",
    ],
    ['[?"a"]', 2, "expected type 'optional_type(string)' but found 'string'"],
    ['"a".orValue("b")', 11, "found no matching overload for 'orValue' applied to 'string.(string)'"],
  ])('%s', (source, at, message) => {
    expect(faults(source)).toEqual([[at, message]]);
  });

  test('are all told, by place', () => {
    expect(faults('a && b.all(x, y)').map(([at]) => at)).toEqual([0, 5, 14]);
  });

  test('a fault is told once, what depends on it is not', () => {
    expect(faults('foo.bar.all(x, x.y(1) == size(x))')).toEqual([
      [0, "undeclared reference to 'foo' (in container '')"],
      [18, "undeclared reference to 'y' (in container '')"],
    ]);
    expect(faults('size(foo) + 1 == "a"')).toHaveLength(2);
  });
});

describe('names', () => {
  test('of loops hide variables, within the loop', () => {
    const {idents, types, issues} = checked('names.all(object, object == "a") && object');
    expect(issues).toEqual([]);
    expect([...idents.values()].map(({kind}) => kind)).toEqual(['variable', 'local', 'variable']);
    expect([...types].find(([node]) => node.kind === 'ident' && node.at === 18)?.[1]).toBe(stringType);
  });

  test('of inner loops hide those of outer ones', () => {
    expect(typeOf('[1].map(x, ["a"].map(x, x))')).toBe('list(list(string))');
    expect(typeOf('[1].map(x, ["a"].map(y, x))')).toBe('list(list(int))');
  });

  test('do not outlive their loop, and are not in its range', () => {
    expect(faults('names.all(n, true) && n')).toHaveLength(1);
    expect(faults('n.all(n, true)')).toEqual([[0, "undeclared reference to 'n' (in container '')"]]);
    expect(faults('cel.bind(a, a, a)')).toEqual([[12, "undeclared reference to 'a' (in container '')"]]);
  });

  test('with a leading dot mean what is declared', () => {
    const {idents} = checked('names.all(object, .object == object)');
    expect([...idents.values()].map(({kind}) => kind)).toEqual(['variable', 'variable', 'local']);
  });

  test('with dots are one variable, unless a loop took the first part', () => {
    const {idents} = checked('authorizer.requestResource');
    expect([...idents]).toMatchObject([[{kind: 'select'}, {kind: 'variable', name: 'authorizer.requestResource'}]]);
    expect(typeOf('[{"requestResource": 1}].map(authorizer, authorizer.requestResource)')).toBe('list(int)');
  });

  test('locals say which loop and which of its names', () => {
    const {idents, expr} = checked('labels.all(k, v, v == k)');
    expect([...idents.values()].slice(1)).toMatchObject([
      {kind: 'local', name: 'v', index: 1, by: expr},
      {kind: 'local', name: 'k', index: 0, by: expr},
    ]);
  });
});

describe('calls', () => {
  const call = (source: string, within = scope) => [...checked(source, within).calls.values()][0];

  test('name the overloads that the types allow', () => {
    expect(call('twice(1)')).toMatchObject({name: 'twice', overloads: [{id: 'twice_int'}], namespaced: false});
    expect(call('twice(object)')).toMatchObject({overloads: [{id: 'twice_int'}, {id: 'twice_string'}]});
  });

  test('of namespaces have the whole name', () => {
    expect(call('math.abs(1)')).toMatchObject({name: 'math.abs', namespaced: true});
    expect(call('address.family()')).toMatchObject({name: 'family', namespaced: false});
  });

  test('orValue is lenient where that is asked for', () => {
    const lenient = scopeWith({lenientOrValue: true});
    expect(call('object.orValue(1)', lenient)).toMatchObject({lenient: true, overloads: []});
    expect(typeOf('"a".orValue(1)', lenient)).toBe('dyn');
    expect(typeOf('labels.?a.orValue("")', lenient)).toBe('dyn');
    expect(typeOf('names.orValue(nope)', lenient)).toContain('nope');
  });
});

describe('literals', () => {
  test.each<[string, ReadonlyArray<[number, string]>]>([
    ['[1, "a", 2.0]', [[4, "expected type 'int' but found 'string'"]]],
    ['[1, dyn("a")]', [[7, "expected type 'int' but found 'dyn'"]]],
    ['[null, 1]', [[7, "expected type 'null' but found 'int'"]]],
    ['{"a": 1, "b": "c"}', [[14, "expected type 'int' but found 'string'"]]],
    ['{"a": 1, 2: 3}', [[9, "expected type 'string' but found 'int'"]]],
    ['[[1], ["a"]]', [[6, "expected type 'list(int)' but found 'list(string)'"]]],
    ['[[], [1]]', [[5, "expected type 'list(dyn)' but found 'list(int)'"]]],
    ['[?maybe, 1]', [[9, "expected type 'string' but found 'int'"]]],
  ])('of several types are refused: %s', (source, expected) => {
    const within = scopeWith();
    const found = faults(source, within);
    // An empty list takes the type of what it stands beside.
    expect(found).toEqual(source === '[[], [1]]' ? [] : expected);
    expect(faults(source, scopeWith({homogeneousLiterals: false}))).toEqual([]);
  });

  test('are not looked at while types are wrong', () => {
    expect(faults('[1, "a"].size() + nope')).toHaveLength(1);
  });

  test('that a function cannot read are refused', () => {
    expect(checked('object.a.matches("[")').issues).toEqual([
      {message: 'invalid matches argument', at: 17, hint: 'error parsing regexp'},
    ]);
    expect(faults('"[".matches("a")')).toEqual([]);
    expect(faults('matches("a", "[")')).toEqual([[13, 'invalid matches argument']]);
    expect(faults('object.a.matches(object.b)')).toEqual([]);
    expect(faults('object.a.matches("[")', scopeWith({literalValidators: false}))).toEqual([]);
  });
});

describe('hints', () => {
  test.each<[string, string | undefined]>([
    ['objet', 'did you mean object?'],
    ['[1].all(element, elment == 1)', 'did you mean element?'],
    ['nginx.latest', undefined],
    ['length([1])', 'it is written size(x)'],
    ['"a".toLowerCase()', 'it is written text.lowerAscii()'],
    ['nginx', 'text needs quotes: "nginx"'],
    ['size', 'size is a function: size(…)'],
    ['"a".contain("b")', 'did you mean contains?'],
    ['[1].existsOne(x, x == 1)', 'it is written list.exists_one(x, condition)'],
    ['math.foo(1)', 'functions: math.abs'],
    ['1.foo', 'values of type int have no fields'],
    ['any([1])', 'it is written list.exists(x, condition)'],
    ['abs(1)', 'did you mean math.abs(…)?'],
    ['request.nam', 'did you mean name?'],
    ['request.uid', 'fields: name, userInfo, options, any'],
    ['names.size', 'size is a function: .size()'],
    ['names.name', 'a list has elements: list[0], list.all(x, …), list.map(x, …)'],
    ['1 == "a"', 'to compare a text with a number, write int(text), or put the number into quotes'],
    ['"a" + 1', 'to put a number into a text, write string(number)'],
    ['1 + 1.5', 'both sides must be of one type: int(…) or double(…) converts'],
    ['maybe == "a"', 'take the value out of the optional: .orValue(…)'],
    ['1 == null', 'a value of this type is never null; ask has(a.b) for a field'],
    ['"a" in "abc"', 'to look for a part of a text, write text.contains("part")'],
    ['1 in names', 'the elements are of type string, the value is of type int'],
    ['maybe && true', 'write .hasValue() or .orValue(false) behind the optional'],
    ['"true" ? 1 : 2', 'compare the text: text == "true", or convert it: bool(text)'],
    ['names.all(n, n.size())', 'compare it: values of type int are neither true nor false'],
    ['contains("a", "b")', 'it is called as string.contains(string)'],
    ['math.abs("a")', 'takes (int)'],
    ['"abc".all(c, c == "a")', 'to look at characters, write text.split("")'],
    ['[1, "a"]', 'the elements of a list have one type'],
  ])('%s', (source, expected) => {
    expect(hint(source)).toBe(expected);
  });
});

describe('scopes', () => {
  test('grow, and stay as they were', () => {
    const grown = extendScope(scope, {variables: {extra: intType}});
    expect(typeOf('extra', grown)).toBe('int');
    expect(typeOf('extra')).toContain('undeclared');
    expect(grown.functions).toBe(scope.functions);
  });

  test('later libraries add overloads', () => {
    const more = {name: 'more', functions: [fn('twice', global('twice_bool', [[boolType], boolType], nothing))]};
    const grown = extendScope(scope, {libraries: [more]});
    expect(typeOf('twice(true)', grown)).toBe('bool');
    expect(typeOf('twice(1)', grown)).toBe('int');
    expect(typeOf('twice(true)')).toContain('no matching overload');
  });

  test('names of prototypes are declared nowhere', () => {
    for (const name of ['__proto__', 'constructor', 'toString', 'hasOwnProperty']) {
      expect(typeOf(name)).toBe(`undeclared reference to '${name}' (in container '')`);
      expect(typeOf(`${name}(1)`)).toBe(`undeclared reference to '${name}' (in container '')`);
      expect(typeOf(`object.${name}`)).toBe('dyn');
    }
  });
});

describe('hostile expressions', () => {
  const nested = (level: (index: number, inner: string) => string, depth: number): string => {
    let text = 'x0';
    for (let index = depth; index > 0; index--) text = level(index, text);
    return `cel.bind(x0, 1, ${text})`;
  };

  test.each([
    [
      'values that double',
      nested((index, inner) => `cel.bind(x${index}, {x${index - 1}: x${index - 1}}, ${inner})`, 150),
    ],
    [
      'lists in keys',
      nested((index, inner) => `cel.bind(x${index}, {[x${index - 1}]: [x${index - 1}]}, ${inner})`, 120),
    ],
  ])('%s end in a fault', (_name, source) => {
    expect(checked(source).issues[0]?.message).toBe('type of the expression is too large');
  });

  test('parameters that double end in a fault', () => {
    let text = 'x100';
    for (let index = 100; index > 0; index--) {
      text = `cel.bind(x${index}, [], cel.bind(y${index}, x${index - 1} == [{x${index}: x${index}}], ${text}))`;
    }
    const {issues} = checked(`cel.bind(x0, [], ${text})`);
    expect(issues[0]?.message).toBe('types of the expression are too complex');
  });

  test('long messages are cut', () => {
    let list = '1';
    for (let depth = 0; depth < 120; depth++) list = `[${list}]`;
    expect(checked(`${list} + 1`).issues[0]!.message.length).toBeLessThan(800);
  });
});

test('no type parameter is left in what is found', () => {
  const {types} = checked('[].map(x, [].filter(y, true)) == [{}]');
  const parameters: Type[] = [...types.values()].filter(type => typeText(type).includes('_var'));
  expect(parameters).toEqual([]);
});
