import {setTimeout as delay} from 'node:timers/promises';
import {benchBodies} from '../bench/bodies.js';
import {cpuSeconds, rssMiB} from '../bench/processes.js';
import {eventually} from '../cluster/eventually.js';
import {peakMiB} from './metrics.js';
import {type Made, many} from './objects.js';
import {type OperatorWrite, operatorWrites, summary} from './operator-writes.js';
import {startLoad} from './paced-load.js';
import {applyAll, caOf, policiesReady, replicaOf, type Soak, withOperator} from './set-up.js';

export interface GenerateSizes {
  readonly namespaces: number;
  /** Admission requests a second meanwhile. */
  readonly load: number;
  /** Control plane and replica have a core each. */
  readonly apart: boolean;
}

const perNamespace = 3;

/** A policy whose three rules give each new namespace three ConfigMaps. */
function generating(): Made {
  const rule = (name: string) => ({
    name,
    match: {any: [{resources: {kinds: ['Namespace'], selector: {matchLabels: {storm: 'wanted'}}}}]},
    generate: {apiVersion: 'v1', kind: 'ConfigMap', name, namespace: '{{ request.object.metadata.name }}', synchronize: true, data: {data: {of: '{{ request.object.metadata.name }}'}}},
  });
  return {apiVersion: 'kyverno.io/v1', kind: 'ClusterPolicy', metadata: {name: 'storm'}, spec: {rules: ['one', 'two', 'three'].map(rule)}};
}

/** Many triggers at once: seconds until every object is there, the writes for it, and how long requests take meanwhile. */
export async function soakGenerate({namespaces, load: perSecond, apart}: GenerateSizes, say: Soak['say']): Promise<void> {
  await withOperator([], say, async soak => {
    const {cluster} = soak;
    await applyAll(cluster, [generating()]);
    await policiesReady(cluster, 1);
    const {pid, webhookPort} = replicaOf(soak);
    const load = startLoad({port: webhookPort, ca: await caOf(cluster), body: benchBodies().json.good.replace(/"dryRun":\s*false/, '"dryRun":true'), perSecond}, {apart});
    await delay(5_000);
    await load.mark();
    await delay(10_000);
    const idle = await load.mark();
    say(`admission idle, ${perSecond} a second: p50 ${idle.p50.toFixed(1)}, p99 ${idle.p99.toFixed(1)} ms`);
    const writes = operatorWrites(cluster);
    const cpu = cpuSeconds(pid);
    const started = performance.now();
    const since = () => ((performance.now() - started) / 1000).toFixed(1);
    await many(namespaces, async index => {
      const {status} = await cluster.request('POST', '/api/v1/namespaces', {apiVersion: 'v1', kind: 'Namespace', metadata: {name: `storm-${index}`, labels: {storm: 'wanted'}}});
      if (status !== 201) throw new Error(`namespace storm-${index}: ${status}`);
    });
    const sent = since();
    const created = await load.mark();
    const wanted = perNamespace * namespaces;
    // Not from the metrics: to write out those of a thousand namespaces is what would be measured.
    const found: OperatorWrite[] = [];
    await eventually(
      async () => {
        found.push(...writes());
        return found.filter(({resource}) => resource === 'configmaps').length >= wanted;
      },
      {what: `${wanted} objects`, timeoutMs: 600_000, everyMs: 500},
    );
    const made = since();
    await eventually(async () => (await cluster.request<{readonly items: readonly unknown[]}>('GET', '/apis/kyverno.io/v2/namespaces/kyverno/updaterequests?limit=1')).body.items.length === 0, {what: 'no update requests', timeoutMs: 600_000, everyMs: 500});
    const over = since();
    const during = await load.mark();
    await load.stop();
    await delay(3_000);
    found.push(...writes());
    const generated = found.filter(({resource}) => resource === 'configmaps');
    const requests = found.filter(({resource}) => resource === 'updaterequests');
    say(`${namespaces} namespaces created in ${sent} s, all ${wanted} objects after ${made} s, no request left after ${over} s; ${(cpuSeconds(pid) - cpu).toFixed(1)} s CPU with the load; RSS ${rssMiB(pid).toFixed(0)}, peak ${peakMiB(pid).toFixed(0)} MiB`);
    say(`admission while they were created: p50 ${created.p50.toFixed(1)}, p99 ${created.p99.toFixed(1)} ms of ${created.count}`);
    say(`admission from then on: p50 ${during.p50.toFixed(1)}, p99 ${during.p99.toFixed(1)}, longest ${during.most.toFixed(0)} ms of ${during.count}, not answered ${load.failed()}`);
    say(`writes: ${summary(found)}`);
    if (generated.length > wanted || requests.length > 2 * namespaces || load.failed() > 0) process.exitCode = 1;
  }, {apart});
}
