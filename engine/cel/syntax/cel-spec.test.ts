import {describe, expect, test} from 'vitest';
import {issuesText} from '../errors.js';
import {parse} from './parse.js';
import {allCases, type SpecCase} from './testing/cel-spec.js';
import {adornKind, debugText, NotShown} from './testing/debug-text.js';
import {unparse} from './unparse.js';

/** As the cases were recorded. */
const options = {twoVariableMacros: false};

/** Cases that were recorded with settings that Kubernetes does not have. */
const otherSettings: ReadonlyArray<readonly [where: 'expr' | 'error', pattern: RegExp, reason: string]> = [
  ['error', /unsupported syntax/, 'without optionals and backquotes'],
  ['error', /recursion (limit|depth) exceeded|max recursion/, 'with a limit of 32 levels'],
  ['error', /error recovery/, 'with limits of error recovery'],
  ['error', /expecting IDENTIFIER\n/, 'without backquotes'],
  ['expr', /cel\.iterVar/, 'with the macros of cel.block'],
  ['expr', /existsOne\((v|__result__), /, 'with existsOne over one variable'],
];

const asInKubernetes = (one: SpecCase): boolean =>
  otherSettings.every(([where, pattern]) => !pattern.test(one[where] ?? ''));

const parseError = ({error}: SpecCase): string | undefined => (error?.startsWith('ERROR: :') ? error : undefined);
const firstLine = (text: string): string => text.split('\n')[0]!;
const cases = (await allCases()).filter(asInKubernetes);

describe('public parser cases of CEL', () => {
  test('what cel-go reads is read, what it refuses is refused', () => {
    const wrong = cases.filter(
      one => (parse(one.expr, options).expr === undefined) !== (parseError(one) !== undefined),
    );
    expect(wrong.map(one => one.expr)).toEqual([]);
    expect(cases.length).toBeGreaterThan(2_400);
  });

  test('trees are the same as cel-go makes them, macros unfolded', () => {
    const wrong: string[] = [];
    let compared = 0;
    for (const one of cases) {
      const {expr} = parse(one.expr, options);
      if (expr === undefined || one.ast === undefined) continue;
      try {
        if (debugText(expr, adornKind) !== one.ast) wrong.push(one.expr);
        compared++;
      } catch (error) {
        if (!(error instanceof NotShown)) throw error;
      }
    }
    expect(wrong).toEqual([]);
    expect(compared).toBeGreaterThan(2_000);
  });

  test('the first fault has place and words of cel-go', () => {
    const wrong: [string, string, string][] = [];
    let compared = 0;
    for (const one of cases) {
      const error = parseError(one);
      if (error === undefined) continue;
      compared++;
      const own = firstLine(issuesText(one.expr, parse(one.expr, options).issues ?? [])).replace('<input>', '');
      if (own !== firstLine(error)) wrong.push([one.expr, own, firstLine(error)]);
    }
    expect(wrong).toEqual([]);
    expect(compared).toBeGreaterThan(50);
  });

  test('text of a tree reads as the same tree', () => {
    const wrong: [string, string][] = [];
    for (const one of cases) {
      const {expr} = parse(one.expr, options);
      if (expr === undefined) continue;
      const text = unparse(expr);
      if (withoutPlaces(parse(text, options).expr) !== withoutPlaces(expr)) wrong.push([one.expr, text]);
    }
    expect(wrong).toEqual([]);
  });
});

function withoutPlaces(value: unknown): string {
  return JSON.stringify(value, (key, part) => {
    if (key === 'at') return undefined;
    return typeof part === 'bigint' ? `${part}n` : part;
  });
}
