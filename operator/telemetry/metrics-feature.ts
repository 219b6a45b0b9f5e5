import type {MetricsSettings} from '../../webhook/metrics/settings.js';
import type {Core, Feature} from '../feature.js';
import {configMapData, ownObject} from '../registrations.js';
import {requestsKey} from '../update-requests/update-request.js';
import {type DescribedPolicy, describeCel, describeClassic} from './described-policy.js';
import {createPolicySeries} from './policy-series.js';
import {registerRequestSeries} from './request-series.js';

/** The ConfigMap of metrics, as the manager knows it. */
export const metricsConfigKey = 'metrics-config';

/** What metrics say of policies and waiting work, and what the ConfigMap of metrics makes of all of them. */
export function createMetricsFeature(core: Core): Feature {
  const {clock, log, manager, metrics, environment, settings} = core;
  const policies = createPolicySeries(core);
  registerRequestSeries(core, () => {
    try {
      return manager.lister(requestsKey);
    } catch {
      // Replicas without that duty read none.
      return undefined;
    }
  });
  /** As last described, so that a deleted policy can still be named. */
  const known = new Map<string, DescribedPolicy>();
  let started = false;
  let refreshMs = 0;
  let cancelRefresh: (() => void) | undefined;

  function note(id: string, described: DescribedPolicy | undefined): void {
    const before = known.get(id);
    if (described !== undefined) known.set(id, described);
    else known.delete(id);
    // What a starting replica reads is no change.
    if (!started) return;
    if (described !== undefined) policies.changed(described, before === undefined ? 'created' : 'updated');
    else if (before !== undefined) policies.changed(before, 'deleted');
  }

  function refreshEvery(milliseconds: number): void {
    if (milliseconds === refreshMs) return;
    refreshMs = milliseconds;
    cancelRefresh?.();
    cancelRefresh = undefined;
    if (milliseconds <= 0) return;
    const again = () => {
      cancelRefresh = clock.schedule(milliseconds, () => {
        metrics.restart();
        again();
      });
    };
    again();
  }

  let applied: MetricsSettings | undefined;
  function apply(): void {
    if (settings.metrics === applied) return;
    applied = settings.metrics;
    metrics.configure(applied);
    refreshEvery(applied.refreshMs);
  }
  settings.subscribe(apply);
  apply();

  return {
    name: 'metrics',
    registrations: [
      {
        ...ownObject({key: metricsConfigKey, resource: 'configmaps', namespace: environment.namespace, name: environment.metricsConfigMapName}),
        optional: true,
        reconcile(key) {
          for (const problem of settings.setMetricsMap(configMapData(manager.lister(metricsConfigKey).get(key)))) log.warn(problem);
        },
      },
    ],
    onPolicy: (kind, key, state) => note(`${kind}/${key}`, state?.status === 'served' ? describeClassic(state.policy) : undefined),
    onCelPolicy: (kind, key, state) => note(`${kind}/${key}`, state?.status === 'served' ? describeCel(state.policy) : undefined),
    start() {
      started = true;
    },
    stop() {
      cancelRefresh?.();
    },
  };
}
