import {describe, expect, it} from 'vitest';
import type {Json, JsonObject} from '../../engine/json/types.js';
import {Float} from '../../engine/json/types.js';
import {restoreNulls} from './restore-nulls.js';

function policy(spec: Json, written: Json | string): JsonObject {
  const text = typeof written === 'string' ? written : JSON.stringify({spec: written});
  const annotations = {'kubectl.kubernetes.io/last-applied-configuration': text};
  return {kind: 'ClusterPolicy', metadata: {name: 'p', annotations}, spec};
}

function rule(body: JsonObject): JsonObject {
  return {rules: [{name: 'r', ...body}]};
}

describe('nulls that kubectl took out are put back', () => {
  const rows: [string, Json, Json, string[]][] = [
    [
      'in a pattern',
      rule({validate: {pattern: {spec: {'=(volumes)': [{name: '*'}]}}}}),
      rule({validate: {pattern: {spec: {'=(volumes)': [{'=(hostPath)': null, name: '*'}]}}}}),
      ['spec.rules[0].validate.pattern.spec.=(volumes)[0].=(hostPath)'],
    ],
    [
      'in a patch',
      rule({mutate: {patchStrategicMerge: {a: 1}}}),
      rule({mutate: {patchStrategicMerge: {a: 1, b: null}}}),
      ['spec.rules[0].mutate.patchStrategicMerge.b'],
    ],
    [
      'in an alternative',
      rule({validate: {anyPattern: [{}, {b: 1}]}}),
      rule({validate: {anyPattern: [{a: null}, {b: 1}]}}),
      ['spec.rules[0].validate.anyPattern[0].a'],
    ],
    [
      'as a default',
      rule({context: [{name: 'c', variable: {jmesPath: 'x'}}]}),
      rule({context: [{name: 'c', variable: {jmesPath: 'x', default: null}}]}),
      ['spec.rules[0].context[0].variable.default'],
    ],
    [
      'in a list that lost them',
      rule({generate: {data: {a: [1, 2]}}}),
      rule({generate: {data: {a: [1, null, 2]}}}),
      ['spec.rules[0].generate.data.a[1]'],
    ],
    [
      'beside an edit elsewhere',
      {background: false, ...rule({validate: {pattern: {}}})},
      {background: true, ...rule({validate: {pattern: {a: null}}})},
      ['spec.rules[0].validate.pattern.a'],
    ],
  ];
  it.each(rows)('%s', (_, stored, written, restored) => {
    const outcome = restoreNulls(policy(stored, written));
    expect(outcome.restored).toEqual(restored);
    const expected = (written as JsonObject)['rules'];
    expect((outcome.object['spec'] as JsonObject)['rules']).toEqual(expected);
  });

  it('and the numbers of the object stay exact', () => {
    const stored = rule({validate: {pattern: {big: 9007199254740993n, whole: new Float(1)}}});
    const text =
      '{"spec":{"rules":[{"name":"r","validate":{"pattern":{"big":9007199254740993,"whole":1.0,"gone":null}}}]}}';
    expect(restoreNulls(policy(stored, text)).object['spec']).toEqual(
      rule({validate: {pattern: {big: 9007199254740993n, whole: new Float(1), gone: null}}}),
    );
  });
});

describe('an object stays as it is', () => {
  const stored = rule({validate: {pattern: {a: '1'}}});
  const rows: [string, JsonObject][] = [
    ['without an annotation', {kind: 'Policy', metadata: {name: 'p'}, spec: stored}],
    ['when nothing was null', policy(stored, stored)],
    [
      'when the null is still there',
      policy(rule({validate: {pattern: {a: null}}}), rule({validate: {pattern: {a: null}}})),
    ],
    ['when the pattern was changed since', policy(stored, rule({validate: {pattern: {a: '2', b: null}}}))],
    [
      'when the pattern has grown since',
      policy(rule({validate: {pattern: {a: '1', c: 1}}}), rule({validate: {pattern: {a: '1', b: null}}})),
    ],
    [
      'when the rule has another name',
      policy(stored, {rules: [{name: 'other', validate: {pattern: {a: '1', b: null}}}]}),
    ],
    [
      'when there are more rules now',
      policy(stored, {rules: [{name: 'r', validate: {pattern: {a: '1', b: null}}}, {name: 's'}]}),
    ],
    [
      'when a typed field was null, which says nothing',
      policy(stored, rule({exclude: null, validate: {pattern: {a: '1'}}})),
    ],
    ['when the annotation is broken', policy(stored, '{"spec": null')],
    ['when the annotation is no object', policy(stored, 'null')],
    ['when a text looks like a number', policy(stored, rule({validate: {pattern: {a: 1, b: null}}}))],
  ];
  it.each(rows)('%s', (_, object) => {
    const outcome = restoreNulls(object);
    expect(outcome.restored).toEqual([]);
    expect(outcome.object).toBe(object);
  });
});
