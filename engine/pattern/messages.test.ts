import {describe, expect, it} from 'vitest';
import {Budget, defaultLimits} from '../budget.js';
import type {Json} from '../json/types.js';
import {compilePattern} from './compile-pattern.js';
import {evaluateAnyPattern, patternMessage} from './messages.js';
import type {PatternResult} from './types.js';

const fail: PatternResult = {status: 'fail', path: '/spec/a/', message: 'why'};
const error: PatternResult = {status: 'error', message: 'why'};

describe('messages of a rule with one pattern', () => {
  it.each<[string, PatternResult, string | undefined, string]>([
    ['a pass names the rule', {status: 'pass'}, 'm', "validation rule 'R' passed."],
    ['a skip shows the anchors', {status: 'skip', message: 'anchor text'}, 'm', 'anchor text'],
    ['no message, path', fail, undefined, 'validation error: rule R failed at path /spec/a/'],
    ['empty message, path', fail, '', 'validation error: rule R failed at path /spec/a/'],
    ['no message, no path', error, undefined, 'validation error: rule R execution error: why'],
    ['message, path', fail, 'do it', 'validation error: do it. rule R failed at path /spec/a/'],
    ['message that ends with a full stop', fail, 'do it.', 'validation error: do it. rule R failed at path /spec/a/'],
    ['message, no path', error, 'do it', 'validation error: do it. rule R execution error: why'],
  ])('%s', (_name, result, message, want) => {
    expect(patternMessage({rule: 'R', message, result})).toBe(want);
  });

  it('a message that could not be resolved', () => {
    expect(patternMessage({rule: 'R', message: 'x', unresolved: true, result: fail})).toBe(
      'validation error: variables substitution error in rule R execution error: why',
    );
  });
});

describe('anyPattern', () => {
  const any = (resource: Json, patterns: readonly Json[], message?: string) =>
    evaluateAnyPattern(
      patterns.map(pattern => compilePattern(pattern)),
      resource,
      {rule: 'R', message, budget: new Budget(defaultLimits, () => 0)},
    );

  it('the first alternative that matches decides', () => {
    expect(any({a: 1}, [{a: 2}, {a: 1}, {'+(a)': 1}])).toEqual({
      status: 'pass',
      message: "validation rule 'R' anyPattern[1] passed.",
    });
  });

  it('failing alternatives are listed with their paths', () => {
    expect(any({a: 1, b: 1}, [{a: 2}, {b: 2}], 'do it')).toEqual({
      status: 'fail',
      message: 'validation error: do it. rule R[0] failed at path /a/ rule R[1] failed at path /b/',
    });
    expect(any({a: 1}, [{a: 2}]).message).toBe('validation error: rule R[0] failed at path /a/');
  });

  it('an alternative without a path says why', () => {
    expect(any({a: 1}, [{'+(a)': 2}])).toMatchObject({
      status: 'fail',
      message: expect.stringContaining('rule R[0] failed: an add-if-absent'),
    });
  });

  it('skipped alternatives are not listed beside failing ones', () => {
    expect(any({a: 1}, [{'(a)': 2}, {a: 3}])).toEqual({
      status: 'fail',
      message: 'validation error: rule R[1] failed at path /a/',
    });
  });

  it('only skips skip', () => {
    const result = any({a: 1}, [{'(a)': 2}, {'(b)': 2}]);
    expect(result.status).toBe('skip');
    expect(result.message).toMatch(
      /^rule R\[0\] skipped: conditional anchor mismatch.* rule R\[1\] skipped: conditional/,
    );
  });

  it('no alternatives at all cannot be judged', () => {
    expect(any({a: 1}, []).status).toBe('error');
  });
});
