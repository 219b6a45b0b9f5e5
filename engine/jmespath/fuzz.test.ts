import {describe, expect, it} from 'vitest';
import {BudgetError, CompileError, EvalError} from '../diagnostic.js';
import {Float, type Json} from '../json/types.js';
import {functionTable} from './functions/table.js';
import {compileQuery} from './index.js';
import {createQueryEnv, seededRandom} from './testing/query-env.js';

const draw = seededRandom(20_240_506);
const below = (count: number): number => Math.floor(draw() * count);
const oneOf = <T>(list: readonly T[]): T => list[below(list.length)]!;

const keys = ['a', 'b', 'c', 'toString', '__proto__', 'constructor', 'length'];
const scalars: readonly Json[] = [
  null,
  true,
  false,
  0,
  1,
  -3,
  2.5,
  1e300,
  2n ** 60n,
  new Float(2),
  '',
  'a',
  '1Gi',
  '1h',
  '2021-01-02T15:04:05Z',
  '[a-z]{3}',
  '😀',
  'x'.repeat(300),
];

function randomValue(depth: number): Json {
  const kind = depth > 0 ? below(4) : 0;
  if (kind < 2) return oneOf(scalars);
  if (kind === 2) return Array.from({length: below(4)}, () => randomValue(depth - 1));
  return Object.fromEntries(Array.from({length: below(4)}, () => [oneOf(keys), randomValue(depth - 1)]));
}

const literals = [
  '`1`',
  '`-1`',
  '`2.5`',
  '`null`',
  '`[1,"a",null]`',
  '`{"a":{"b":1}}`',
  "'a'",
  "''",
  "'1Gi'",
  "'1h'",
  "'('",
];
const comparators = ['==', '!=', '<', '<=', '>', '>='];
const definitions = [...functionTable.values()];

function randomCall(depth: number): string {
  const definition = oneOf(definitions);
  const args = definition.parameters.map(type => (type === 'expref' ? '&' : '') + randomQuery(depth - 1));
  if (definition.variadic) args.push(randomQuery(depth - 1));
  return `${definition.name}(${args.join(', ')})`;
}

function randomQuery(depth: number): string {
  if (depth <= 0) return oneOf(['@', ...keys, ...literals]);
  const inner = () => randomQuery(depth - 1);
  switch (below(16)) {
    case 0:
      return `${inner()} || ${inner()}`;
    case 1:
      return `${inner()} && ${inner()}`;
    case 2:
      return `!(${inner()})`;
    case 3:
      return `(${inner()} ${oneOf(comparators)} ${inner()})`;
    case 4:
      return `[${inner()}, ${inner()}]`;
    case 5:
      return `{a: ${inner()}, "__proto__": ${inner()}}`;
    case 6:
      return `${inner()} | ${inner()}`;
    case 7:
      return `(${inner()})[*].${oneOf(keys)}`;
    case 8:
      return `(${inner()})[?${inner()}]`;
    case 9:
      return `(${inner()})[].${oneOf(keys)}`;
    case 10:
      return `(${inner()}).*.${oneOf(keys)}`;
    case 11:
      return `(${inner()})[${oneOf(['0', '-1', '1:', '::-1', ':9:2'])}]`;
    case 12:
      return `${oneOf(keys)}.${oneOf(keys)}`;
    default:
      return randomCall(depth);
  }
}

const tokens = [
  ...'.*,:{}()[]@&|!<>=-"\'`\\$#😀 \n'.split(''),
  '[?',
  '[]',
  '&&',
  '||',
  '==',
  '!=',
  '<=',
  '>=',
  '0',
  '-1',
  'a',
  'length',
  'sort_by',
  "'x'",
  '"y"',
  '`1`',
  '`{`',
];

/** What escaped that should not have, with the query that did it. */
function escaped(text: string, run: () => void, allowed: (error: unknown) => boolean): string | undefined {
  try {
    run();
  } catch (error) {
    if (!allowed(error)) return `${JSON.stringify(text)}: ${String(error)}`;
  }
  return undefined;
}

describe('whatever it is given', () => {
  it('a text compiles or is refused with a diagnostic', () => {
    for (let round = 0; round < 10_000; round++) {
      const text = Array.from({length: 1 + below(12)}, () => oneOf(tokens)).join('');
      expect(
        escaped(
          text,
          () => compileQuery(text),
          error => error instanceof CompileError,
        ),
      ).toBeUndefined();
    }
  });

  it('a query gives a value or an evaluation error', () => {
    let values = 0;
    for (let round = 0; round < 5_000; round++) {
      const text = randomQuery(4);
      const data = randomValue(4);
      const run = () => {
        const result = compileQuery(text).evaluate(data, createQueryEnv({steps: 100_000, bytes: 100_000}));
        if (result === undefined) throw new Error('undefined is no value');
        values++;
      };
      expect(escaped(text, run, error => error instanceof EvalError)).toBeUndefined();
    }
    expect(values).toBeGreaterThan(1000);
  });

  it('a query leaves its data as it was', () => {
    for (let round = 0; round < 1500; round++) {
      const text = randomQuery(4);
      const data = randomValue(4);
      const before = structuredClone(data);
      const run = () => compileQuery(text).evaluate(data, createQueryEnv({steps: 100_000, bytes: 100_000}));
      expect(escaped(text, run, error => error instanceof EvalError)).toBeUndefined();
      expect(JSON.stringify(structuredClone(data), big)).toBe(JSON.stringify(before, big));
    }
  });

  it('a budget of any size ends a query with a budget error or not at all', () => {
    const text =
      "sort_by(map(&{k: to_string(@), v: @}, [*]), &k)[?contains(k, '1')].v | join('-', map(&to_string(@), @))";
    const data = Array.from({length: 50}, (_, index) => index);
    for (let steps = 1; steps < 1500; steps += 13) {
      const run = () => compileQuery(text).evaluate(data, createQueryEnv({steps}));
      expect(escaped(text, run, error => error instanceof BudgetError)).toBeUndefined();
    }
  });
});

function big(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? `${value}n` : value;
}
