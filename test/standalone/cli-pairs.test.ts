import {join} from 'node:path';
import {describe, expect, it} from 'vitest';
import {discoverTests} from '../../cli/test/discover.js';
import {compareCross, compareOwn, type Pairs, readPairs} from '../conformance/pairs.js';
import {conformanceRoot} from '../conformance/suites.js';

const root = conformanceRoot();

// The full product: `npm run conformance -- --pairs`. Own policies: test/unit/cli-pairs.test.ts.
describe.skipIf(root === undefined)('command and server on all suites (needs them beside the repository)', () => {
  let pairs: Pairs;

  it('take and refuse the same policies', async () => {
    const folders = ['cli', 'policies-cli'].map(folder => discoverTests(join(root!, folder), 'kyverno-test.yaml'));
    pairs = await readPairs((await Promise.all(folders)).flatMap(({tests}) => tests));
    expect(pairs.disagreements).toEqual([]);
    expect(pairs.suites.flatMap(({policies}) => policies).length).toBeGreaterThan(200);
  });

  it('judge each policy on each object of its own suite alike', async () => {
    const {pairs: number, results, differences} = await compareOwn(pairs);
    expect(differences).toEqual([]);
    console.log(`own pairs: ${number}, results of rules: ${results}`);
    expect(results).toBeGreaterThan(1000);
  });

  it('judge 20,000 pairs of any policy and object alike', async () => {
    const {pairs: number, results, differences} = await compareCross(pairs, {count: 20_000, seed: 4});
    expect(differences).toEqual([]);
    console.log(`cross pairs: ${number}, results of rules: ${results}`);
    expect(results).toBeGreaterThan(1000);
  });
});
