import {describe, expect, test} from 'vitest';
import {bindingsOf, celEnvironment, celHost} from '../../../test/cel/environment.js';
import {BudgetError} from '../../diagnostic.js';
import {dynType} from '../types/type.js';
import type {Value} from '../values/value.js';

const environment = celEnvironment({variables: {x: dynType}, costLimit: 1_000_000});
const boundless = celEnvironment({variables: {x: dynType}});

/** Message of the BudgetError that ends the expression. */
function stopped(source: string, x: Value = null, from = environment): string {
  const {program, issues} = from.compile(source);
  if (program === undefined) throw new Error(JSON.stringify(issues));
  try {
    program.evaluate(bindingsOf(from, {x}), celHost());
  } catch (error) {
    if (error instanceof BudgetError) return error.message;
    throw error;
  }
  return 'evaluated';
}

const cost = 'operation cancelled: actual cost limit exceeded';
const bytes = expect.stringContaining('context size limit exceeded');
const steps = expect.stringContaining('evaluation exceeded its limit of 5000000 steps');
const ten = '[1,2,3,4,5,6,7,8,9,10]';

/** `cel.bind(v0, start, cel.bind(v1, f(v0), …))`. */
function tower(levels: number, start: string, next: (name: string) => string, end: (name: string) => string): string {
  const level = (depth: number): string =>
    depth === levels
      ? end(`v${depth - 1}`)
      : `cel.bind(v${depth}, ${depth === 0 ? start : next(`v${depth - 1}`)}, ${level(depth + 1)})`;
  return level(0);
}

const nested = (levels: number, body: string): string =>
  levels === 0 ? body : `${ten}.all(i${levels}, ${nested(levels - 1, body)})`;

describe('hostile expressions end by the budget', () => {
  test('loops in loops: the limit of the program, else the limit of the request', () => {
    expect(stopped(nested(5, 'true'))).toBe('evaluated');
    expect(stopped(nested(6, 'true'))).toBe(cost);
    expect(stopped(nested(7, 'true'), null, boundless)).toEqual(steps);
    expect(stopped(`${nested(7, 'true')} || true`)).toBe(cost);
  });

  test('loops over what is large', () => {
    const large = Array.from({length: 2000}, (_, index) => index);
    expect(stopped('x.all(a, x.exists(b, a == b && a > 1999) || true)', large)).toBe(cost);
    expect(stopped('x.map(a, x.map(b, a + b))', large)).toBe(cost);
    expect(stopped('x.all(a, x.all(b, x[0] in x))', large)).toBe(cost);
  });

  test('text that doubles', () => {
    expect(
      stopped(
        tower(
          40,
          "'0123456789'",
          name => `${name} + ${name}`,
          name => `${name}.size()`,
        ),
      ),
    ).toEqual(bytes);
    expect(
      stopped("x.map(i, x.map(j, 'a').join('0123456789')).join('-').size()", Array(2000).fill('a'), boundless),
    ).toEqual(bytes);
  });

  test('lists that double', () => {
    expect(
      stopped(
        tower(
          40,
          '[1]',
          name => `${name} + ${name}`,
          name => `${name}.size()`,
        ),
      ),
    ).toEqual(bytes);
    expect(stopped('lists.range(1000000000)')).toEqual(cost);
  });

  test('a result that is small in memory and endless in writing', () => {
    const list = tower(
      30,
      '[1, 2, 3]',
      name => `[${name}, ${name}]`,
      name => name,
    );
    expect(stopped(list)).toBe(cost);
    const map = tower(
      30,
      "{'a': 1}",
      name => `{'a': ${name}, 'b': ${name}}`,
      name => name,
    );
    expect(stopped(map)).toBe(cost);
  });

  test('comparing what is small in memory and endless to walk', () => {
    const compared = tower(
      30,
      '[1]',
      name => `[${name}, ${name}]`,
      name => `${name} == ${name}`,
    );
    expect(stopped(compared)).toBe(cost);
    expect(
      stopped(
        tower(
          30,
          '[1]',
          name => `[${name}, ${name}]`,
          name => `${name} in [${name}]`,
        ),
      ),
    ).toBe(cost);
  });

  test('replacements and formats that multiply', () => {
    const large = 'a'.repeat(100_000);
    expect(stopped("x.replace('a', x).size()", large)).toMatch(/cost limit|context size/);
    expect(stopped("x.replace('', x).size()", large)).toMatch(/cost limit|context size/);
    expect(stopped("x.split('').map(c, x).join('').size()", large)).toMatch(/cost limit|context size/);
    expect(
      stopped(
        "'%s%s%s%s%s%s%s%s%s%s'.format([x,x,x,x,x,x,x,x,x,x]).size() + '%s'.format([x.split('').map(c, x)]).size()",
        large,
      ),
    ).toMatch(/cost limit|context size/);
    expect(stopped("regex.replace(x, 'a', x).size()", large)).toMatch(/cost limit|context size|limit of 5000000 steps/);
  });

  test('patterns and searches that take long', () => {
    const many = 'a'.repeat(50_000);
    expect(stopped(`${ten}.all(i, ${ten}.all(j, x.matches('(a+)+(a+)+(a+)+(a+)+b') || true))`, many)).toBe(cost);
    expect(stopped(`${ten}.all(i, ${ten}.all(j, x.contains('${'a'.repeat(500)}b') || true))`, many)).toBe(cost);
    expect(stopped(`${ten}.all(i, ${ten}.all(j, x.lastIndexOf('${'a'.repeat(500)}b') < 0))`, many)).toBe(cost);
  });

  test('the end of the request’s time', () => {
    const {program} = boundless.compile(nested(6, 'true'));
    let now = 0;
    const host = celHost();
    const budget = new (host.budget.constructor as typeof import('../../budget.js').Budget)(
      {steps: 1e12, bytes: 1e12, deadline: 5},
      () => now++,
    );
    expect(() => program!.evaluate([], {...host, budget})).toThrow('evaluation exceeded the time of its request');
  });

  test('nesting and length of the text are faults, not crashes', () => {
    const deep = environment.compile(`${'('.repeat(5_000)}1${')'.repeat(5_000)}`);
    expect(deep.issues?.[0]?.message).toContain('recursion limit exceeded');
    const long = environment.compile(Array(60_000).fill('1').join('+'));
    expect(long.program).toBeUndefined();
    const lists = environment.compile(`${'['.repeat(20_000)}${']'.repeat(20_000)}`);
    expect(lists.program).toBeUndefined();
  });

  test('an error does not carry a whole object along', () => {
    const {program} = environment.compile('{}[x]');
    expect(() => program!.evaluate(bindingsOf(environment, {x: 'k'.repeat(100_000)}), celHost())).toThrow(
      /^.{1,2001}$/,
    );
  });
});
