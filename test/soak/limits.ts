import {setTimeout as delay} from 'node:timers/promises';
import {benchBodies} from '../bench/bodies.js';
import {podPolicies} from '../bench/policy-sets.js';
import {eventually} from '../cluster/eventually.js';
import {confine, type Limits} from './confined.js';
import {metric, peakMiB} from './metrics.js';
import {benchPod, createAll} from './objects.js';
import {startLoad} from './paced-load.js';
import {applyAll, caOf, policiesReady, replicaOf, type Soak, withOperator} from './set-up.js';

export interface LimitedSizes {
  readonly pods: number;
  /** Admission requests a second. */
  readonly load: number;
  readonly seconds: number;
  readonly limits: Limits;
}

/**
 * The operator under a container's limits of memory and CPU, beside so many Pods with their reports: start, first scan and
 * a steady load. Sets the exit status when memory ran out or a request was not answered.
 */
export async function soakLimits({pods, load: perSecond, seconds, limits}: LimitedSizes, say: Soak['say']): Promise<void> {
  const confined = confine(`kyverno-soak-${process.pid}`, limits);
  say(`${pods} Pods, limits ${limits.memoryMiB} MiB and ${limits.milliCpu}m${confined === undefined ? ' (no control groups here: peak memory alone is held against them)' : ''}`);
  try {
    await withOperator([], say, async soak => {
      const {cluster} = soak;
      await cluster.kubectl(['create', 'namespace', 'shop']);
      await createAll(cluster, '/api/v1/namespaces/shop/pods', Array.from({length: pods}, (_, index) => benchPod(`pod-${index}`, 'shop', index % 10 !== 0)));
      const policies = podPolicies().map(policy => ({...policy, spec: {...(policy['spec'] as object), background: true}}));
      await applyAll(cluster, policies);
      await policiesReady(cluster, policies.length);
      const {pid, metricsPort, webhookPort} = replicaOf(soak);
      const started = performance.now();
      const load = startLoad({port: webhookPort, ca: await caOf(cluster), body: benchBodies().json.good.replace(/"dryRun":\s*false/, '"dryRun":true'), perSecond});
      await eventually(async () => (await metric(metricsPort, 'kyverno_report_writes_total', {operation: 'create'})) >= pods, {what: 'all reports', timeoutMs: 900_000, everyMs: 2_000});
      const scanning = await load.mark();
      say(`all reports after ${((performance.now() - started) / 1000).toFixed(0)} s; admission meanwhile at ${perSecond} a second: p50 ${scanning.p50.toFixed(1)}, p99 ${scanning.p99.toFixed(1)}, longest ${scanning.most.toFixed(0)} ms of ${scanning.count}`);
      await delay(10_000);
      await load.mark();
      await delay(seconds * 1000);
      const steady = await load.mark();
      await load.stop();
      const engine = await engineQuantile(metricsPort, 0.99);
      say(`steady: p50 ${steady.p50.toFixed(1)}, p99 ${steady.p99.toFixed(1)}, longest ${steady.most.toFixed(0)} ms of ${steady.count}; not answered ${load.failed()}; a policy's evaluation p99 ≤ ${engine} ms`);
      const counted = confined?.read();
      const peak = peakMiB(pid);
      const still = replicaOf(soak).pid === pid;
      say(`peak RSS ${peak.toFixed(0)} MiB; ${counted === undefined ? '' : `in the group ${counted.peakMiB.toFixed(0)} MiB, memory short ${counted.memoryFailures} times, killed ${counted.killed}, CPU cut short in ${counted.throttled} periods`}${still ? '' : '; restarted'}`);
      if (!still || peak > limits.memoryMiB || load.failed() > 0 || (counted?.killed ?? 0) > 0) process.exitCode = 1;
    }, confined === undefined ? {} : {prefix: confined.prefix});
  } finally {
    await confined?.remove();
  }
}

/** Upper bound, in ms, of the histogram bucket that holds this part of all policy evaluations. */
async function engineQuantile(port: number, part: number): Promise<number | string> {
  const name = 'kyverno_policy_execution_duration_seconds';
  const total = await metric(port, `${name}_count`);
  for (const bound of ['0.005', '0.01', '0.025', '0.05', '0.1', '0.25', '0.5', '1']) {
    if ((await metric(port, `${name}_bucket`, {le: bound})) >= total * part) return Number(bound) * 1000;
  }
  return 'more than 1,000';
}
