import {afterEach, beforeEach, describe, expect, it} from 'vitest';
import {createManualClock, type ManualClock} from '../../adapters/clock/manual-clock.js';
import {createKubeClient} from '../../adapters/kube/client.js';
import {fail, startTestApiServer, type TestApiServer} from '../../adapters/kube/testing/api-server.js';
import {eventually, eventuallyBy, turns} from '../../adapters/kube/testing/eventually.js';
import type {KubeClient} from '../../adapters/kube/types.js';
import {silentLog} from '../../adapters/log.js';
import {createLogger} from '../../adapters/log/logger.js';
import {builtinResourceMap} from '../../engine/builtin-resources.js';
import {compileState} from '../../engine/snapshot/policy-cache.js';
import {type ConditionTrials, createConditionTrials, type ServedState} from './condition-trials.js';

let server: TestApiServer;
let client: KubeClient;
let clock: ManualClock;
let trials: ConditionTrials;
let late: number;
/** What is answered to trials whose text holds the key; `silence` = nothing at all. */
let answers: Map<string, number | 'silence'>;

beforeEach(async () => {
  server = await startTestApiServer();
  clock = createManualClock();
  client = createKubeClient({kubeConfig: server.kubeConfig, userAgent: 'kyverno', qps: 0, burst: 0, log: silentLog, clock});
  late = 0;
  answers = new Map();
  server.intercept = ({body}, response) => {
    const text = JSON.stringify(body);
    for (const [word, answer] of answers) {
      if (!text.includes(word)) continue;
      return answer === 'silence' ? true : fail(response, {code: answer, reason: 'Invalid'});
    }
    return false;
  };
  trials = createConditionTrials({
    client,
    clock,
    log: createLogger({format: 'text', verbosity: 0, write: () => undefined}),
    onLateAnswer: () => (late += 1),
  });
});

afterEach(async () => {
  await trials.stop();
  client.close();
  await server.close();
});

interface Wording {
  readonly generation?: number;
  /** Empty = no conditions. */
  readonly expression?: string;
  readonly uid?: string;
}

function state(name: string, {generation = 1, expression = `${name}-${generation}`, uid = name}: Wording = {}): ServedState {
  const rule = {name: 'r', match: {any: [{resources: {kinds: ['ConfigMap']}}]}, validate: {message: 'm', pattern: {metadata: {name: '?*'}}}};
  const conditions = expression === '' ? {} : {webhookConfiguration: {matchConditions: [{name: 'own', expression: `'${expression}' != ''`}]}};
  const compiled = compileState(
    {apiVersion: 'kyverno.io/v1', kind: 'ClusterPolicy', metadata: {name, uid, generation}, spec: {background: false, rules: [rule], ...conditions}},
    {resources: () => builtinResourceMap, compile: {matchConditions: 'by-api-server'}},
  );
  if (compiled.status === 'refused') throw new Error(JSON.stringify(compiled.problems));
  return compiled as ServedState;
}

/** Keys and generations of what may be written, and keys of what is there as it is now. */
async function judged(states: readonly ServedState[], {patience = false} = {}) {
  const answer = trials.judge(states);
  if (patience) {
    await eventually(() => server.requests.length > 0);
    await turns();
    clock.advance(5_000);
  }
  const {policies, current} = await answer;
  return {
    policies: policies.map(({ref, source}) => `${ref.key}@${source.generation}`),
    current: current.map(({key}) => key),
  };
}

describe('trials of match conditions', () => {
  it('let the refused one out alone', async () => {
    answers.set('bad', 422);
    expect(await judged([state('bad'), state('good'), state('plain', {expression: ''})])).toEqual({
      policies: ['good@1', 'plain@1'],
      current: ['good', 'plain'],
    });
    expect(trials.refusal('bad')).toContain('refused by the API server');
  });

  it.each<[string, number | 'silence']>([
    ['silence', 'silence'],
    ['an error', 500],
  ])('without an answer (%s) hold nobody else up, and are repeated until there is one', async (_name, answer) => {
    answers.set('mute', answer);
    expect(await judged([state('mute'), state('good')], {patience: true})).toEqual({policies: ['good@1'], current: ['good']});
    // Nobody waits a second time.
    expect(await judged([state('mute'), state('good')])).toEqual({policies: ['good@1'], current: ['good']});
    answers.clear();
    await eventuallyBy(clock, 50, () => late === 1);
    expect(await judged([state('mute'), state('good')])).toMatchObject({current: ['mute', 'good']});
  });

  it('leave a policy as it was taken last while its change has no answer', async () => {
    expect(await judged([state('a')])).toEqual({policies: ['a@1'], current: ['a']});
    answers.set('a-2', 'silence');
    expect(await judged([state('a', {generation: 2})], {patience: true})).toEqual({policies: ['a@1'], current: []});
  });

  it('do not stand for another policy of the same name', async () => {
    await judged([state('a')]);
    answers.set('a-1', 'silence');
    expect(await judged([state('a', {uid: 'other'})], {patience: true})).toEqual({policies: [], current: []});
  });
});
