import {describe, expect, test} from 'vitest';
import {parse} from './parse.js';

const one = {twoVariableMacros: false};
const two = {twoVariableMacros: true};
const tree = (source: string, options = two) => parse(source, options).expr;
const faults = (source: string) => (parse(source, two).issues ?? []).map(({message, at}) => [message, at]);

describe('macros', () => {
  test.each([
    ['a.all(x, p)', {name: 'all', variables: ['x'], filter: undefined, body: {name: 'p'}}],
    ['a.exists(x, p)', {name: 'exists'}],
    ['a.exists_one(x, p)', {name: 'existsOne'}],
    ['a.map(x, e)', {name: 'map', filter: undefined, body: {name: 'e'}}],
    ['a.map(x, p, e)', {name: 'map', filter: {name: 'p'}, body: {name: 'e'}}],
    ['a.filter(x, p)', {name: 'filter'}],
    ['a.sortBy(x, k)', {name: 'sortBy'}],
    ['a.optMap(x, e)', {name: 'optMap'}],
    ['a.optFlatMap(x, e)', {name: 'optFlatMap'}],
    ['a.all(k, v, p)', {name: 'all', variables: ['k', 'v']}],
    ['a.exists(k, v, p)', {name: 'exists', variables: ['k', 'v']}],
    ['a.existsOne(k, v, p)', {name: 'existsOne', variables: ['k', 'v']}],
    ['a.exists_one(k, v, p)', {name: 'existsOne', variables: ['k', 'v']}],
    ['a.transformList(i, v, e)', {name: 'transformList', filter: undefined}],
    ['a.transformList(i, v, p, e)', {name: 'transformList', filter: {name: 'p'}, body: {name: 'e'}}],
    ['a.transformMap(k, v, e)', {name: 'transformMap'}],
    ['a.transformMapEntry(k, v, p, {v: k})', {name: 'transformMapEntry', filter: {name: 'p'}, body: {kind: 'map'}}],
  ])('%s is a loop', (source, expected) => {
    expect(tree(source)).toMatchObject({kind: 'loop', range: {name: 'a'}, ...expected});
  });

  test('over two variables are plain calls where they are not enabled', () => {
    for (const source of ['a.all(k, v, p)', 'a.transformList(i, v, e)', 'a.existsOne(k, v, p)']) {
      expect(tree(source, one)).toMatchObject({kind: 'call'});
    }
  });

  test('are known by their number of arguments', () => {
    for (const source of [
      'a.all(x)',
      'a.existsOne(x, p)',
      'a.map(x)',
      'all(a, x)',
      'a.filter(x, p, q)',
      'has(a.b, c)',
    ]) {
      expect(tree(source)).toMatchObject({kind: 'call'});
    }
  });

  test('has() is a test of a field', () => {
    expect(tree('has(a.b.c)')).toMatchObject({kind: 'select', test: true, field: 'c', operand: {test: false}});
    expect(tree('has(a.?b.c)')).toMatchObject({kind: 'select', test: true, operand: {optional: true}});
  });

  test('cel.bind names a value', () => {
    expect(tree('cel.bind(a, 1, a + a)')).toMatchObject({kind: 'bind', name: 'a', init: {value: 1}});
    expect(tree('other.bind(a, 1, a)')).toMatchObject({kind: 'call', name: 'bind'});
  });

  test('math.greatest and math.least stand for functions of one, two or a list', () => {
    expect(tree('math.greatest(a)')).toMatchObject({
      kind: 'call',
      name: 'math.@max',
      target: undefined,
      args: [{name: 'a'}],
    });
    expect(tree('math.least(a, b)')).toMatchObject({name: 'math.@min', args: [{name: 'a'}, {name: 'b'}]});
    expect(tree('math.least(a, b, c)')).toMatchObject({name: 'math.@min', args: [{kind: 'list', items: {length: 3}}]});
    expect(tree('math.abs(a)')).toMatchObject({name: 'abs', target: {name: 'math'}});
  });

  test.each([
    ['has(a)', 'invalid argument to has() macro', 4],
    ['has(a[0])', 'invalid argument to has() macro', 5],
    ['a.all(1, p)', 'argument must be a simple name', 6],
    ['a.map(1, e)', 'argument is not an identifier', 6],
    ['a.filter(b.c, p)', 'argument is not an identifier', 10],
    ['a.filter(.b, p)', 'argument is not an identifier', 9],
    ['a.map(__result__, e)', 'iteration variable overwrites accumulator variable', 6],
    ['a.all(k, k, p)', 'duplicate variable name: k', 9],
    ['a.transformMap(1, v, e)', 'argument must be a simple name', 15],
    ['a.optMap(1, e)', 'optMap() variable name must be a simple identifier', 9],
    ['cel.bind(1, 2, 3)', 'cel.bind() variable names must be simple identifiers', 9],
    ['math.greatest()', 'math.greatest() requires at least one argument', 13],
    ['math.greatest("a")', 'math.greatest() invalid single argument value', 14],
    ['math.least([])', 'math.least() invalid single argument value', 11],
    ['math.least(1, "a")', 'math.least() simple literal arguments must be numeric', 14],
  ])('%s is refused', (source, message, at) => {
    expect(faults(source)).toEqual([[message, at]]);
  });
});
