import {describe, expect, test} from 'vitest';
import {bindingsOf, celEnvironment, celHost, programOf, regex} from '../../../test/cel/environment.js';
import {Suspend} from '../../context/suspend.js';
import {BudgetError, EvalError} from '../../diagnostic.js';
import {Float} from '../../json/types.js';
import type {Environment} from '../environment.js';
import {CelError} from '../errors.js';
import {fn, global, hosted, method} from '../library/declare.js';
import type {Library} from '../library/library.js';
import {parse} from '../syntax/parse.js';
import {unparse} from '../syntax/unparse.js';
import {boolType, dynType, intType, listOf, mapOf, objectType, opaque, stringType, typeText} from '../types/type.js';
import {valueText} from '../values/index.js';
import {ObjectValue, OpaqueValue, Optional, Uint, type Value} from '../values/value.js';

const untyped = celEnvironment({variables: {x: dynType, y: dynType}});

function evaluate(
  source: string,
  values: Readonly<Record<string, Value>> = {},
  environment: Environment = untyped,
): Value {
  return programOf(environment, source).evaluate(bindingsOf(environment, values), celHost());
}

function failure(
  source: string,
  values: Readonly<Record<string, Value>> = {},
  environment: Environment = untyped,
): string {
  try {
    evaluate(source, values, environment);
  } catch (error) {
    if (error instanceof EvalError) return error.message;
    throw error;
  }
  return 'no error';
}

describe('an environment', () => {
  const environment = celEnvironment({
    variables: {first: intType, second: dynType},
    libraries: [{name: 'own', variables: {third: dynType}}],
  });

  test('slots follow the order of declaration, then the libraries', () => {
    expect(['first', 'second', 'third'].map(environment.slot)).toEqual([0, 1, 2]);
    expect(() => environment.slot('fourth')).toThrow('no variable');
  });

  test('extending keeps slots and programs', () => {
    const before = programOf(environment, 'first + 1');
    const extended = environment.extend({variables: {fourth: dynType}});
    expect(extended.slot('fourth')).toBe(3);
    expect(extended.slot('second')).toBe(1);
    expect(before.evaluate([41], celHost())).toBe(42);
    expect(evaluate('fourth + first', {first: 1, fourth: 2}, extended)).toBe(3);
    expect(environment.compile('fourth').text).toContain("undeclared reference to 'fourth'");
  });

  test('faults are told with place, never thrown', () => {
    const {issues, text} = environment.compile('first +\n  second.foo(');
    expect(issues?.length).toBeGreaterThan(0);
    expect(text).toMatch(/^ERROR: <input>:2:\d+: Syntax error/);
    expect(environment.compile("'a' in [second]{}").text).toContain('1:16: Syntax error');
  });
});

describe('a program', () => {
  test('tells which variables, fields and functions it reads', () => {
    const program = programOf(
      untyped,
      "x.spec.replicas > 1 && has(x.metadata.labels) && x.metadata.labels['a/b'].startsWith('c') && [y].all(e, e.?z.hasValue()) && math.greatest(1, 2) == 2",
    );
    expect([...program.variables].sort()).toEqual(['x', 'y']);
    expect([...program.paths.get('x')!].sort()).toEqual(['metadata.labels', 'metadata.labels.a/b', 'spec.replicas']);
    expect([...program.paths.get('y')!]).toEqual(['']);
    expect([...program.functions].sort()).toEqual(['hasValue', 'math.greatest', 'startsWith']);
    expect(typeText(program.type)).toBe('bool');
  });

  test('estimates its cost: literals are free, loops over what is not known have no end', () => {
    const cost = (source: string) => programOf(untyped, source).costEstimate;
    expect(cost('1 + 2 == 3')).toEqual({min: 0, max: 0});
    expect(cost('x.a == 1')).toEqual({min: 3, max: 3});
    expect(cost('x.a == 1 || x.b == 2')).toMatchObject({min: 4, max: 7});
    expect(cost('x.all(i, i == 1)').max).toBe(Number.POSITIVE_INFINITY);
    expect(cost('[1, 2, 3].all(i, i == x)').max).toBeLessThan(20);
    expect(cost('x ? y.a.b : y').min).toBeLessThan(cost('x ? y.a.b : y').max);
  });

  test('counts against its own limit and against the host’s', () => {
    const limited = celEnvironment({variables: {x: dynType}, costLimit: 100});
    const source = 'x.all(i, i > 0)';
    expect(evaluate(source, {x: [1, 2, 3]}, limited)).toBe(true);
    const program = programOf(limited, source);
    const run = () => program.evaluate([Array(1000).fill(1)], celHost());
    expect(run).toThrow(BudgetError);
    expect(run).toThrow('operation cancelled: actual cost limit exceeded');
    expect(() => programOf(untyped, source).evaluate([Array(1000).fill(1)], celHost({steps: 500}))).toThrow(
      'limit of 500 steps',
    );
  });

  test('an unbound variable is an error of the expression', () => {
    expect(failure('x')).toBe('no such attribute(s): x');
    expect(evaluate('x || true')).toBe(true);
  });

  test('what is bound is never written to', () => {
    const x = Object.freeze({l: Object.freeze([3, 1, 2])}) as unknown as Value;
    expect(evaluate('x.l.sort() + x.l.map(i, i * 2) + [x.l.size()]', {x})).toEqual([1, 2, 3, 6, 2, 4, 3]);
  });
});

describe('what may not be absorbed', () => {
  const suspend = new Suspend(Promise.resolve());
  const library: Library = {
    name: 'outside',
    functions: [
      fn(
        'fetch',
        hosted(global('fetch', [[stringType], dynType], (host, key: string) => host.settle(key, () => true))),
      ),
      fn(
        'pure',
        global('pure_string', [[stringType], stringType], (text: string) => `${text}!`),
      ),
    ],
  };
  const environment = celEnvironment({variables: {x: dynType}, libraries: [library]});
  const host = {
    ...celHost(),
    settle: () => {
      throw suspend;
    },
  };

  test.each([
    "fetch('a') || true",
    "[1].exists(i, fetch('a'))",
    "[1, 2].all(i, fetch('a') || true)",
    "cel.bind(v, fetch('a'), v || true)",
  ])('a suspended load passes through %s', source => {
    let thrown: unknown;
    try {
      programOf(environment, source).evaluate([], host);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBe(suspend);
  });

  test('a pure function of literals is called once, at compile time; one that reaches outside never', () => {
    expect(programOf(environment, "pure('a') + 'b'").evaluate([], host)).toBe('a!b');
    expect(programOf(environment, "pure('a') + 'b'").costEstimate.max).toBe(0);
    expect(programOf(environment, "fetch('a')").costEstimate.max).toBeGreaterThan(0);
  });
});

describe('values from outside', () => {
  test('names of prototype members are keys like others', () => {
    for (const name of ['constructor', 'toString', '__proto__', 'hasOwnProperty', 'valueOf']) {
      expect(failure(`x.${name}`, {x: {}})).toBe(`no such key: ${name}`);
      expect(evaluate(`has(x.${name}) || '${name}' in x || x.?${name}.hasValue()`, {x: {}})).toBe(false);
      expect(evaluate(`x.${name}`, {x: JSON.parse(`{"${name}": 1}`)})).toBe(1);
    }
    for (const name of ['length', 'size', 'get', 'keys', 'value', 'nanos', 'type']) {
      for (const x of [{}, new Map(), new Float(1), new Uint(1n), 'text', 1, null, new Uint8Array(2)] as Value[]) {
        expect(failure(`x.${name}`, {x})).toBe(`no such key: ${name}`);
        expect(evaluate(`has(x.${name})`, {x})).toBe(false);
      }
    }
    expect(failure('x.length', {x: []})).toBe("unsupported index type 'string' in list");
  });

  test('declared types of variables are no warrant: what is bound is looked at', () => {
    const declared = celEnvironment({
      variables: {s: stringType, n: intType, l: listOf(stringType), m: mapOf(stringType, stringType)},
    });
    expect(failure("s.startsWith('a')", {s: 1}, declared)).toBe('no such overload');
    expect(failure('s.lowerAscii()', {s: null}, declared)).toBe('no such overload: lowerAscii(null_type)');
    expect(failure('n + 1', {n: 'a'}, declared)).toBe('no such overload');
    expect(failure('l.all(e, true)', {l: 5}, declared)).toBe("got 'int', expected iterable type");
    expect(failure("m['a'] + 'b'", {m: {a: 1}}, declared)).toBe('no such overload');
    expect(failure('l.join()', {l: {}}, declared)).toBe('no such overload: join(map)');
  });

  test('ints stay exact beyond the doubles', () => {
    expect(evaluate('x + 1', {x: 9007199254740991})).toBe(9007199254740992n);
    expect(evaluate('x - 1', {x: 9007199254740992n})).toBe(9007199254740991);
    expect(evaluate('x * 3', {x: 4503599627370497})).toBe(13510798882111491n);
    expect(evaluate('x == 9007199254740993', {x: 9007199254740993n})).toBe(true);
    expect(evaluate('x == 9007199254740992', {x: 9007199254740993n})).toBe(false);
    expect(failure('x + 1', {x: 2n ** 63n - 1n})).toBe('integer overflow');
    expect(failure('x + 1', {x: 2.5})).toBe('no such overload');
    expect(evaluate('x + 1.0', {x: 2.5})).toBe(3.5);
    expect(evaluate('x + 0.5', {x: 2.5})).toEqual(new Float(3));
  });

  test('numbers of all types in literal lists, keys and comparisons', () => {
    expect(evaluate('x in [1, 2]', {x: new Float(2)})).toBe(true);
    expect(evaluate('x == 2 && x < 3 && x >= 2', {x: new Uint(2n)})).toBe(true);
    expect(evaluate("{1: 'a'}[x]", {x: new Float(1)})).toBe('a');
    expect(failure('x < 1', {x: Number.NaN})).toBe('NaN values cannot be ordered');
    expect(failure('x < 1', {x: null})).toBe('no such overload: _<_');
    expect(evaluate("x in ['a', 'b']", {x: 1})).toBe(false);
  });
});

describe('objects and opaque values', () => {
  class Amount extends OpaqueValue {
    override readonly typeName = 'test.Amount';
    constructor(readonly amount: number) {
      super();
    }
    override equals(other: OpaqueValue): boolean {
      return other instanceof Amount && other.amount === this.amount;
    }
  }
  class Lazy extends ObjectValue {
    override readonly typeName = 'test.Lazy';
    reads = 0;
    override get(field: string): Value | undefined {
      this.reads++;
      if (field === 'broken') throw new CelError('cannot be had');
      return field === 'a' ? 1 : undefined;
    }
    override has(field: string): boolean {
      return field === 'a' || field === 'broken';
    }
  }
  const amount = opaque('test.Amount');
  const library: Library = {
    name: 'objects',
    functions: [
      fn(
        'amount',
        global('amount_int', [[intType], amount], (value: number) => new Amount(value)),
      ),
      fn(
        'twice',
        method('amount_twice', [[amount], intType], (value: Amount) => 2 * value.amount),
      ),
      fn(
        'either',
        method('either_amount', [[amount], boolType], () => true),
        method('either_string', [[stringType], boolType], () => false),
      ),
    ],
    objects: [{name: 'test.Lazy', field: name => (name === 'missing' ? undefined : dynType)}],
    variables: {lazy: objectType('test.Lazy')},
  };
  const environment = celEnvironment({variables: {x: dynType}, libraries: [library]});

  test('fields are read when they are reached', () => {
    const lazy = new Lazy();
    expect(evaluate('true || lazy.a == 1', {lazy}, environment)).toBe(true);
    expect(lazy.reads).toBe(0);
    expect(evaluate('lazy.a == 1 && has(lazy.a) && !has(lazy.b) && !lazy.?b.hasValue()', {lazy}, environment)).toBe(
      true,
    );
    expect(failure('lazy.b', {lazy}, environment)).toBe('no such key: b');
    expect(failure('lazy.broken', {lazy}, environment)).toBe('cannot be had');
    expect(evaluate('lazy.broken == 1 || true', {lazy}, environment)).toBe(true);
    expect(environment.compile('lazy.missing').text).toContain("undefined field 'missing'");
  });

  test('overloads are chosen by the values where the types leave it open', () => {
    expect(evaluate('amount(2) == amount(1 + 1) && amount(2).twice() == 4', {}, environment)).toBe(true);
    expect(evaluate('x.either()', {x: new Amount(1)}, environment)).toBe(true);
    expect(evaluate('x.either()', {x: 'a'}, environment)).toBe(false);
    expect(failure('x.either()', {x: 1}, environment)).toBe('no such overload: either(int)');
    expect(failure('x.amount', {x: new Amount(1)}, environment)).toBe('no such key: amount');
  });
});

describe('macros', () => {
  test('cel.bind evaluates once, when first used, and anew in each round', () => {
    expect(evaluate('cel.bind(a, 1 / 0, true)')).toBe(true);
    expect(failure('cel.bind(a, x.b, a == 1 && a == 2)', {x: {}})).toBe('no such key: b');
    expect(evaluate('[1, 2, 3].map(i, cel.bind(a, i * 10, a + a))')).toEqual([20, 40, 60]);
    expect(
      evaluate('cel.bind(a, x.b, a == 1 || true) && cel.bind(b, 2, cel.bind(c, b + 1, c + b)) == 5', {x: {}}),
    ).toBe(true);
    expect(evaluate('cel.bind(f, x.map(i, i + 1), [1, 2].map(j, f[j]))', {x: [1, 2, 3]})).toEqual([3, 4]);
  });

  test('two names over lists and maps', () => {
    expect(evaluate('x.transformList(i, v, i + v)', {x: [1, 2]})).toEqual([1, 3]);
    expect(evaluate("x.transformMap(k, v, k != 'b', v + 1)", {x: {a: 1, b: 2}})).toEqual({a: 2});
    expect(failure("x.transformMapEntry(k, v, {'same': v})", {x: {a: 1, b: 2}})).toBe(
      'insert failed: key same already exists',
    );
    expect(evaluate('x.all(k, v, k == v)', {x: {a: 'a'}})).toBe(true);
    expect(evaluate('x.exists(k, v, v.z == 1)', {x: {a: {}, b: {z: 1}}})).toBe(true);
  });

  test('inner names hide outer ones and the variables', () => {
    expect(evaluate('[[1, 2], [3]].map(x, x.map(x, x + 1))')).toEqual([[2, 3], [4]]);
    expect(evaluate('[1].map(x, .x)', {x: 7})).toEqual([7]);
  });
});

describe('optionals', () => {
  test('alternatives are evaluated only when they are needed', () => {
    expect(evaluate('optional.of(1).orValue(1 / 0)')).toBe(1);
    expect(evaluate('x.?a.or(optional.of(1 / 0)).value()', {x: {a: 2}})).toBe(2);
    expect(failure('x.?a.orValue(1 / 0)', {x: {}})).toBe('division by zero');
  });

  test('orValue of what is no optional: an error, or the value where the environment is lenient', () => {
    expect(failure('x.a.orValue(3)', {x: {a: 4}})).toBe('no such overload');
    const lenient = celEnvironment({variables: {x: dynType}, lenientOrValue: true});
    expect(evaluate('x.a.orValue(3)', {x: {a: 4}}, lenient)).toBe(4);
    expect(evaluate('x.?a.orValue(3)', {x: {}}, lenient)).toBe(3);
    expect(failure('x.a.orValue(3)', {x: {}}, lenient)).toBe('no such key: a');
    expect(failure('x.a.optMap(v, v)', {x: {a: 's'}})).toBe('no such overload: hasValue(string)');
  });

  test('null is a value; what has no fields has none to choose from', () => {
    expect(evaluate("x.?n.orValue('d')", {x: {n: null}})).toBeNull();
    expect(evaluate('x.?n.?y.hasValue()', {x: {n: null}})).toBe(false);
    expect(evaluate('x[?0]', {x: [7]})).toEqual(new Optional(7));
    expect(evaluate('[?x.?a, ?x.?b]', {x: {b: 1}})).toEqual([1]);
  });
});

test('a literal pattern that is not valid is an error of its call, as is one made at run time', () => {
  const message = 'error parsing regexp: missing closing ]: `[`';
  expect(failure("x.matches('[')", {x: 'a'})).toBe(message);
  expect(failure('x.matches(y)', {x: 'a', y: '['})).toBe(message);
  expect(evaluate("x.matches('[') || true", {x: 'a'})).toBe(true);
  expect(regex.compile('a').test('a')).toBe(true);
});

test('a trace tells what each part came to', () => {
  const source = "x.spec.items.all(i, i.n > 1) && x.name == 'web'";
  const bindings = bindingsOf(untyped, {x: {spec: {items: [{n: 2}, {}]}, name: 'web'}});
  const steps = untyped
    .trace(source, bindings, celHost())!
    .steps.map(({expr, value, error}) => `${unparse(expr)} → ${error ?? valueText(value!)}`);
  expect(steps).toEqual([
    'x → {"spec": {"items": [{"n": 2}, {}]}, "name": "web"}',
    'x.spec → {"items": [{"n": 2}, {}]}',
    'x.spec.items → [{"n": 2}, {}]',
    'i → {"n": 2}',
    'i.n → 2',
    'i.n > 1 → true',
    'i → {}',
    'i.n → no such key: n',
    'i.n > 1 → no such key: n',
    'x.spec.items.all(i, i.n > 1) → no such key: n',
    'x → {"spec": {"items": [{"n": 2}, {}]}, "name": "web"}',
    'x.name → "web"',
    'x.name == "web" → true',
    `${unparse(parse(source, {twoVariableMacros: true}).expr!)} → no such key: n`,
  ]);
  expect(untyped.trace('x +', bindings, celHost())).toBeUndefined();
});

test('values nested deeper than the stack end by the budget', () => {
  let a: Value = 1;
  let b: Value = 1;
  for (let level = 0; level < 200_000; level++) {
    a = [a];
    b = [b];
  }
  const run = () => evaluate('x == y || true', {x: a, y: b});
  expect(run).toThrow(BudgetError);
  expect(run).toThrow('deeper than values may be nested');
});
