import {describe, expect, it} from 'vitest';
import type {CompiledPolicy} from '../compile/types.js';
import {deadline, engineOf, policyOf, regex} from '../testing/engines.js';
import {recordingLoader} from '../testing/recording-loader.js';
import {call, celEngineOf, celPolicy} from '../cel-policies/testing/cel-engines.js';
import {pod, requestOf} from '../testing/requests.js';
import {createEngine} from '../run/create-engine.js';
import {Quarantine, type QuarantineState} from './quarantine.js';

interface Kept {
  readonly quarantine: Quarantine;
  readonly changes: Array<QuarantineState | undefined>;
  time: number;
}

function kept(): Kept {
  const changes: Array<QuarantineState | undefined> = [];
  const self: Kept = {
    changes,
    time: 0,
    quarantine: new Quarantine({now: () => self.time, strikes: 3, pauseMs: 120_000, onChange: (_policy, state) => changes.push(state)}),
  };
  return self;
}

const rule = '[{name: r, match: {any: [{resources: {kinds: [Pod]}}]}, validate: {message: bad, pattern: {metadata: {name: "?*"}}}}]';
const request = requestOf({object: pod('a')});

/** An engine whose one policy has a bug of ours in it as long as `broken` says so; counts its runs. */
function classic(state: Kept, broken: () => boolean) {
  const {cache} = engineOf([policyOf('p', rule)]);
  const policy = cache.current.byKey('p')!;
  let runs = 0;
  const [first] = policy.validateRules;
  const changed = {
    ...policy,
    validateRules: [
      {
        ...first!,
        check(...parts: Parameters<NonNullable<typeof first>['check']>) {
          runs += 1;
          if (broken()) throw new TypeError('a bug');
          return first!.check(...parts);
        },
      },
    ],
  } as CompiledPolicy;
  const current = {
    validateCandidates: () => ({all: [1], select: () => [{policy: changed, rules: changed.validateRules}]}),
    exceptionsFor: () => [],
  };
  const engine = createEngine({policies: {current} as never, loader: recordingLoader(), regex, quarantine: state.quarantine});
  const ask = async () => (await engine.validate(request, {bucket: 'all', deadline})).results[0]!.rules[0]!;
  return {ask, runs: () => runs};
}

describe('a policy with a bug of ours in it', () => {
  it('is kept away after some failures in a row, tried once after the pause, and let go when it is well', async () => {
    const state = kept();
    let broken = true;
    const {ask, runs} = classic(state, () => broken);
    for (let round = 0; round < 3; round += 1) expect((await ask()).message).toBe('internal error: a bug');
    expect(state.changes).toMatchObject([{message: expect.stringContaining('policy p is quarantined after 3 internal errors in a row')}]);
    for (let round = 0; round < 5; round += 1) expect(await ask()).toMatchObject({status: 'error', message: state.changes[0]!.message});
    expect(runs()).toBe(3);
    state.time = 120_000;
    expect((await ask()).message).toBe('internal error: a bug');
    expect((await ask()).message).toBe(state.changes[0]!.message);
    expect(runs()).toBe(4);
    state.time = 240_000;
    broken = false;
    expect((await ask()).status).toBe('pass');
    expect((await ask()).status).toBe('pass');
    expect(state.changes).toEqual([expect.anything(), undefined]);
  });

  it('goes on when it is well in between', async () => {
    const state = kept();
    let round = 0;
    const {ask} = classic(state, () => round % 3 !== 2);
    for (; round < 12; round += 1) await ask();
    expect(state.changes).toEqual([]);
  });
});

describe('a policy that cannot be evaluated for what it is asked about', () => {
  it('is run every time', async () => {
    const state = kept();
    const missing = '[{name: r, match: {any: [{resources: {kinds: [Pod]}}]}, validate: {message: "{{ request.object.nope }}", deny: {conditions: {all: [{key: "{{ request.object.nope.nope }}", operator: Equals, value: 1}]}}}}]';
    const {engine} = engineOf([policyOf('p', missing)], {engine: {quarantine: state.quarantine}});
    for (let round = 0; round < 5; round += 1) {
      const {results} = await engine.validate(request, {bucket: 'all', deadline});
      expect(results[0]!.rules[0]!.status).toBe('error');
    }
    expect(state.changes).toEqual([]);
  });
});

describe('a policy that uses up all its steps', () => {
  it('is kept away, classic', async () => {
    const state = kept();
    const {engine} = engineOf([policyOf('p', rule)], {engine: {quarantine: state.quarantine, limits: {steps: 1}}});
    for (let round = 0; round < 4; round += 1) await engine.validate(request, {bucket: 'all', deadline});
    expect(state.changes).toMatchObject([{message: expect.stringContaining('used up all their steps')}]);
    const {results} = await engine.validate(request, {bucket: 'all', deadline});
    expect(results[0]).toMatchObject({failurePolicy: 'Fail', rules: [{status: 'error', message: state.changes[0]!.message}]});
  });

  it('is kept away, in CEL', async () => {
    const state = kept();
    const spec = '{matchConstraints: {resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [pods]}]}, validations: [{expression: "[1,2,3,4,5,6,7,8].all(a, [1,2,3,4,5,6,7,8].all(b, a + b > 0))"}]}';
    const engine = celEngineOf([celPolicy('ValidatingPolicy', spec)], {engine: {quarantine: state.quarantine, limits: {steps: 10}}});
    for (let round = 0; round < 4; round += 1) await engine.validate(request, call);
    expect(state.changes).toMatchObject([{message: expect.stringContaining('quarantined')}]);
    const {results} = await engine.validate(request, call);
    expect(results[0]).toMatchObject({rules: [{status: 'error', message: state.changes[0]!.message}]});
  });
});
