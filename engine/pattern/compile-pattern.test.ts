import {describe, expect, it} from 'vitest';
import {Budget, defaultLimits} from '../budget.js';
import {BudgetError} from '../diagnostic.js';
import type {Json} from '../json/types.js';
import {compilePattern} from './compile-pattern.js';

const budget = (steps = defaultLimits.steps): Budget => new Budget({...defaultLimits, steps}, () => 0);

/** `pass`, `skip`, `error` or `fail <path>`. */
function verdict(resource: Json | undefined, pattern: Json): string {
  const result = compilePattern(pattern).match(resource, budget());
  return result.status === 'fail' ? `fail ${result.path}` : result.status;
}

function message(resource: Json | undefined, pattern: Json): string {
  const result = compilePattern(pattern).match(resource, budget());
  return result.status === 'pass' ? '' : result.message;
}

interface Row {
  readonly name: string;
  readonly resource: Json | undefined;
  readonly pattern: Json;
  readonly want: string;
}

const run = (rows: readonly Row[]): void => {
  it.each(rows)('$name', ({resource, pattern, want}) => {
    expect(verdict(resource, pattern)).toBe(want);
  });
};

describe('nodes', () => {
  run([
    {name: 'keys that the pattern does not name are ignored', resource: {a: 1, b: 2}, pattern: {a: 1}, want: 'pass'},
    {name: 'an empty pattern accepts everything', resource: 'x', pattern: {}, want: 'pass'},
    {name: 'an empty pattern accepts nothing at all', resource: undefined, pattern: {}, want: 'pass'},
    {name: 'a map pattern needs a map', resource: {a: 'x'}, pattern: {a: {b: 1}}, want: 'fail /a/'},
    {name: 'a map pattern does not take null', resource: {a: null}, pattern: {a: {b: 1}}, want: 'fail /a/'},
    {name: 'a map pattern does not take a list', resource: {a: []}, pattern: {a: {b: 1}}, want: 'fail /a/'},
    {name: 'a map pattern misses an absent map', resource: {}, pattern: {a: {b: 1}}, want: 'fail /a/'},
    {name: 'an empty map below the root still needs a map', resource: {a: 1}, pattern: {a: {}}, want: 'fail /a/'},
    {name: 'an empty map does not look inside', resource: {a: {b: 1}}, pattern: {a: {}}, want: 'pass'},
    {name: 'a list pattern needs a list', resource: {a: {}}, pattern: {a: [{b: 1}]}, want: 'fail /a/'},
    {name: 'a list pattern misses an absent list', resource: {}, pattern: {a: ['x']}, want: 'fail /a/'},
    {name: 'every element satisfies a scalar', resource: {a: ['x', 'x']}, pattern: {a: 'x'}, want: 'pass'},
    {name: 'one element that does not is enough', resource: {a: ['x', 'y']}, pattern: {a: 'x'}, want: 'fail /a/'},
    {name: 'an empty list satisfies every scalar', resource: {a: []}, pattern: {a: 'x'}, want: 'pass'},
    {name: 'no object at all fails at the root', resource: undefined, pattern: {a: 1}, want: 'fail /'},
    {name: 'prototype members are no data', resource: {}, pattern: {toString: '*'}, want: 'fail /'},
  ]);

  it('texts name types, values and places', () => {
    expect(message({a: 'x'}, {a: {b: 1}})).toBe(
      'pattern and resource have different structures. Path: /a/. Expected map[string]interface {}, found string',
    );
    expect(message({}, {a: {b: 1}})).toContain('found <nil>');
    expect(message({a: 1}, {a: ['x']})).toBe(
      'validation rule failed at path /a/, resource does not satisfy the expected overlay pattern',
    );
    expect(message({a: {b: 5}}, {a: {b: '>10'}})).toBe("resource value '5' does not match '>10' at path /a/b/");
    expect(message({a: [1, 2]}, {a: 1})).toBe("resource value '[1 2]' does not match '1' at path /a/");
    expect(message({a: []}, {a: []})).toBe('pattern Array empty');
  });

  it('texts about long values are short', () => {
    expect(message({a: 'x'.repeat(10_000)}, {a: 'y'}).length).toBeLessThan(400);
  });
});

describe('measured vectors', () => {
  const app = (value: Json): Json => ({metadata: {labels: {app: value}}});
  const global = {spec: {c: [{'<(image)': 'a*', p: 'x'}]}};
  run([
    {
      name: 'a global anchor leaves out the element it does not fit',
      resource: {
        spec: {
          c: [
            {image: 'a:1', p: 'x'},
            {image: 'b:1', p: 'y'},
          ],
        },
      },
      pattern: global,
      want: 'pass',
    },
    {
      name: 'and fails the one it fits',
      resource: {
        spec: {
          c: [
            {image: 'a:1', p: 'z'},
            {image: 'b:1', p: 'y'},
          ],
        },
      },
      pattern: global,
      want: 'fail /spec/c/0/p/',
    },
    {
      name: '`*` misses a label at its parent',
      resource: {metadata: {labels: {}}},
      pattern: app('*'),
      want: 'fail /metadata/labels/',
    },
    {
      name: '`?*` misses a label at its key',
      resource: {metadata: {labels: {}}},
      pattern: app('?*'),
      want: 'fail /metadata/labels/app/',
    },
    {name: '`?*` misses all labels', resource: {metadata: {}}, pattern: app('?*'), want: 'fail /metadata/labels/'},
    {name: 'an absent condition skips', resource: {spec: {b: 1}}, pattern: {spec: {'(a)': '1', b: 2}}, want: 'skip'},
    {
      name: 'an existence key found nowhere makes another failure an error',
      resource: {spec: {b: 1}},
      pattern: {spec: {'^(a)': [{x: 1}], b: 2}},
      want: 'error',
    },
    {
      name: 'existence fails without a fitting element',
      resource: {spec: {a: [{x: 2}]}},
      pattern: {spec: {'^(a)': [{x: 1}]}},
      want: 'fail /spec/a/',
    },
    {
      name: 'negation fails on presence',
      resource: {spec: {a: 1}},
      pattern: {spec: {'X(a)': 'null'}},
      want: 'fail /spec/a/',
    },
    {name: 'a missing number is below ten', resource: {spec: {}}, pattern: {spec: {a: '<10'}}, want: 'pass'},
    {name: 'a missing number is not five', resource: {spec: {}}, pattern: {spec: {a: '!5'}}, want: 'pass'},
    {name: 'a missing value is null', resource: {spec: {}}, pattern: {spec: {a: null}}, want: 'pass'},
    {
      name: 'a missing text is not even another text',
      resource: {spec: {}},
      pattern: {spec: {a: '!abc'}},
      want: 'fail /spec/a/',
    },
    {name: 'an empty list is null', resource: {spec: {a: []}}, pattern: {spec: {a: null}}, want: 'pass'},
    {name: 'false is null', resource: {spec: {a: false}}, pattern: {spec: {a: null}}, want: 'pass'},
    {
      name: 'every element of a list against a text',
      resource: {spec: {a: ['x', 'y']}},
      pattern: {spec: {a: 'x'}},
      want: 'fail /spec/a/',
    },
    {
      name: 'only the first scalar of a pattern list counts',
      resource: {spec: {a: ['x', 'y']}},
      pattern: {spec: {a: ['x', 'y']}},
      want: 'fail /spec/a/',
    },
    {
      name: 'an empty pattern list fails',
      resource: {spec: {a: ['x']}},
      pattern: {spec: {a: []}},
      want: 'fail /spec/a/',
    },
    {
      name: 'a missing map fails at its place',
      resource: {spec: {c: [{name: 'x'}]}},
      pattern: {spec: {c: [{sc: {p: false}}]}},
      want: 'fail /spec/c/0/sc/',
    },
    {name: 'a text matches a boolean', resource: {a: true}, pattern: {a: 'true'}, want: 'pass'},
    {name: 'a boolean does not match a text', resource: {a: 'true'}, pattern: {a: true}, want: 'fail /a/'},
    {
      name: 'a condition below a plain key skips',
      resource: {spec: {sc: {u: 1}, b: 1}},
      pattern: {spec: {sc: {'(u)': 2}, b: 2}},
      want: 'skip',
    },
    {
      name: 'and below an equality anchor',
      resource: {spec: {sc: {u: 1}, b: 1}},
      pattern: {spec: {'=(sc)': {'(u)': 2}, b: 2}},
      want: 'skip',
    },
    {name: 'quantities', resource: {a: '1Gi'}, pattern: {a: '>=1024Mi'}, want: 'pass'},
    {name: 'durations', resource: {a: '90s'}, pattern: {a: '<2m'}, want: 'pass'},
    {name: 'ranges of quantities', resource: {a: '512Mi'}, pattern: {a: '256Mi-1Gi'}, want: 'pass'},
    {name: 'a number matches a wildcard by its digits', resource: {a: 80}, pattern: {a: '8*'}, want: 'pass'},
    {
      name: 'a wildcard key in labels',
      resource: {metadata: {labels: {'corp.io/x': '1'}}},
      pattern: {metadata: {labels: {'corp.io/*': '?*'}}},
      want: 'pass',
    },
    {
      name: '`?*` fails on an empty map',
      resource: {spec: {c: [{resources: {limits: {}}}]}},
      pattern: {spec: {c: [{resources: {limits: '?*'}}]}},
      want: 'fail /spec/c/0/resources/limits/',
    },
  ]);
});

describe('nesting examples', () => {
  const latest = {spec: {containers: [{'(image)': '*:latest', imagePullPolicy: 'Always'}]}};
  const host = {spec: {'(hostNetwork)': true, x: '1'}};
  run([
    {name: 'hostNetwork absent', resource: {spec: {}}, pattern: host, want: 'skip'},
    {name: 'hostNetwork false', resource: {spec: {hostNetwork: false}}, pattern: host, want: 'skip'},
    {
      name: 'hostNetwork true and the rest wrong',
      resource: {spec: {hostNetwork: true}},
      pattern: host,
      want: 'fail /spec/x/',
    },
    {
      name: 'equality anchors pass over what is absent',
      resource: {spec: {}},
      pattern: {spec: {'=(securityContext)': {'=(runAsNonRoot)': true}}},
      want: 'pass',
    },
    {
      name: 'one latest image with the wrong policy, one pinned',
      resource: {
        spec: {
          containers: [
            {image: 'a:latest', imagePullPolicy: 'Never'},
            {image: 'b:1', imagePullPolicy: 'Never'},
          ],
        },
      },
      pattern: latest,
      want: 'fail /spec/containers/0/imagePullPolicy/',
    },
    {
      name: 'all pinned',
      resource: {spec: {containers: [{image: 'a:1'}, {image: 'b:1'}]}},
      pattern: latest,
      want: 'skip',
    },
    {
      name: 'no sidecar',
      resource: {spec: {containers: [{name: 'a'}]}},
      pattern: {spec: {'^(containers)': [{name: 'sidecar'}]}},
      want: 'fail /spec/containers/',
    },
    {
      name: 'hostPID false is present',
      resource: {spec: {hostPID: false}},
      pattern: {spec: {'X(hostPID)': 'null'}},
      want: 'fail /spec/hostPID/',
    },
    {
      name: 'no initContainers',
      resource: {spec: {}},
      pattern: {spec: {initContainers: [{image: 'x/*'}]}},
      want: 'fail /spec/initContainers/',
    },
  ]);
});

describe('anchors', () => {
  run([
    {
      name: 'a condition that holds lets the map be judged',
      resource: {a: 1, b: 1},
      pattern: {'(a)': 1, b: 2},
      want: 'fail /b/',
    },
    {name: 'all conditions must hold', resource: {a: 1, c: 1, b: 1}, pattern: {'(a)': 1, '(c)': 2, b: 2}, want: 'skip'},
    {
      name: 'a present null is present for a condition',
      resource: {a: null, b: 1},
      pattern: {'(a)': null, b: 2},
      want: 'fail /b/',
    },
    {
      name: 'an equality anchor on a present null judges it',
      resource: {a: null},
      pattern: {'=(a)': 'x'},
      want: 'fail /a/',
    },
    {name: 'equality anchors judge normally', resource: {a: {b: 2}}, pattern: {'=(a)': {b: 1}}, want: 'fail /a/b/'},
    {
      name: 'equality with null refuses any real value',
      resource: {a: {path: '/'}},
      pattern: {'=(a)': null},
      want: 'fail /a/',
    },
    {name: 'negation passes over an absent key', resource: {}, pattern: {'X(a)': 'null'}, want: 'pass'},
    {name: 'negation refuses a present null', resource: {a: null}, pattern: {'X(a)': 'null'}, want: 'fail /a/'},
    {
      name: 'a failed condition goes before a negation',
      resource: {a: 1, b: 1},
      pattern: {'(a)': 2, 'X(b)': 'null'},
      want: 'skip',
    },
    {
      name: 'a failed condition goes before an equality',
      resource: {a: 1, b: 1},
      pattern: {'(a)': 2, '=(b)': 2},
      want: 'skip',
    },
    {name: 'global: absent is fine', resource: {b: 1}, pattern: {'<(a)': 1, b: 1}, want: 'pass'},
    {name: 'global: unsatisfied skips', resource: {a: 2, b: 1}, pattern: {'<(a)': 1, b: 2}, want: 'skip'},
    {name: 'global: satisfied judges', resource: {a: 1, b: 1}, pattern: {'<(a)': 1, b: 2}, want: 'fail /b/'},
    {
      name: 'a global anchor below goes before plain keys of the map',
      resource: {a: 1, z: {k: 2}},
      pattern: {a: 2, z: {'<(k)': 1}},
      want: 'skip',
    },
    {
      name: 'of two keys with anchors below the later one goes first',
      resource: {a: {k: 2}, z: {m: 1}},
      pattern: {a: {'<(k)': 1}, z: {'=(m)': 2}},
      want: 'fail /z/m/',
    },
    {name: 'plain keys fail in alphabetical order', resource: {b: 1, a: 1}, pattern: {b: 2, a: 2}, want: 'fail /a/'},
    {name: 'existence: absent is fine', resource: {}, pattern: {'^(a)': [{x: 1}]}, want: 'pass'},
    {
      name: 'existence: one element is enough',
      resource: {a: [{x: 2}, {x: 1}]},
      pattern: {'^(a)': [{x: 1}]},
      want: 'pass',
    },
    {
      name: 'existence: every map of the pattern',
      resource: {a: [{x: 1}]},
      pattern: {'^(a)': [{x: 1}, {x: 2}]},
      want: 'fail /a/',
    },
    {
      name: 'existence: different elements for different maps',
      resource: {a: [{x: 2}, {x: 1}]},
      pattern: {'^(a)': [{x: 1}, {x: 2}]},
      want: 'pass',
    },
    {name: 'existence: empty list', resource: {a: []}, pattern: {'^(a)': [{x: 1}]}, want: 'fail /a/'},
    {name: 'existence: no list', resource: {a: 'x'}, pattern: {'^(a)': [{x: 1}]}, want: 'fail /a/'},
    {
      name: 'existence with a pattern that is no list of maps is an error',
      resource: {a: []},
      pattern: {'^(a)': 'x'},
      want: 'error',
    },
    {name: 'add-if-absent is an error', resource: {a: 1}, pattern: {'+(a)': 1}, want: 'error'},
    {
      name: 'a skip from below goes on as long as another anchor held',
      resource: {a: {k: 1}, c: 1, b: 1},
      pattern: {'=(a)': {'(k)': 2}, '=(c)': 1, b: 2},
      want: 'fail /b/',
    },
    {
      name: 'a failed direct condition skips although another anchor held',
      resource: {a: 2, c: 1, b: 1},
      pattern: {'(a)': 1, '=(c)': 1, b: 2},
      want: 'skip',
    },
    {
      name: 'a condition key found only in a sibling element still counts as found',
      resource: {l: [{a: 1, b: 1}, {b: 1}]},
      pattern: {l: [{'(a)': 1, b: 2}]},
      want: 'fail /l/0/b/',
    },
  ]);

  it('texts of skips say which anchor and where', () => {
    expect(message({spec: {hostNetwork: false}}, {spec: {'(hostNetwork)': true}})).toBe(
      "conditional anchor mismatch: resource value 'false' does not match 'true' at path /spec/hostNetwork/",
    );
    expect(message({spec: {}}, {spec: {'(hostNetwork)': true}})).toBe(
      'conditional anchor mismatch: key hostNetwork not found at path /spec/',
    );
    expect(message({a: 2}, {'<(a)': 1})).toContain('global anchor mismatch');
    expect(message({l: [{a: 1}, {a: 2}]}, {l: [{'(a)': 3}]})).toBe(
      "conditional anchor mismatch: resource value '1' does not match '3' at path /l/0/a/; " +
        "conditional anchor mismatch: resource value '2' does not match '3' at path /l/1/a/",
    );
    expect(message({a: 1}, {'X(a)': 'null'})).toBe('negation anchor matched in resource: /a/ is not allowed');
  });

  it('an invalid pattern says where it stands', () => {
    const result = compilePattern({'+(a)': 1}, 'spec.rules[0].validate.pattern').match({}, budget());
    expect(result).toMatchObject({status: 'error', message: expect.stringContaining('spec.rules[0].validate.pattern')});
  });
});

describe('lists', () => {
  run([
    {name: 'an empty list passes', resource: {l: []}, pattern: {l: [{a: 1}]}, want: 'pass'},
    {
      name: 'a failing element fails the rule',
      resource: {l: [{a: 1}, {a: 2}]},
      pattern: {l: [{a: 1}]},
      want: 'fail /l/1/a/',
    },
    {
      name: 'skipping elements are set aside',
      resource: {l: [{k: 1, a: 1}, {k: 2}]},
      pattern: {l: [{'(k)': 1, a: 1}]},
      want: 'pass',
    },
    {
      name: 'a failure after a skip still fails',
      resource: {l: [{k: 2}, {k: 1, a: 2}]},
      pattern: {l: [{'(k)': 1, a: 1}]},
      want: 'fail /l/1/a/',
    },
    {
      name: 'every map of a pattern list holds for every element',
      resource: {l: [{a: 1, b: 1}]},
      pattern: {l: [{a: 1}, {b: 1}]},
      want: 'pass',
    },
    {
      name: 'the second map of a pattern list is not ignored',
      resource: {l: [{a: 1}]},
      pattern: {l: [{a: 1}, {b: 1}]},
      want: 'fail /l/0/b/',
    },
    {
      name: 'resources and livenessProbe must exist in each container',
      resource: {l: [{resources: {limits: {cpu: '1'}}, livenessProbe: {periodSeconds: 5}}]},
      pattern: {l: [{resources: '?*'}, {livenessProbe: '?*'}]},
      want: 'pass',
    },
    {name: 'an element of another type fails', resource: {l: [1]}, pattern: {l: [{a: 1}]}, want: 'fail /l/0/'},
    {
      name: 'lists of lists go index by index',
      resource: {l: [['a'], ['b', 'b']]},
      pattern: {l: [['a'], ['b']]},
      want: 'pass',
    },
    {
      name: 'lists of lists report the place',
      resource: {l: [['a'], ['c']]},
      pattern: {l: [['a'], ['b']]},
      want: 'fail /l/1/',
    },
    {
      name: 'fewer lists than the pattern has is an error',
      resource: {l: [['a']]},
      pattern: {l: [['a'], ['b']]},
      want: 'error',
    },
  ]);
});

describe('existence of objects and lists', () => {
  run([
    {name: '`?*` on a map with content', resource: {a: {b: 1}}, pattern: {a: '?*'}, want: 'pass'},
    {name: '`?*` on an empty map', resource: {a: {}}, pattern: {a: '?*'}, want: 'fail /a/'},
    {name: '`?*` on a missing field', resource: {}, pattern: {a: '?*'}, want: 'fail /a/'},
    {name: '`?*` on null', resource: {a: null}, pattern: {a: '?*'}, want: 'fail /a/'},
    {name: '`?*` on a list of maps', resource: {a: [{}]}, pattern: {a: '?*'}, want: 'pass'},
    {
      name: '`?*` on a list of texts looks at the texts',
      resource: {a: ['x', '']},
      pattern: {a: '?*'},
      want: 'fail /a/',
    },
    {name: '`?*` as a condition', resource: {a: {b: 1}, c: 1}, pattern: {'(a)': '?*', c: 2}, want: 'fail /c/'},
    {name: '`*` on a map', resource: {a: {}}, pattern: {a: '*'}, want: 'pass'},
    {name: '`*` on an empty list', resource: {a: []}, pattern: {a: '*'}, want: 'pass'},
    {name: '`*` on an empty text', resource: {a: ''}, pattern: {a: '*'}, want: 'pass'},
    {name: '`*` on null', resource: {a: null}, pattern: {a: '*'}, want: 'fail /'},
    {name: 'another wildcard on a map', resource: {a: {b: 1}}, pattern: {a: 'm*'}, want: 'fail /a/'},
  ]);
});

describe('wildcard keys under metadata', () => {
  const labels = {metadata: {labels: {app: 'x', 'corp.io/team': 'red'}}};
  run([
    {
      name: 'the matching key is judged',
      resource: labels,
      pattern: {metadata: {labels: {'corp.io/*': 'blue'}}},
      want: 'fail /metadata/labels/corp.io/team/',
    },
    {
      name: 'no matching key is a missing key',
      resource: labels,
      pattern: {metadata: {labels: {'none/*': '?*'}}},
      want: 'fail /metadata/labels/none/*/',
    },
    {
      name: 'anchors are kept',
      resource: labels,
      pattern: {metadata: {labels: {'X(corp.io/*)': 'null'}}},
      want: 'fail /metadata/labels/corp.io/team/',
    },
    {
      name: 'anchors on the way are looked through',
      resource: labels,
      pattern: {'=(metadata)': {'=(labels)': {'=(corp*)': 'blue'}}},
      want: 'fail /metadata/labels/corp.io/team/',
    },
    {
      name: 'annotations too',
      resource: {metadata: {annotations: {'a/b': '1'}}},
      pattern: {metadata: {annotations: {'a/?': '1'}}},
      want: 'pass',
    },
    {
      name: 'at any depth',
      resource: {spec: {template: labels}},
      pattern: {spec: {template: {metadata: {labels: {'a??': 'x'}}}}},
      want: 'pass',
    },
    {
      name: 'entries that are no texts are not compared',
      resource: labels,
      pattern: {metadata: {labels: {app: 5}}},
      want: 'pass',
    },
    {
      name: 'nowhere else',
      resource: {spec: {labels: {app: 'x'}}},
      pattern: {spec: {labels: {'a*': 'x'}}},
      want: 'fail /spec/labels/a*/',
    },
    {
      name: 'not in metadata itself',
      resource: {metadata: {name: 'x'}},
      pattern: {metadata: {'n*': 'x'}},
      want: 'fail /metadata/n*/',
    },
  ]);
});

describe('budget and safety', () => {
  it('long lists end with the budget', () => {
    const list: Json[] = Array.from({length: 10_000}, () => 'x');
    const compiled = compilePattern({a: 'x'});
    expect(() => compiled.match({a: list}, budget(100))).toThrow(BudgetError);
    expect(() => compilePattern({'^(a)': [{b: 1}]}).match({a: list}, budget(100))).toThrow(BudgetError);
  });

  it('a pattern nested without end is an error, not a crash', () => {
    let pattern: Json = 'x';
    let resource: Json = 'x';
    for (let depth = 0; depth < 20_000; depth++) {
      pattern = {'=(a)': pattern};
      resource = {a: resource};
    }
    expect(compilePattern(pattern).match(resource, budget()).status).toBe('error');
  });

  it('random patterns on random objects never throw', () => {
    const next = random(11);
    for (let round = 0; round < 4000; round++) {
      const pattern = randomValue(next, 4, true);
      const resource = randomValue(next, 4, false);
      const result = compilePattern(pattern).match(resource, budget());
      expect(['pass', 'skip', 'fail', 'error']).toContain(result.status);
      if (result.status === 'fail') expect(result.path).toMatch(/^\/(.*\/)?$/);
    }
  });

  it('the same match twice gives the same answer', () => {
    const next = random(5);
    for (let round = 0; round < 500; round++) {
      const compiled = compilePattern(randomValue(next, 4, true));
      const resource = randomValue(next, 4, false);
      expect(compiled.match(resource, budget())).toEqual(compiled.match(resource, budget()));
    }
  });
});

function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return state >> 8;
  };
}

const names = ['a', 'b', 'metadata', 'labels', '__proto__', 'constructor'];
const anchored = ['(a)', '=(b)', 'X(a)', '^(b)', '<(a)', '+(b)', '(labels)', '=(metadata)', 'a*', '()'];
const scalars: readonly Json[] = [
  'x',
  '',
  '1',
  '1Gi',
  '5m',
  '>=1',
  '!x',
  '1-5',
  '5!-9',
  'a*',
  '?*',
  '*',
  '|',
  '&',
  '!',
  '<',
  'x | y & !z',
  0,
  1,
  1.5,
  -1,
  2n ** 60n,
  true,
  false,
  null,
];

function randomValue(next: () => number, depth: number, isPattern: boolean): Json {
  const shape = next() % 6;
  if (depth === 0 || shape < 2) return scalars[next() % scalars.length] ?? null;
  if (shape === 2) return Array.from({length: next() % 4}, () => randomValue(next, depth - 1, isPattern));
  const keys = isPattern ? [...names, ...anchored] : names;
  const entries = Array.from(
    {length: next() % 4},
    () => [keys[next() % keys.length] ?? 'a', randomValue(next, depth - 1, isPattern)] as const,
  );
  return Object.fromEntries(entries);
}
