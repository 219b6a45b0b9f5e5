import {setTimeout as delay} from 'node:timers/promises';
import type {JsonObject} from '../../engine/json/types.js';
import {crowdedPolicies} from '../bench/policy-sets.js';
import type {Cluster} from '../cluster/cluster.js';
import {cpuSeconds, rssMiB} from '../bench/processes.js';
import {configMap, createAll} from './objects.js';
import {type OperatorWrite, operatorWrites, summary} from './operator-writes.js';
import {applyAll, policiesReady, replicaOf, type Soak, withOperator} from './set-up.js';

export interface IdleSizes {
  readonly policies: number;
  readonly objects: number;
  readonly milliseconds: number;
}

/** Policies of which a third judges ConfigMaps in the background, in Audit: what is there stays allowed. */
export function idlePolicies(count: number): JsonObject[] {
  return crowdedPolicies(Math.max(count, 17))
    .slice(-count)
    .map(policy => {
      const spec = policy['spec'] as JsonObject;
      const rules = (spec['rules'] as JsonObject[]).map(rule => ({...rule, validate: {...(rule['validate'] as JsonObject), failureAction: 'Audit'}}));
      return {...policy, spec: {...spec, background: true, rules}};
    });
}

/** Waits until nothing has been written for `quietMs`, then for `milliseconds` more, and tells what was written in that time. */
export async function idle(cluster: Pick<Cluster, 'dir'>, {quietMs, milliseconds, mostMs}: {readonly quietMs: number; readonly milliseconds: number; readonly mostMs: number}): Promise<readonly OperatorWrite[]> {
  const writes = operatorWrites(cluster);
  const until = performance.now() + mostMs;
  for (let quiet = 0; quiet < quietMs; quiet += 1_000) {
    await delay(1_000);
    if (writes().length > 0) quiet = -1_000;
    if (performance.now() > until) throw new Error(`the operator never came to rest within ${mostMs / 1000} s`);
  }
  await delay(milliseconds);
  return writes();
}

export async function soakIdle({policies, objects, milliseconds}: IdleSizes, say: Soak['say']): Promise<void> {
  await withOperator([], say, async soak => {
    const {cluster} = soak;
    for (const namespace of ['shop', 'elsewhere']) await cluster.kubectl(['create', 'namespace', namespace]);
    await createAll(cluster, '/api/v1/namespaces/shop/configmaps', Array.from({length: objects}, (_, index) => configMap(`settings-${index}`, 'shop', 200)));
    const all = idlePolicies(policies);
    await applyAll(cluster, all);
    await policiesReady(cluster, all.filter(({kind}) => kind === 'ClusterPolicy').length);
    const {pid} = replicaOf(soak);
    const written = await idle(cluster, {quietMs: 15_000, milliseconds: 0, mostMs: 900_000});
    if (written.length > 0) throw new Error(`not at rest: ${summary(written)}`);
    const cpu = cpuSeconds(pid);
    const writes = operatorWrites(cluster);
    await delay(milliseconds);
    const found = writes();
    say(`${policies} policies, ${objects} objects, ${milliseconds / 1000} s at rest: written ${summary(found)}; ${(((cpuSeconds(pid) - cpu) * 100_000) / milliseconds).toFixed(1)} % of a core, RSS ${rssMiB(pid).toFixed(0)} MiB`);
    if (found.length > 0) process.exitCode = 1;
  });
}
