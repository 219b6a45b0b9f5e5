import {setTimeout as delay} from 'node:timers/promises';
import {expect, it} from 'vitest';
import {eventually} from '../cluster/eventually.js';
import type {Replica} from '../cluster/node-agent.js';
import {put} from '../e2e/support/policies.js';
import type {ChaosCluster} from './support/chaos-cluster.js';
import {type Load, startLoad} from './support/load.js';
import {namespace, passing} from './support/policies.js';
import {expectNothingWrong, print, tally} from './support/report.js';

/** Two processes under load: one is killed, one is asked to leave, all are rolled over. */
export function replicaSuite(get: () => ChaosCluster): void {
  it('kill -9 of the leader, whose Pod is then removed, lets nothing wrong through and costs no more than the calls under way', async () => {
    const chaos = get();
    const before = await chaos.leader();
    const {load, killed, bound} = await killUnderLoad(chaos, before);
    await chaos.cluster.kubectl(['delete', 'pod', before.name, '-n', 'kyverno', '--grace-period=0', '--force']);
    const takeover = await eventually(
      async () => {
        const {holder, renewed} = await chaos.lease();
        return holder !== before.name && holder !== '' && renewed;
      },
      {what: 'another leader'},
    );
    await report({
      chaos,
      load,
      killed,
      bound,
      title: 'kill -9 of the leader',
      more: {'next leader after ms': takeover - killed.wall},
    });
    await put(chaos, [passing('after-leader', 1)]);
  });

  it('kill -9 of the follower does neither', async () => {
    const chaos = get();
    const follower = await chaos.follower();
    const {load, killed, bound} = await killUnderLoad(chaos, follower);
    await eventually(() => !chaos.agent.replicas().some(({name, ready}) => name === follower.name && ready), {
      what: 'follower seen dead',
    });
    await report({chaos, load, killed, bound, title: 'kill -9 of the follower'});
    expect(chaos.agent.replicas().find(({name}) => name === follower.name)?.restarts).toBe(1);
  });

  it.each([
    [
      'SIGTERM of the leader by deleting its Pod',
      async (chaos: ChaosCluster) => {
        const {name} = await chaos.leader();
        await chaos.cluster.kubectl(['delete', 'pod', name, '-n', 'kyverno', '--timeout=90s']);
      },
    ],
    [
      'a rolling restart',
      async (chaos: ChaosCluster) => {
        await chaos.cluster.kubectl(['rollout', 'restart', 'deployment/kyverno', '-n', 'kyverno']);
        await chaos.cluster.kubectl(['rollout', 'status', 'deployment/kyverno', '-n', 'kyverno', '--timeout=120s']);
      },
    ],
  ] as const)('%s refuses nothing', async (title, act) => {
    const chaos = get();
    await chaos.whole();
    const load = startLoad({cluster: chaos.cluster, namespace});
    await load.calm();
    await load.burst(12);
    const begun = performance.now();
    await act(chaos);
    await chaos.whole();
    const took = performance.now() - begun;
    await delay(1000);
    const outcomes = await load.stop();
    print(title, outcomes, {'whole again after ms': took});
    expectNothingWrong(outcomes);
    expect(outcomes.filter(({verdict}) => verdict === 'refused').map(({text}) => text)).toEqual([]);
    await chaos.equal();
  });
}

interface Killed {
  readonly load: Load;
  readonly killed: {readonly at: number; readonly wall: number};
  /** Calls in flight and open connections to the replica when it was killed. */
  readonly bound: number;
}

async function killUnderLoad(chaos: ChaosCluster, replica: Replica): Promise<Killed> {
  await chaos.whole();
  const load = startLoad({cluster: chaos.cluster, namespace});
  await load.calm();
  // Several connections to each replica, and some calls on them.
  await load.burst(12);
  void load.burst(12);
  await delay(3);
  const bound = load.inFlight + chaos.balancer.connections(replica.webhookPort);
  const killed = {at: performance.now(), wall: Date.now()};
  process.kill(replica.pid!, 'SIGKILL');
  return {load, killed, bound};
}

interface ReportOptions extends Killed {
  readonly chaos: ChaosCluster;
  readonly title: string;
  readonly more?: Readonly<Record<string, number>>;
}

async function report({chaos, load, killed, bound, title, more}: ReportOptions): Promise<void> {
  await chaos.whole();
  const whole = performance.now() - killed.at;
  const from = load.outcomes.length;
  await delay(1500);
  const all = await load.stop();
  const outcomes = all.filter(({answered}) => answered > killed.at);
  const last = outcomes.filter(({verdict}) => verdict === 'refused').at(-1);
  print(title, outcomes, {
    'refusals bound': bound,
    'last refusal after ms': last === undefined ? 'none' : last.answered - killed.at,
    'whole again after ms': whole,
    ...more,
  });
  expectNothingWrong(all);
  expect(tally(outcomes).refused).toBeLessThanOrEqual(bound);
  expect(tally(all.slice(from)).refused).toBe(0);
  await chaos.equal();
}
