import {describe, expect, it} from 'vitest';
import {engineRequest} from '../../test/guide/request.js';
import {builtinResourceMap} from '../builtin-resources.js';
import type {JsonObject} from '../json/types.js';
import {yamlObject} from '../policy/testing/build.js';
import {engineOf, policyOf, regex} from '../testing/engines.js';
import {recordingLoader} from '../testing/recording-loader.js';
import {coveragePoints, reachedPoints} from './coverage.js';
import {explainPolicy} from './explain-policy.js';

/** Paths below the rule, of points that some of the objects reached, and of those that none did. */
async function reach(rule: string, objects: readonly string[]) {
  const {cache} = engineOf([policyOf('p', `[${rule}]`)]);
  const [policy] = cache.current.policies.values();
  const reached = new Set<string>();
  for (const text of objects) {
    const request = engineRequest({operation: 'CREATE', object: yamlObject(text) as JsonObject});
    const explanation = await explainPolicy({
      policy: policy!,
      request,
      snapshot: cache.current,
      loader: recordingLoader(),
      regex,
      resources: builtinResourceMap,
    });
    for (const path of reachedPoints(explanation)) reached.add(path);
  }
  const points = coveragePoints(policy!.source).map(({path}) => path);
  const short = (path: string) => path.replace(/^spec\.rules\[0\]\.?/, '') || 'rule';
  return {
    reached: points.filter(path => reached.has(path)).map(short),
    missed: points.filter(path => !reached.has(path)).map(short),
  };
}

const pod = (spec: string) => `{apiVersion: v1, kind: Pod, metadata: {name: x}, spec: ${spec}}`;
const pods = 'match: {any: [{resources: {kinds: [Pod]}}]}';
const pattern = (text: string) => `{name: r, ${pods}, validate: {message: m, pattern: ${text}}}`;

describe('coverage', () => {
  it.each([
    [
      'a condition that held',
      pattern('{spec: {containers: [{(name): a, image: "?*"}]}}'),
      [pod('{containers: [{name: a, image: b}]}')],
      [],
    ],
    [
      'a condition that never held',
      pattern('{spec: {containers: [{(name): a, image: "?*"}]}}'),
      [pod('{containers: [{name: b, image: b}]}')],
      ['validate.pattern.spec.containers[0].(name)'],
    ],
    [
      'an equality anchor without its key',
      pattern('{spec: {=(hostPID): false}}'),
      [pod('{}')],
      ['validate.pattern.spec.=(hostPID)'],
    ],
    ['an equality anchor that failed', pattern('{spec: {=(hostPID): false}}'), [pod('{hostPID: true}')], []],
    ['a negation', pattern('{spec: {X(hostPID): true}}'), [pod('{}')], []],
    [
      'an anchor beside a failure: anchors come first',
      pattern('{spec: {containers: [{image: x}], =(volumes): [{name: a}], hostPID: true}}'),
      [pod('{containers: [{image: y}], volumes: [{name: a}]}')],
      [],
    ],
    [
      'a rule that selected nothing',
      pattern('{metadata: {name: x}}'),
      ['{apiVersion: v1, kind: Service, metadata: {name: x}}'],
      ['rule'],
    ],
    [
      'an any entry behind the first that held',
      `{name: r, ${pods}, validate: {message: m, deny: {conditions: {any: [{key: 1, operator: Equals, value: 1}, {key: 1, operator: Equals, value: 2}]}}}}`,
      [pod('{}')],
      ['validate.deny.conditions.any[1]'],
    ],
    [
      'an alternative that was not needed',
      `{name: r, ${pods}, validate: {message: m, anyPattern: [{metadata: {name: x}}, {metadata: {name: "y*"}}]}}`,
      [pod('{}')],
      ['validate.anyPattern[1]'],
    ],
    [
      'an exclude filter that nobody met',
      `{name: r, ${pods}, exclude: {any: [{resources: {names: [a]}}, {resources: {names: [x]}}]}, validate: {message: m, deny: {}}}`,
      [pod('{}')],
      ['rule', 'exclude.any[0]'],
    ],
    [
      'a loop without elements',
      `{name: r, ${pods}, validate: {message: m, foreach: [{list: request.object.spec.volumes, deny: {conditions: {all: [{key: 1, operator: Equals, value: 1}]}}}]}}`,
      [pod('{volumes: []}')],
      ['rule', 'validate.foreach[0]', 'validate.foreach[0].deny.conditions.all[0]'],
    ],
    [
      'a default that was there already',
      `{name: r, ${pods}, mutate: {patchStrategicMerge: {metadata: {labels: {+(a): b, +(c): d}}}}}`,
      ['{apiVersion: v1, kind: Pod, metadata: {name: x, labels: {a: b}}}'],
      ['mutate.patchStrategicMerge.metadata.labels.+(a)'],
    ],
  ] as const)('%s', async (_name, rule, objects, missed) => {
    expect((await reach(rule, objects)).missed).toEqual(missed);
  });

  it('counts what a derived rule reached for the rule that it is derived from', async () => {
    const deployment =
      '{apiVersion: apps/v1, kind: Deployment, metadata: {name: x}, spec: {template: {spec: {hostPID: false, containers: [{name: a, image: b}]}}}}';
    const cron =
      '{apiVersion: batch/v1, kind: CronJob, metadata: {name: x}, spec: {jobTemplate: {spec: {template: {spec: {hostIPC: false}}}}}}';
    const rule = pattern('{spec: {=(hostPID): false, =(hostIPC): false, =(hostNetwork): false}}');
    expect(await reach(rule, [deployment, cron])).toEqual({
      reached: ['rule', 'validate.pattern.spec.=(hostPID)', 'validate.pattern.spec.=(hostIPC)'],
      missed: ['validate.pattern.spec.=(hostNetwork)'],
    });
  });
});
