import {Gauge, type Registry} from 'prom-client';

export interface PendingWork {
  readonly queued: number;
  readonly waiting_for_retry: number;
  readonly waiting_for_right: number;
  readonly update_requests: number;
  readonly in_memory: number;
}

export function registerPendingWork(registry: Registry, pending: () => PendingWork): void {
  new Gauge({
    name: 'kyverno_background_work_pending',
    help: 'Background work that waits or runs: what is queued, waits for a retry or for a right, and update requests',
    labelNames: ['state'],
    registers: [registry],
    collect() {
      for (const [state, count] of Object.entries(pending())) this.set({state}, count);
    },
  });
}
