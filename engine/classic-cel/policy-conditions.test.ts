import {describe, expect, it} from 'vitest';
import {createRegexEngine} from '../../adapters/regex/regex-engine.js';
import {builtinResourceMap} from '../builtin-resources.js';
import {compilePolicy} from '../compile/compile-policy.js';
import {loadClassicPolicy} from '../policy/index.js';
import {createEngine} from '../run/create-engine.js';
import {PolicySnapshot} from '../snapshot/policy-snapshot.js';
import {policyOf} from '../testing/engines.js';
import {recordingLoader} from '../testing/recording-loader.js';
import {pod, requestOf} from '../testing/requests.js';
import type {EngineRequest} from '../types.js';

const regex = createRegexEngine();
const deadline = Number.POSITIVE_INFINITY;
const rule = '[{name: r, match: {any: [{resources: {kinds: [Pod]}}]}, validate: {pattern: {metadata: {name: x}}}}]';

function compiled(expression: string, matchConditions: 'by-engine' | 'by-api-server') {
  const spec = JSON.stringify({background: true, webhookConfiguration: {matchConditions: [{name: 'c', expression}]}});
  const {policy} = loadClassicPolicy(policyOf('p', rule, {spec}), {resources: builtinResourceMap});
  if (policy === undefined) throw new Error('the policy is no valid one');
  return compilePolicy(policy, {matchConditions, regex});
}

function engine(expression: string, by: 'by-engine' | 'by-api-server' = 'by-engine') {
  const {policy} = compiled(expression, by);
  if (policy === undefined) throw new Error('the policy does not compile');
  return createEngine({policies: {current: PolicySnapshot.of([policy], [])}, loader: recordingLoader(), regex});
}

const request: EngineRequest = requestOf({object: pod('a', {metadata: {name: 'a', labels: {team: 'blue'}}})});
const alone: EngineRequest = {...request, user: undefined, raw: {}};

describe('matchConditions of a classic policy', () => {
  it.each<[expression: string, results: number]>([
    ["object.metadata.labels.team == 'blue'", 1],
    ["object.metadata.labels.team == 'red'", 0],
    ["request.operation == 'CREATE' && oldObject == null", 1],
    // Nobody asks, so it is said who scans.
    ["!('system:nodes' in request.userInfo.groups)", 1],
    ["'system:masters' in request.userInfo.groups", 0],
    ['object.nope == 1', 0],
  ])('%s, judged by the engine', async (expression, results) => {
    const found = await engine(expression).validate(alone, {only: ['p'], bucket: 'all', deadline});
    expect(found.results).toHaveLength(results);
  });

  it('are judged in background scans, which no API server filters', async () => {
    const scan = (expression: string) => engine(expression, 'by-api-server').applyBackgroundChecks(alone, {bucket: 'all', deadline});
    expect((await scan("object.metadata.labels.team == 'blue'")).results).toHaveLength(1);
    expect((await scan("object.metadata.labels.team == 'red'")).results).toHaveLength(0);
    expect((await scan('not ( CEL')).results).toHaveLength(0);
  });

  it('are not judged again at admission', async () => {
    const found = await engine('false', 'by-api-server').validate(request, {only: ['p'], bucket: 'all', deadline});
    expect(found.results).toHaveLength(1);
  });

  it('must compile where the engine alone judges them', () => {
    expect(compiled('"a"', 'by-engine').problems[0]?.message).toBe(
      'match conditions compilation errors: Invalid value: "\\"a\\"": output is expected to be of type bool',
    );
  });
});
