import {describe, expect, it} from 'vitest';
import {CompileError} from '../diagnostic.js';
import type {Json} from '../json/types.js';
import {createQueryEnv} from '../jmespath/testing/query-env.js';
import {parseYaml} from '../yaml/index.js';
import {compileAssertion} from './index.js';

function check(tree: string, value: string, bindings: Readonly<Record<string, Json>> = {}, steps?: number): string[] {
  const assertion = compileAssertion(parseYaml(tree), 'assert');
  const functions = createQueryEnv(steps === undefined ? {} : {steps});
  const lookup = (name: string) => (Object.hasOwn(bindings, name) ? bindings[name] : undefined);
  return assertion
    .check(parseYaml(value), {functions, bindings: lookup})
    .map(fault => `${fault.path}: ${fault.message}`);
}

describe('an assertion tree', () => {
  const cases: readonly {title: string; tree: string; value: string; faults?: readonly (string | RegExp)[]}[] = [
    {title: 'asks for the keys it has and no others', tree: 'a: 1', value: '{a: 1, b: 2}'},
    {
      title: 'names the place of another value',
      tree: 'a: {b: x}',
      value: 'a: {b: z}',
      faults: ['a.b: Invalid value: "z": Expected value: "x"'],
    },
    {
      title: 'misses a key',
      tree: 'a: {b: 1}',
      value: 'a: {}',
      faults: ['a.b: Required value: field not found in the input object'],
    },
    {title: 'compares numbers by value', tree: 'a: 1', value: 'a: 1.0'},
    {title: 'tells numbers from texts', tree: 'a: 1', value: 'a: "1"', faults: [/Expected value: 1/]},
    {title: 'reads booleans and null', tree: '{a: true, b: null}', value: '{a: true, b: null}'},
    {title: 'tells every difference', tree: '{a: 1, b: 2}', value: '{a: 2, b: 1}', faults: [/^a:/, /^b:/]},
    {title: 'wants exactly the elements of a list', tree: 'a: [1, 2]', value: 'a: [1, 2]'},
    {
      title: 'refuses a longer list',
      tree: 'a: [1]',
      value: 'a: [1, 2]',
      faults: ['a: Invalid value: [1,2]: expected 1 elements, found 2'],
    },
    {
      title: 'refuses a scalar for a list',
      tree: 'a: [1]',
      value: 'a: 1',
      faults: ['a: Invalid value: 1: expected a list'],
    },
    {
      title: 'names the element of a list',
      tree: 'a: [{b: 1}]',
      value: 'a: [{b: 2}]',
      faults: ['a[0].b: Invalid value: 2: Expected value: 1'],
    },
    {title: 'takes anything but null for an empty map', tree: 'a: {}', value: 'a: {b: 1}'},
    {
      title: 'refuses null for an empty map',
      tree: 'a: {}',
      value: 'a: null',
      faults: ['a: Invalid value: null: must not be null'],
    },
    {title: 'evaluates a key', tree: '(a > `3`): true', value: 'a: 4'},
    {
      title: 'names an expression that came out otherwise',
      tree: '(a > `3`): true',
      value: 'a: 2',
      faults: ['(a > `3`): Invalid value: false: Expected value: true'],
    },
    {title: 'takes an unknown key in an expression as null', tree: "(missing || 'x'): x", value: '{}'},
    {title: 'takes a bare unknown key as null', tree: '(missing): null', value: '{}'},
    {
      title: 'evaluates functions of the language',
      tree: "(length(items)): 2\n(contains(items, 'a')): true",
      value: 'items: [a, b]',
    },
    {title: 'evaluates a value', tree: "a: (join('', ['x', 'y']))", value: 'a: xy'},
    {
      title: 'goes on below an expression',
      tree: "(list[?kind == 'x']): [{size: 1}]",
      value: 'list: [{kind: x, size: 1}, {kind: z, size: 2}]',
    },
    {title: 'asks of each element', tree: '~.list: {(size > `0`): true}', value: 'list: [{size: 1}, {size: 2}]'},
    {
      title: 'names the element that differs',
      tree: '~.list: {size: 1}',
      value: 'list: [{size: 1}, {size: 2}]',
      faults: ['list[1].size: Invalid value: 2: Expected value: 1'],
    },
    {title: 'asks of each value of a map', tree: '~.labels: x', value: 'labels: {a: x, b: x}'},
    {
      title: 'asks of each element that an expression gives',
      tree: '~.(values(labels)): x',
      value: 'labels: {a: x, b: z}',
      faults: [/^\(values\(labels\)\)\[\d\]: /],
    },
    {title: 'has nothing to say of an empty list', tree: '~.list: {size: 1}', value: 'list: []'},
    {
      title: 'refuses to walk a scalar',
      tree: '~.list: 1',
      value: 'list: 3',
      faults: ['list: Invalid value: 3: expected a list or map'],
    },
    {title: 'misses the list to walk', tree: '~.list: 1', value: '{}', faults: [/^list: Required value/]},
    {title: 'binds the index of an element', tree: '~i.list: ($i)', value: 'list: [0, 1, 2]'},
    {
      title: 'binds a value for what is below',
      tree: 'spec->s:\n  (size): ($s.size)\n  (same == $s.size): true',
      value: 'spec: {size: 3, same: 3}',
    },
    {title: 'binds what an expression gives', tree: '(max(list))->top:\n  (@ == $top): true', value: 'list: [1, 5, 2]'},
    {title: 'binds texts with quotes of every kind', tree: 'a->x:\n  (@ == $x): true', value: 'a: "`\'\\"\\\\"'},
    {title: 'leaves dollars in texts alone', tree: "(a == '$x'): true", value: 'a: $x'},
    {title: 'leaves dollars after an escaped quote alone', tree: "? (a == 'it\\'s $x')\n: true", value: "a: it's $x"},
    {title: 'takes an escaped key as it is', tree: '\\(a)\\: 1', value: '(a): 1'},
    {title: 'takes an escaped value as it is', tree: 'a: \\(b)\\', value: 'a: (b)'},
    {title: 'never reads what an object inherits', tree: 'constructor: {}', value: '{}', faults: [/Required value/]},
  ];
  for (const {title, tree, value, faults = []} of cases) {
    it(title, () => {
      const found = check(tree, value);
      expect(found, found.join('\n')).toHaveLength(faults.length);
      faults.forEach((fault, index) => {
        if (typeof fault === 'string') expect(found[index]).toBe(fault);
        else expect(found[index]).toMatch(fault);
      });
    });
  }

  it('reads names that its caller binds', () => {
    expect(check('a: ($wanted)', 'a: 7', {wanted: 7})).toEqual([]);
  });

  it('says which name is not bound', () => {
    expect(() => check('a: ($nobody)', 'a: 7')).toThrow('$nobody is not bound');
  });

  it('says what cannot be evaluated', () => {
    expect(() => check('(length(a)): 1', 'a: 7')).toThrow('Invalid type for: 7');
  });

  const bad: readonly [string, string, string][] = [
    ['bad syntax in a key', '(a ||): 1', 'assert.(a ||)'],
    ['bad syntax in a value', 'a: (b..c)', 'assert.a'],
    ['bad syntax beside a name', 'a: ($b ||)', 'assert.a'],
    ['another language', 'a: (cel; object.x)', 'assert.a'],
  ];
  for (const [title, tree, path] of bad) {
    it(`refuses ${title} at its place`, () => {
      try {
        compileAssertion(parseYaml(tree), 'assert');
        expect.unreachable();
      } catch (error) {
        expect(error).toBeInstanceOf(CompileError);
        expect((error as CompileError).diagnostic.path).toBe(path);
      }
    });
  }

  it('is bounded by the budget', () => {
    const value = `list: [${Array.from({length: 5_000}, (_, index) => index).join(',')}]`;
    expect(() => check('~.list: {}', value, {}, 1_000)).toThrow(/limit of 1000 steps/);
  });

  it('tells at most a hundred differences', () => {
    expect(check('~.list: x', `list: [${'1,'.repeat(500)}1]`)).toHaveLength(100);
  });
});
