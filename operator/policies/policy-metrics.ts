import {Gauge, type Registry} from 'prom-client';
import type {PolicyCache} from '../../engine/snapshot/policy-cache.js';

/** Policies by what the cache makes of them; read when scraped. */
export function registerPolicyMetrics(registry: Registry, cache: PolicyCache): void {
  new Gauge({
    name: 'kyverno_policies',
    help: 'Policies in the cache: served, or refused because they do not load',
    labelNames: ['status'],
    registers: [registry],
    collect() {
      const count = {served: 0, refused: 0};
      for (const state of cache.policies()) count[state.status] += 1;
      this.labels('served').set(count.served);
      this.labels('refused').set(count.refused);
    },
  });
}
