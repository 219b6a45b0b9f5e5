import {join} from 'node:path';
import {describe, expect, it} from 'vitest';
import {discoverTests} from '../../cli/test/discover.js';
import type {JsonObject} from '../../engine/json/types.js';
import {compareCross, compareOwn, comparePair, type PolicyPair, policyPair, readPairs} from '../conformance/pairs.js';
import {conformanceRoot} from '../conformance/suites.js';

const labelPolicy = (label: string): JsonObject => ({
  apiVersion: 'kyverno.io/v1',
  kind: 'ClusterPolicy',
  metadata: {name: 'labels'},
  spec: {
    rules: [
      {
        name: 'label',
        match: {any: [{resources: {kinds: ['Pod']}}]},
        validate: {failureAction: 'Enforce', message: 'label it', pattern: {metadata: {labels: {[label]: '?*'}}}},
      },
    ],
  },
});

const pod: JsonObject = {apiVersion: 'v1', kind: 'Pod', metadata: {name: 'a', namespace: 'b', labels: {app: 'x'}}};

describe('the comparison of command and server', () => {
  const [app, team] = ['app', 'team'].map(label => policyPair(labelPolicy(label)) as PolicyPair);

  it('sees no difference between both sides of one policy', async () => {
    expect(await comparePair(app!, pod)).toEqual({results: 1, difference: undefined});
    expect(await comparePair(team!, pod)).toEqual({results: 1, difference: undefined});
  });

  it('tells of sides that differ', async () => {
    const {difference} = await comparePair({...app!, server: team!.server}, pod);
    expect(difference).toMatch(/labels on Pod\n {2}command: label pass .*\n {2}server: {2}label fail /);
  });

  it('takes no policy that both refuse', () => {
    expect(policyPair({...labelPolicy('app'), spec: {rules: [{name: 'nothing'}]}})).toBeUndefined();
  });
});

const root = conformanceRoot();

// test/standalone/cli-pairs.test.ts takes all suites.
describe.skipIf(root === undefined)(
  'command and server on every tenth suite (needs them beside the repository)',
  async () => {
    const found =
      root === undefined ? {tests: []} : await discoverTests(join(root, 'policies-cli'), 'kyverno-test.yaml');
    const pairs = await readPairs(found.tests.filter((_, index) => index % 10 === 0));

    it('judge the objects of the same suite alike', async () => {
      const {pairs: number, results, differences} = await compareOwn(pairs);
      expect(differences).toEqual([]);
      expect(number).toBeGreaterThan(50);
      expect(results).toBeGreaterThan(50);
    });

    it('judge 1,000 pairs of any policy and object alike', async () => {
      expect((await compareCross(pairs, {count: 1000, seed: 4})).differences).toEqual([]);
    });
  },
);
