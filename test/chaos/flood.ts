import {expect, it} from 'vitest';
import {eventually} from '../cluster/eventually.js';
import {collectionOf, type Thing, write} from '../e2e/support/policies.js';
import {scrape, total} from '../e2e/support/replicas.js';
import {cacheOf} from './support/caches.js';
import type {ChaosCluster} from './support/chaos-cluster.js';
import {overwriteSpec} from './support/etcd.js';
import {startLoad} from './support/load.js';
import {brokenRules, namespace, passing} from './support/policies.js';
import {expectNothingWrong, print, tally} from './support/report.js';

const size = 200;
const seed = 20_260_821;
const nameOf = (index: number) => `flood-${String(index).padStart(3, '0')}`;
const isBroken = (index: number) => index % 2 === 1;

/** Policies that no webhook would let in reach the store, and change at random while requests run. */
export function floodSuite(get: () => ChaosCluster): void {
  it(`${size} policies of which half are broken, edited at random, end no process and change no verdict`, async () => {
    const chaos = get();
    await chaos.whole();
    const before = chaos.agent.replicas().map(({pid}) => pid);
    const load = startLoad({cluster: chaos.cluster, namespace, rate: 20});
    const random = numbers(seed);
    const sums = await durations(chaos);
    const begun = performance.now();
    await inParallel(size, async index => {
      const policy = passing(nameOf(index), 0);
      const {status, body} = await chaos.cluster.request('POST', collectionOf(policy), policy);
      if (status !== 201) throw new Error(`${nameOf(index)}: ${status} ${JSON.stringify(body)}`);
    });
    const created = performance.now() - begun;
    let edits = 0;
    await inParallel(3 * size, async step => {
      edits++;
      const index = Math.floor(random() * size);
      if (random() < 0.25 && !isBroken(index)) await write(chaos, passing(nameOf(index), step));
      else
        await overwriteSpec(
          chaos.cluster,
          nameOf(index),
          random() < 0.5 ? broken(Math.floor(random() * 100)) : passing('', step).spec,
        );
    });
    await inParallel(size, index =>
      overwriteSpec(chaos.cluster, nameOf(index), isBroken(index) ? broken(index) : passing(nameOf(index), -1).spec),
    );
    const edited = performance.now() - begun;
    const waited = await chaos.equal(120_000);
    const outcomes = await load.stop();
    const spent = await durations(chaos);
    const mean = (1000 * (spent.seconds - sums.seconds)) / (spent.count - sums.count);
    print('flood', outcomes, {
      policies: size,
      edits,
      'created within ms': created,
      'edited within ms': edited,
      'caches equal after ms': waited,
      'mean in the replicas': `${mean.toFixed(1)} ms of ${spent.count - sums.count} calls`,
    });
    expectNothingWrong(outcomes);
    expect(tally(outcomes).refused).toBe(0);
    expect(chaos.agent.replicas().map(({pid}) => pid)).toEqual(before);
    for (const {metricsPort} of chaos.agent.replicas()) {
      const flood = (await cacheOf(metricsPort)).filter(({key}) => key.startsWith('flood-'));
      const states = new Map(flood.map(({key, status}) => [key, status]));
      const wanted = Array.from(
        {length: size},
        (_, index) => [nameOf(index), isBroken(index) ? 'refused' : 'served'] as const,
      );
      expect(wanted.filter(([name, status]) => states.get(name) !== status)).toEqual([]);
    }
  });

  it('are told not Ready, and the others Ready', async () => {
    const chaos = get();
    await eventually(
      async () => {
        const {body} = await chaos.cluster.request<{items: Thing[]}>('GET', '/apis/kyverno.io/v1/clusterpolicies');
        const flood = body.items.filter(({metadata}) => metadata.name.startsWith('flood-'));
        return flood.length === size && flood.every((policy, index) => isReady(policy) === !isBroken(index));
      },
      {what: 'conditions', timeoutMs: 120_000, everyMs: 500},
    );
  });
}

/** What the replicas have spent on webhook calls so far. */
async function durations({agent}: ChaosCluster): Promise<{readonly seconds: number; readonly count: number}> {
  const series = await scrape(agent);
  const labels = {http_method: 'POST'};
  return {
    seconds: total(series, 'kyverno_http_requests_duration_seconds_sum', labels),
    count: total(series, 'kyverno_http_requests_duration_seconds_count', labels),
  };
}

function isReady({metadata, status}: Thing): boolean | undefined {
  const ready = status?.conditions?.find(({type}) => type === 'Ready');
  return ready?.observedGeneration === metadata.generation ? ready?.status === 'True' : undefined;
}

function broken(index: number): unknown {
  return {background: false, rules: [brokenRules[index % brokenRules.length]]};
}

async function inParallel(count: number, work: (index: number) => Promise<void>): Promise<void> {
  let next = 0;
  const worker = async () => {
    for (let index = next++; index < count; index = next++) await work(index);
  };
  await Promise.all(Array.from({length: 4}, worker));
}

/** The same numbers in [0, 1) at each run. */
function numbers(start: number): () => number {
  let state = start;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
