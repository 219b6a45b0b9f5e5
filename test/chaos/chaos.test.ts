import {afterAll, beforeAll, describe, expect, it} from 'vitest';
import {apiServerSuite} from './api-server.js';
import {certificateSuite} from './certificates.js';
import {floodSuite} from './flood.js';
import {replicaSuite} from './replicas.js';
import {lockoutSuite} from './lockout.js';
import {type ChaosCluster, startChaosCluster} from './support/chaos-cluster.js';

let chaos: ChaosCluster;

beforeAll(async () => {
  chaos = await startChaosCluster();
});

afterAll(async () => {
  await chaos?.stop();
});

const get = () => chaos;
describe('replicas that end', () => replicaSuite(get));
describe('certificates', () => certificateSuite(get));
describe('an API server that fails', () => apiServerSuite(get));
describe('a cluster that loses all replicas', () => lockoutSuite(get));
describe('broken policies', () => floodSuite(get));

describe('through all of this', () => {
  it('no replica met an error that it did not expect', () => {
    const stray = chaos
      .logs()
      .split('\n')
      .filter(line =>
        /uncaught exception|unhandled rejection|handler failed|callback failed|reflector ended/.test(line),
      );
    expect(stray).toEqual([]);
  });
});
