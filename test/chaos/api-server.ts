import {setTimeout as delay} from 'node:timers/promises';
import {expect, it} from 'vitest';
import {eventually} from '../cluster/eventually.js';
import {policyPath, put, write} from '../e2e/support/policies.js';
import type {ChaosCluster} from './support/chaos-cluster.js';
import {createDirect, type Direct} from './support/direct.js';
import {startLoad} from './support/load.js';
import {namespace, passing} from './support/policies.js';
import {expectNothingWrong, print, tally} from './support/report.js';

/** The replicas lose the API server in several ways; whatever happens there, their caches come to equal it. */
export function apiServerSuite(get: () => ChaosCluster): void {
  it('cuts every connection again and again while policies come, change and go', async () => {
    const chaos = get();
    await chaos.whole();
    const load = startLoad({cluster: chaos.cluster, namespace});
    for (let round = 0; round < 6; round++) {
      await churn(chaos, round);
      chaos.proxy.cut();
      await delay(round % 2 === 0 ? 50 : 700);
    }
    const waited = await chaos.equal();
    const outcomes = await load.stop();
    print('cut streams', outcomes, {'caches equal after ms': waited});
    expectNothingWrong(outcomes);
    expect(tally(outcomes).refused).toBe(0);
  });

  it('is out of reach of the replicas, which go on judging; the leader steps down; both come back', async () => {
    const chaos = get();
    await chaos.leader();
    const before = pids(chaos);
    const steppedDown = count(chaos, 'no longer leading');
    const load = startLoad({cluster: chaos.cluster, namespace});
    chaos.proxy.refuse();
    chaos.proxy.cut();
    const begun = performance.now();
    for (let round = 10; round < 16; round++) await churn(chaos, round);
    await eventually(() => count(chaos, 'no longer leading') > steppedDown, {what: 'leader steps down'});
    const stepped = performance.now() - begun;
    await churn(chaos, 16);
    expect(chaos.agent.replicas().map(({ready}) => ready)).toEqual([true, true]);
    const wall = Date.now();
    chaos.proxy.pass();
    const waited = await chaos.equal();
    const {renewed} = await eventually(async () => renewedSince(chaos, wall), {what: 'a leader again'});
    const outcomes = await load.stop();
    print('replicas cut off', outcomes, {
      'leader stepped down after ms': stepped,
      'caches equal after ms': waited,
      'leader again after ms': renewed - wall,
    });
    expectNothingWrong(outcomes);
    expect(tally(outcomes).refused).toBe(0);
    expect(pids(chaos)).toEqual(before);
  });

  it('is gone for a while behind half-open streams, has forgotten their versions when it is back, and finds no replica ended', async () => {
    const chaos = get();
    await chaos.leader();
    const before = pids(chaos);
    const steppedDown = count(chaos, 'no longer leading');
    const forgotten = count(chaos, 'has forgotten the known version');
    const direct = await createDirect(chaos);
    chaos.proxy.stall();
    await chaos.cluster.stopApiServer({kill: true});
    const begun = performance.now();
    let judged = 0;
    while (count(chaos, 'no longer leading') === steppedDown || performance.now() - begun < 5_000) {
      judged += await judgeDirectly(chaos, direct);
      await delay(100);
      if (performance.now() - begun > 60_000) throw new Error('the leader did not step down');
    }
    const stepped = performance.now() - begun;
    await chaos.cluster.startApiServer();
    const gone = performance.now() - begun;
    const wall = Date.now();
    judged += await judgeDirectly(chaos, direct);
    direct.close();

    const load = startLoad({cluster: chaos.cluster, namespace});
    for (let round = 20; round < 24; round++) await churn(chaos, round);
    const {renewed} = await eventually(async () => renewedSince(chaos, wall), {what: 'a leader again'});
    await delay(2000);
    const outcomes = await load.stop();
    const waited = await chaos.equal(200_000);
    print('API server gone, streams half open', outcomes, {
      'reviews judged meanwhile': judged,
      'leader stepped down after ms': stepped,
      'gone for ms': gone,
      'leader again after ms': renewed - wall,
      'caches equal after ms': waited,
      'versions forgotten': count(chaos, 'has forgotten the known version') - forgotten,
    });
    expectNothingWrong(outcomes);
    expect(tally(outcomes).refused).toBe(0);
    expect(count(chaos, 'has forgotten the known version')).toBeGreaterThan(forgotten);
    expect(pids(chaos)).toEqual(before);
    await put(chaos, [passing('after-all', 1)]);
  });
}

/** Creates policies, edits those of the round before, deletes the ones before that and makes one of them anew. */
async function churn(chaos: ChaosCluster, round: number): Promise<void> {
  const cluster = (index: number) => passing(`churn-${index}`, round);
  const namespaced = (index: number) => passing(`churn-${index}`, round, namespace);
  await write(chaos, cluster(round));
  await write(chaos, namespaced(round));
  await write(chaos, cluster(round - 1));
  await write(chaos, namespaced(round - 1));
  const {status} = await chaos.cluster.request('DELETE', policyPath(cluster(round - 1)));
  expect(status).toBe(200);
  // The same name, another object.
  if (round % 2 === 0) await write(chaos, cluster(round - 1));
  await chaos.cluster.request('DELETE', policyPath(namespaced(round - 1)));
}

/** One denied, one allowed and one patched review to each replica's own port; how many. */
async function judgeDirectly({agent}: ChaosCluster, direct: Direct): Promise<number> {
  for (const {webhookPort} of agent.replicas()) {
    expect(await direct.readiness(webhookPort)).toBe(200);
    const denied = await direct.review(webhookPort, '/validate/fail', false);
    expect([denied.allowed, denied.message]).toEqual([false, expect.stringContaining('a team is wanted')]);
    expect((await direct.review(webhookPort, '/validate/fail', true)).allowed).toBe(true);
    expect(await direct.review(webhookPort, '/mutate/fail', true)).toMatchObject({allowed: true, patched: true});
  }
  return 3 * agent.replicas().length;
}

async function renewedSince(chaos: ChaosCluster, wall: number) {
  const lease = await chaos.lease();
  const lives = chaos.agent.replicas().some(({name}) => name === lease.holder);
  return lives && lease.renewed > wall ? lease : undefined;
}

function pids({agent}: ChaosCluster): unknown[] {
  return agent.replicas().map(({name, pid, restarts}) => [name, pid, restarts]);
}

function count(chaos: ChaosCluster, text: string): number {
  return chaos.logs().split(text).length - 1;
}
