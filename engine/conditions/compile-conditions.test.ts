import {describe, expect, it} from 'vitest';
import {Budget, defaultLimits} from '../budget.js';
import {BudgetError, CompileError, EvalError} from '../diagnostic.js';
import type {Json} from '../json/types.js';
import {isObject, own} from '../json/types.js';
import type {CompileTemplate} from '../variables/types.js';
import {compileConditions} from './compile-conditions.js';
import {readConditions} from './read-conditions.js';

/** A scope that knows values, errors to throw, and what was asked for. */
interface Scope {
  readonly values: Readonly<Record<string, Json>>;
  readonly throws?: Readonly<Record<string, unknown>>;
  readonly asked: string[];
}

/** `$name` reads the scope; every other value is static. */
const compile: CompileTemplate<Scope> = value => {
  if (typeof value !== 'string' || !value.startsWith('$')) return {isStatic: true, evaluate: () => value};
  const name = value.slice(1);
  return {
    isStatic: false,
    evaluate(scope) {
      scope.asked.push(name);
      if (scope.throws && Object.hasOwn(scope.throws, name)) throw scope.throws[name];
      return scope.values[name] ?? null;
    },
  };
};

const scope = (values: Scope['values'] = {}, throws: Readonly<Record<string, unknown>> = {}): Scope => ({
  values,
  throws,
  asked: [],
});
const evaluate = (raw: Json | undefined, at: Scope = scope()) =>
  compileConditions(raw, 'spec.rules[0].preconditions', compile).evaluate(at);
const is = (key: Json, value: Json, message?: string): Json => ({
  key,
  operator: 'Equals',
  value,
  ...(message === undefined ? {} : {message}),
});
const yes = (message?: string): Json => is('a', 'a', message);
const no = (message?: string): Json => is('a', 'b', message);

describe('results', () => {
  it.each<[string, Json | undefined, boolean]>([
    ['nothing at all is true', undefined, true],
    ['null is nothing', null, true],
    ['an empty object is true', {}, true],
    ['an empty any is false', {any: []}, false],
    ['an empty all is true', {all: []}, true],
    ['an absent any is no obstacle', {all: [yes()]}, true],
    ['one of any is enough', {any: [no(), yes()]}, true],
    ['none of any is not', {any: [no(), no()]}, false],
    ['all of all', {all: [yes(), yes()]}, true],
    ['not all of all', {all: [yes(), no()]}, false],
    ['any and all', {any: [yes()], all: [yes()]}, true],
    ['any without all', {any: [yes()], all: [no()]}, false],
    ['all without any', {any: [no()], all: [yes()]}, false],
    ['a null block is absent', {any: null, all: [yes()]}, true],
    ['a bare list means all', [yes(), yes()], true],
    ['a bare list with a false one', [yes(), no()], false],
    ['an empty bare list', [], true],
  ])('%s', (_name, raw, want) => {
    expect(evaluate(raw).result).toBe(want);
  });
});

describe('order and stops', () => {
  it.each<[string, Json, string[]]>([
    ['any stops at the first true one', {any: [is('$a', 'x'), is('$b', 'y'), is('$c', 'z')]}, ['a', 'b']],
    ['all stops at the first false one', {all: [is('$b', 'y'), is('$a', 'x'), is('$c', 'z')]}, ['b', 'a']],
    ['any goes before all', {all: [is('$c', 'z')], any: [is('$b', 'y')]}, ['b', 'c']],
    ['all is judged also when any was false', {any: [is('$a', 'x')], all: [is('$c', 'z')]}, ['a', 'c']],
    ['the key goes before the value', {all: [is('$a', '$b')]}, ['a', 'b']],
    ['a bare list stops at the first false one', [is('$a', 'x'), is('$b', 'y')], ['a']],
  ])('%s', (_name, raw, asked) => {
    const at = scope({a: '-', b: 'y', c: 'z'});
    evaluate(raw, at);
    expect(at.asked).toEqual(asked);
  });
});

describe('messages', () => {
  it.each<[string, Json, string]>([
    ['true: of the true ones', {any: [no('1'), yes('2'), yes('3')], all: [yes('4'), yes('5')]}, '2; 4; 5'],
    ['false: of the false ones', {any: [no('1'), no('2')], all: [yes('3'), no('4'), no('5')]}, '1; 2; 4'],
    ['false by all: the false ones of any are told as well', {any: [no('1'), yes('2')], all: [no('3')]}, '1; 3'],
    ['empty ones are left out', {all: [yes(''), yes('2'), yes()]}, '2'],
    ['no messages', {all: [yes()]}, ''],
    ['bare list, false: only the failing one', [yes('1'), no('2'), no('3')], '2'],
    ['bare list, true: joined without a space', [yes('1'), yes('2')], '1;2'],
    ['with variables', {all: [is('a', 'b', '$a')]}, 'value of a'],
    ['with a variable that is no text', {all: [is('a', 'b', '$list')]}, '[1,2]'],
  ])('%s', (_name, raw, want) => {
    expect(evaluate(raw, scope({a: 'value of a', list: [1, 2]})).message).toBe(want);
  });

  it('a message whose variables have no value is shown as written', () => {
    const at = scope({}, {m: new EvalError('unknown key')});
    expect(evaluate({all: [no('$m')]}, at)).toEqual({result: false, message: '$m'});
  });

  it('messages of conditions that do not speak are not evaluated', () => {
    const at = scope({}, {m: new Error('must not be asked')});
    expect(evaluate({all: [yes('$m'), no('2')]}, at).message).toBe('2');
  });
});

describe('errors in keys and values', () => {
  const unknown = new EvalError('failed to resolve x', 'unknown-key');
  it('name the part', () => {
    expect(() => evaluate({all: [is('$a', 'x')]}, scope({}, {a: unknown}))).toThrow(
      'failed to substitute variables in condition key: failed to resolve x',
    );
    expect(() => evaluate({all: [is('x', '$a')]}, scope({}, {a: unknown}))).toThrow(
      'failed to substitute variables in condition value: failed to resolve x',
    );
  });

  it('keep their code', () => {
    try {
      evaluate({all: [is('$a', 'x')]}, scope({}, {a: unknown}));
      expect.unreachable();
    } catch (error) {
      expect(error).toBeInstanceOf(EvalError);
      expect(error).toMatchObject({code: 'unknown-key'});
    }
  });

  it.each([
    ['a spent budget', new BudgetError('spent')],
    ['a load that has to be awaited', new Promise(() => undefined)],
    ['a fault of our own', new TypeError('x')],
  ])('%s passes untouched', (_name, thrown) => {
    const places = [{all: [is('$a', 'x')]}, {all: [is('x', '$a')]}];
    for (const raw of thrown instanceof BudgetError ? places : [...places, {all: [no('$a')]}]) {
      try {
        evaluate(raw, scope({}, {a: thrown}));
        expect.unreachable();
      } catch (error) {
        expect(error).toBe(thrown);
      }
    }
  });

  it('a message too large to be made leaves the verdict alone', () => {
    const given = evaluate({all: [no('$a')]}, scope({}, {a: new BudgetError('spent')}));
    expect(given).toEqual({result: false, message: '$a'});
  });

  it('conditions after the stop cannot go wrong', () => {
    expect(evaluate({any: [yes(), is('$a', 'x')]}, scope({}, {a: unknown})).result).toBe(true);
  });

  it('count as work', () => {
    const conditions = compileConditions({all: Array.from({length: 100}, () => yes())}, 'p', compile);
    expect(() => conditions.evaluate(scope(), new Budget({...defaultLimits, steps: 50}, () => 0))).toThrow(BudgetError);
  });
});

describe('shapes', () => {
  const rows: ReadonlyArray<readonly [string, Json, ReadonlyArray<readonly [string, string]>]> = [
    ['a text', 'x', [['p', 'conditions-shape']]],
    ['a number', 1, [['p', 'conditions-shape']]],
    ['any that is no list', {any: {}}, [['p.any', 'conditions-shape']]],
    ['an unknown block', {some: []}, [['p.some', 'condition-field-unknown']]],
    ['a condition that is no object', {all: ['x']}, [['p.all[0]', 'conditions-shape']]],
    [
      'a condition without a key',
      {all: [{operator: 'Equals', value: 1}]},
      [['p.all[0].key', 'condition-field-missing']],
    ],
    [
      'a condition with a null value',
      [{key: 1, operator: 'Equals', value: null}],
      [['p[0].value', 'condition-field-missing']],
    ],
    [
      'a condition without an operator',
      {any: [{key: 1, value: 1}]},
      [['p.any[0].operator', 'condition-field-missing']],
    ],
    [
      'an unknown operator',
      {any: [{key: 1, operator: 'Like', value: 1}]},
      [['p.any[0].operator', 'condition-operator-unknown']],
    ],
    [
      'an operator that is no text',
      {any: [{key: 1, operator: 5, value: 1}]},
      [['p.any[0].operator', 'conditions-shape']],
    ],
    [
      'a message that is no text',
      {any: [{key: 1, operator: 'Equals', value: 1, message: 5}]},
      [['p.any[0].message', 'conditions-shape']],
    ],
    [
      'an unknown field',
      {any: [{key: 1, operator: 'Equals', value: 1, values: []}]},
      [['p.any[0].values', 'condition-field-unknown']],
    ],
    [
      'several faults',
      {any: [{}], all: [{key: 1, operator: 'Like', value: 1}]},
      [
        ['p.any[0].operator', 'condition-field-missing'],
        ['p.any[0].key', 'condition-field-missing'],
        ['p.any[0].value', 'condition-field-missing'],
        ['p.all[0].operator', 'condition-operator-unknown'],
      ],
    ],
  ];
  it.each(rows)('%s', (_name, raw, want) => {
    const faults = readConditions(raw, 'p').faults;
    expect(faults.map(fault => [fault.path, fault.code])).toEqual(want);
    expect(() => compileConditions(raw, 'p', compile)).toThrow(CompileError);
  });

  it('what was compiled can be walked', () => {
    const {conditions} = compileConditions<Scope>({any: [is('$a', 'x', 'm')]}, 'p', compile);
    expect(conditions.form).toBe('any-all');
    expect(conditions.all).toBeUndefined();
    const [first] = conditions.any ?? [];
    expect(first).toMatchObject({path: 'p.any[0]', operator: 'Equals'});
    expect(first?.key.isStatic).toBe(false);
    expect(first?.value.isStatic).toBe(true);
    expect(first?.test(scope({a: 'x'}))).toBe(true);
    expect(first?.describe(scope())).toBe('m');
  });

  it('templates learn their places', () => {
    const places: string[] = [];
    compileConditions<Scope>([is('k', 'v', 'm')], 'p', (value, path) => {
      places.push(path);
      return compile(value, path);
    });
    expect(places).toEqual(['p[0].key', 'p[0].value', 'p[0].message']);
  });

  it('random shapes either compile or say what is wrong with them', () => {
    const next = random(3);
    for (let round = 0; round < 2000; round++) {
      const raw = randomShape(next, 4);
      try {
        compileConditions(raw, 'p', compile).evaluate(scope());
      } catch (error) {
        expect(error).toBeInstanceOf(CompileError);
      }
    }
  });
});

function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return state >> 8;
  };
}

function randomShape(next: () => number, depth: number): Json {
  const pool: readonly Json[] = [
    null,
    1,
    'x',
    'Equals',
    true,
    is('a', 'a'),
    {key: 'a', operator: 'AnyIn', value: ['a']},
  ];
  const shape = next() % 5;
  if (depth === 0 || shape === 0) return pool[next() % pool.length] ?? null;
  if (shape === 1) return Array.from({length: next() % 3}, () => randomShape(next, depth - 1));
  const names = ['any', 'all', 'key', 'operator', 'value', 'message', '__proto__'];
  const made = Object.fromEntries(
    Array.from(
      {length: next() % 4},
      () => [names[next() % names.length] ?? 'any', randomShape(next, depth - 1)] as const,
    ),
  );
  return isObject(made) && own(made, 'any') === 'x' ? {} : made;
}
