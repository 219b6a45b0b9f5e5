import {describe, expect, it} from 'vitest';
import {isLabelValue, isQualifiedName, readLabelSelector} from './label-selector.js';

describe('readLabelSelector', () => {
  const good: [string, unknown, object][] = [
    ['nothing', {}, {}],
    ['nulls', {matchLabels: null, matchExpressions: null}, {}],
    ['labels', {matchLabels: {'a.io/b': 'c', d: ''}}, {matchLabels: {'a.io/b': 'c', d: ''}}],
    [
      'requirements',
      {
        matchExpressions: [
          {key: 'a', operator: 'NotIn', values: ['b']},
          {key: 'c', operator: 'Exists', values: null},
        ],
      },
      {
        matchExpressions: [
          {key: 'a', operator: 'NotIn', values: ['b']},
          {key: 'c', operator: 'Exists'},
        ],
      },
    ],
  ];
  it.each(good)('reads %s', (_, value, expected) => {
    expect(readLabelSelector(value)).toEqual(expected);
  });

  const bad: [string, unknown, string][] = [
    ['a list', [], 'is not an object'],
    ['an unknown field', {labels: {}}, 'has the unknown field labels'],
    ['a wildcard value', {matchLabels: {a: '*'}}, 'has no valid label in matchLabels.a'],
    ['a number', {matchLabels: {a: 1}}, 'has no valid label in matchLabels.a'],
    ['a key with a space', {matchLabels: {'a b': 'c'}}, 'has no valid label in matchLabels.a b'],
    [
      'an unknown operator',
      {matchExpressions: [{key: 'a', operator: 'Is'}]},
      'has no operator of In, NotIn, Exists, DoesNotExist in matchExpressions[0]',
    ],
    [
      'In without values',
      {matchExpressions: [{key: 'a', operator: 'In'}]},
      'has no values for In in matchExpressions[0]',
    ],
    [
      'Exists with values',
      {matchExpressions: [{key: 'a', operator: 'Exists', values: ['b']}]},
      'has values, which Exists does not take in matchExpressions[0]',
    ],
    ['no key', {matchExpressions: [{operator: 'Exists'}]}, 'has no valid key in matchExpressions[0]'],
    [
      'a misspelt field',
      {matchExpressions: [{key: 'a', operator: 'In', value: 'b'}]},
      'has the unknown field value in matchExpressions[0]',
    ],
  ];
  it.each(bad)('says what is wrong with %s', (_, value, expected) => {
    expect(readLabelSelector(value)).toBe(expected);
  });
});

describe('names and values of labels', () => {
  it.each(['a', 'A_b.c-d', 'kubernetes.io/metadata.name', 'x'.repeat(63)])('%s is a name', text => {
    expect(isQualifiedName(text)).toBe(true);
  });

  it.each(['', '-a', 'a/', '/a', 'a/b/c', 'Upper.io/a', 'x'.repeat(64), '__proto__'])('%s is none', text => {
    expect(isQualifiedName(text)).toBe(false);
  });

  it.each([
    ['', true],
    ['a.b', true],
    ['a/b', false],
    ['a*', false],
  ] as const)('value %s: %s', (text, expected) => {
    expect(isLabelValue(text)).toBe(expected);
  });
});
