import {describe, expect, it} from 'vitest';
import type {LabelSelector} from '../policy/model.js';
import {compileLabelSelector, type Labels} from './label-selector.js';

const labels: Labels = {app: 'web', 'corp.io/team': 'red', empty: ''};
const expression = (key: string, operator: string, values?: readonly string[]): LabelSelector =>
  ({matchExpressions: [{key, operator, ...(values ? {values} : {})}]}) as LabelSelector;

const cases: ReadonlyArray<readonly [string, LabelSelector, Labels, boolean]> = [
  ['an empty selector selects everything', {}, {}, true],
  ['empty lists select everything', {matchLabels: {}, matchExpressions: []}, {}, true],
  ['an exact pair', {matchLabels: {app: 'web'}}, labels, true],
  ['another value', {matchLabels: {app: 'db'}}, labels, false],
  ['a missing key', {matchLabels: {none: 'web'}}, labels, false],
  ['an empty value is no missing one', {matchLabels: {empty: ''}}, labels, true],
  ['all pairs must hold', {matchLabels: {app: 'web', none: 'x'}}, labels, false],
  ['a wildcard value', {matchLabels: {app: 'w*'}}, labels, true],
  ['a wildcard value that misses', {matchLabels: {app: 'w?'}}, labels, false],
  ['a wildcard key', {matchLabels: {'corp.io/*': 'red'}}, labels, true],
  ['a wildcard key with another value', {matchLabels: {'corp.io/*': 'blue'}}, labels, false],
  ['key and value must match in the same label', {matchLabels: {'a*': 'red'}}, labels, false],
  ['any label at all', {matchLabels: {'*': '*'}}, labels, true],
  ['any label at all, of none', {matchLabels: {'*': '*'}}, {}, false],
  ['`?*` wants a value that is not empty', {matchLabels: {empty: '?*'}}, labels, false],
  ['prototype members are no labels', {matchLabels: {constructor: '*'}}, {}, false],
  ['In', expression('app', 'In', ['db', 'web']), labels, true],
  ['In, missing key', expression('none', 'In', ['x']), labels, false],
  ['NotIn', expression('app', 'NotIn', ['db']), labels, true],
  ['NotIn, value listed', expression('app', 'NotIn', ['web']), labels, false],
  ['NotIn, missing key', expression('none', 'NotIn', ['x']), labels, true],
  ['Exists', expression('app', 'Exists'), labels, true],
  ['Exists, missing key', expression('none', 'Exists'), labels, false],
  ['DoesNotExist', expression('none', 'DoesNotExist'), labels, true],
  ['DoesNotExist, present key', expression('app', 'DoesNotExist'), labels, false],
  ['pairs and expressions together', {matchLabels: {app: 'web'}, ...expression('none', 'Exists')}, labels, false],
  ['expressions know no wildcards', expression('app', 'In', ['w*']), labels, false],
  ['invalid: a wildcard in NotIn selects nothing', expression('app', 'NotIn', ['d*']), labels, false],
  ['invalid: In without values', expression('app', 'In', []), labels, false],
  ['invalid: NotIn without values', expression('app', 'NotIn'), labels, false],
  ['invalid: Exists with values', expression('app', 'Exists', ['web']), labels, false],
  ['invalid: DoesNotExist with values', expression('none', 'DoesNotExist', ['x']), labels, false],
  ['invalid: unknown operator', expression('app', 'Matches', ['web']), labels, false],
  ['invalid: key', expression('a b', 'DoesNotExist'), labels, false],
  ['invalid: key prefix', expression('Corp_/x', 'DoesNotExist'), labels, false],
  ['invalid: key too long', expression('a'.repeat(64), 'DoesNotExist'), labels, false],
  ['invalid: value', {matchLabels: {app: 'a b'}}, labels, false],
];

describe('label selectors', () => {
  it.each(cases)('%s', (_name, selector, actual, want) => {
    expect(compileLabelSelector(selector)(actual)).toBe(want);
  });
});
