import {describe, expect, it} from 'vitest';
import type {LabelSelector} from '../policy/model.js';
import {labelSelectorText, nameSelectorText} from './selector-text.js';

describe('the part of a label selector that the API server judges', () => {
  it.each<readonly [string, unknown, string | undefined]>([
    ['is nothing of an empty one', {}, undefined],
    ['is every pair', {matchLabels: {app: 'web', 'acme.io/tier': 'a', empty: ''}}, 'app=web,acme.io/tier=a,empty='],
    ['is that the key is there where its value has wildcards', {matchLabels: {app: 'w*', tier: '?'}}, 'app,tier'],
    ['is nothing of a key with wildcards', {matchLabels: {'a*': 'b', c: 'd'}}, 'c=d'],
    ['is nothing of what is no label', {matchLabels: {'a b': 'c', d: 'e,f=g', h: 7}}, undefined],
    [
      'is every requirement',
      {
        matchExpressions: [
          {key: 'a', operator: 'In', values: ['x', 'y']},
          {key: 'b', operator: 'NotIn', values: ['z']},
          {key: 'c', operator: 'Exists'},
          {key: 'd', operator: 'DoesNotExist'},
        ],
      },
      'a in (x,y),b notin (z),c,!d',
    ],
    [
      'is nothing of requirements that are none',
      {matchExpressions: [{key: 'a', operator: 'In'}, {key: 'b', operator: 'Exists', values: ['c']}, {key: 'd', operator: 'Gt', values: ['1']}, {key: 'e', operator: 'In', values: ['x)']}]},
      undefined,
    ],
  ])('%s', (_, selector, expected) => {
    expect(labelSelectorText(selector as LabelSelector)).toBe(expected);
  });
});

it('an object is selected by a name that is one', () => {
  expect(nameSelectorText('system:web-1.a')).toBe('metadata.name=system:web-1.a');
  for (const name of ['', 'a*', 'a?', 'a,b', 'a=b', 'a b']) expect(nameSelectorText(name)).toBeUndefined();
});
