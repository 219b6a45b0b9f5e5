import {afterAll, beforeAll, describe, expect, it} from 'vitest';
import {replicas, runSeeds, shownDifferences} from '../soak/property/run-seeds.js';
import {type OperatorCluster, startOperatorCluster} from './support/operator-cluster.js';

/** `PROPERTY_SEEDS=7,8` runs those again; `npm run soak -- property` runs many. */
const seeds = process.env['PROPERTY_SEEDS']?.split(',').map(Number) ?? Array.from({length: 15}, (_, index) => index + 1);
let operator: OperatorCluster;

beforeAll(async () => {
  operator = await startOperatorCluster({replicas});
});
afterAll(() => operator?.stop());

describe('whatever is done in whatever order, and whoever is killed meanwhile', () => {
  it(`the end is that of a fresh run (seeds ${seeds.join(', ')})`, async () => {
    const differences = await runSeeds(operator, seeds);
    expect(differences.map(({seed}) => seed), shownDifferences(differences)).toEqual([]);
  }, 900_000);
});
