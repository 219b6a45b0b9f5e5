import {setTimeout as delay} from 'node:timers/promises';
import {benchBodies} from '../bench/bodies.js';
import {podPolicies} from '../bench/policy-sets.js';
import {cpuSeconds, rssMiB} from '../bench/processes.js';
import {eventually} from '../cluster/eventually.js';
import {metric, peakMiB} from './metrics.js';
import {benchPod, configMap, createAll} from './objects.js';
import {operatorWrites, summary} from './operator-writes.js';
import {startLoad} from './paced-load.js';
import {applyAll, caOf, policiesReady, replicaOf, type Soak, withOperator} from './set-up.js';

export interface ScanSizes {
  readonly pods: number;
  readonly configMaps: number;
  /** Admission requests a second meanwhile; dry runs, so that they leave no report. */
  readonly load: number;
  /** Control plane and replica have a core each. */
  readonly apart: boolean;
}

const age = 'kyverno_background_scan_age_seconds';
const pods = {resource: '/pods'};

/**
 * Pods under 17 policies beside large ConfigMaps: what a first scan with its reports costs, what a second one writes,
 * memory, and how long requests take meanwhile.
 */
export async function soakScan(sizes: ScanSizes, say: Soak['say']): Promise<void> {
  await withOperator([], say, async soak => {
    const {cluster} = soak;
    await cluster.kubectl(['create', 'namespace', 'shop']);
    await createAll(cluster, '/api/v1/namespaces/shop/configmaps', Array.from({length: sizes.configMaps}, (_, index) => configMap(`settings-${index}`, 'shop', 10 * 1024)));
    // Before there are policies: what is measured is the scan.
    await createAll(cluster, '/api/v1/namespaces/shop/pods', Array.from({length: sizes.pods}, (_, index) => benchPod(`pod-${index}`, 'shop', index % 10 !== 0)));
    const {pid, metricsPort, webhookPort} = replicaOf(soak);
    await delay(5_000);
    say(`idle beside ${sizes.configMaps} ConfigMaps of 10 KiB and ${sizes.pods} Pods: RSS ${rssMiB(pid).toFixed(0)} MiB`);

    const load = startLoad({port: webhookPort, ca: await caOf(cluster), body: benchBodies().json.good.replace(/"dryRun":\s*false/, '"dryRun":true'), perSecond: sizes.load}, {apart: sizes.apart});
    await delay(5_000);
    await load.mark();
    const writes = operatorWrites(cluster);
    await delay(10_000);
    const idle = await load.mark();
    say(`admission idle, ${sizes.load} a second: p50 ${idle.p50.toFixed(1)}, p99 ${idle.p99.toFixed(1)} ms (no policies yet)`);

    const policies = podPolicies().map(policy => ({...policy, spec: {...(policy['spec'] as object), background: true}}));
    await applyAll(cluster, policies);
    await policiesReady(cluster, policies.length);
    const started = performance.now();
    let cpu = cpuSeconds(pid);
    await load.mark();
    await eventually(async () => (await metric(metricsPort, 'kyverno_background_scan_objects', pods)) >= sizes.pods, {what: 'the first scan', timeoutMs: 300_000, everyMs: 5_000});
    const scanned = (performance.now() - started) / 1000;
    await eventually(async () => (await metric(metricsPort, 'kyverno_report_writes_total', {operation: 'create'})) >= sizes.pods && (await metric(metricsPort, 'kyverno_report_changes_pending')) === 0, {
      what: 'all reports',
      timeoutMs: 300_000,
      // To write the metrics out is work, too: Prometheus asks every 15 to 60 s.
      everyMs: 5_000,
    });
    const written = (performance.now() - started) / 1000;
    const during = await load.mark();
    const used = cpuSeconds(pid) - cpu;
    say(`first scan of ${sizes.pods} Pods by ${policies.length} policies: ${scanned.toFixed(1)} s, with all reports ${written.toFixed(1)} s`);
    say(`admission meanwhile: p50 ${during.p50.toFixed(1)}, p99 ${during.p99.toFixed(1)}, longest ${during.most.toFixed(0)} ms of ${during.count}`);
    say(`writes: ${summary(writes())}`);

    await delay(10_000);
    await load.mark();
    cpu = cpuSeconds(pid);
    await delay(10_000);
    const perLoadSecond = (cpuSeconds(pid) - cpu) / 10;
    const base = await load.mark();
    say(`CPU of the first scan with its reports, without that of the load: ${(used - perLoadSecond * written).toFixed(1)} s`);
    say(`admission with policies, no scan: p50 ${base.p50.toFixed(1)}, p99 ${base.p99.toFixed(1)} ms`);
    writes();
    const loaded = await rescan(soak, metricsPort);
    const beside = await load.mark();
    say(`second scan under load: ${loaded.toFixed(1)} s; admission p50 ${beside.p50.toFixed(1)}, p99 ${beside.p99.toFixed(1)}, longest ${beside.most.toFixed(0)} ms of ${beside.count}; writes: ${summary(writes())}`);
    await load.stop();
    await delay(3_000);
    cpu = cpuSeconds(pid);
    const alone = await rescan(soak, metricsPort);
    say(`third scan without load: ${alone.toFixed(1)} s, ${(cpuSeconds(pid) - cpu).toFixed(1)} s CPU with list and decode; writes: ${summary(writes())}`);
    await delay(20_000);
    say(`RSS at rest ${rssMiB(pid).toFixed(0)} MiB, peak ${peakMiB(pid).toFixed(0)} MiB`);
  }, {apart: sizes.apart});
}

/** Has everything looked at again: by an exception that touches nothing. Seconds until done. */
async function rescan({cluster}: Soak, metricsPort: number): Promise<number> {
  const before = await metric(metricsPort, age, pods);
  const name = `touch-${Date.now()}`;
  const exception = {
    apiVersion: 'kyverno.io/v2',
    kind: 'PolicyException',
    metadata: {name, namespace: 'shop'},
    spec: {exceptions: [{policyName: 'nobody', ruleNames: ['none']}], match: {any: [{resources: {kinds: ['Pod'], names: ['nobody']}}]}},
  };
  const {status} = await cluster.request('POST', '/apis/kyverno.io/v2/namespaces/shop/policyexceptions', exception);
  if (status !== 201) throw new Error(`the exception was refused: ${status}`);
  const started = performance.now();
  await eventually(async () => (await metric(metricsPort, age, pods)) < Math.min(before, (performance.now() - started) / 1000), {what: 'a further scan', timeoutMs: 300_000, everyMs: 5_000});
  return (performance.now() - started) / 1000;
}
