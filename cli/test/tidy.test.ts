import {describe, expect, it} from 'vitest';
import {Float, type Json} from '../../engine/json/types.js';
import {parseSelector, selectExpectations} from './selector.js';
import {sameResource, tidy} from './tidy.js';

describe('tidy', () => {
  it.each<[what: string, value: Json, result: Json | undefined]>([
    ['nulls, empty maps and lists go', {a: null, b: {}, c: [], d: {e: {f: null}}}, undefined],
    ['empty texts, zero and false stay', {a: '', b: 0, c: false}, {a: '', b: 0, c: false}],
    ['inside lists too', [null, {a: {}}, 1], [1]],
  ])('%s', (_what, value, result) => {
    expect(tidy(value)).toEqual(result);
  });

  it.each<[what: string, same: boolean, a: Json, b: Json]>([
    ['numbers by value', true, 1, new Float(1)],
    ['lists in order', false, [1, 2], [2, 1]],
    ['an empty map is as none', true, {x: {}}, {}],
  ])('same: %s', (_what, same, a, b) => {
    expect(sameResource({spec: a}, {spec: b})).toBe(same);
  });

  it('labels of generation do not count', () => {
    const labels = {'generate.kyverno.io/rule-name': 'r', 'app.kubernetes.io/managed-by': 'kyverno', own: 'x'};
    expect(sameResource({metadata: {labels}}, {metadata: {labels: {own: 'x'}}})).toBe(true);
    expect(sameResource({metadata: {labels}}, {metadata: {}})).toBe(false);
  });
});

describe('selector', () => {
  const entries = [
    {policy: 'a', rule: 'r1', resources: ['x', 'y']},
    {policy: 'b', resources: ['z']},
  ];
  it.each<[text: string, policies: readonly string[]]>([
    ['', ['a', 'b']],
    ['policy=a*', ['a']],
    ['rule=r2', ['b']],
    [' policy = * , resource = z ', ['b']],
  ])('%s', (text, policies) => {
    expect(selectExpectations(entries, parseSelector(text), {intersect: false}).map(({policy}) => policy)).toEqual(
      policies,
    );
  });

  it('a resource filter takes the place of the resources, or leaves those that it matches', () => {
    const selector = parseSelector('resource=x*');
    expect(selectExpectations(entries, selector, {intersect: false})[0]?.resources).toEqual(['x*']);
    expect(selectExpectations(entries, selector, {intersect: true})[0]?.resources).toEqual(['x']);
  });

  it('malformed parts are told', () => {
    expect(parseSelector('kind=Pod,policy,rule=a=b').malformed).toHaveLength(3);
  });
});
