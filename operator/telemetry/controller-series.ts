import {Counter, type Registry} from 'prom-client';

/** Counts runs of reconcile loops. */
export interface ControllerSeries {
  reconciled(controller: string): void;
  /** `tries`: how often the key has failed in a row. */
  requeued(controller: string, tries: number): void;
  dropped(controller: string): void;
}

/** Retries beyond it are counted with it: nothing is ever given up, so that they have no end. */
const maxTries = 10;

export function createControllerSeries(registry: Registry): ControllerSeries {
  const registers = [registry];
  const reconciled = new Counter({name: 'kyverno_controller_reconcile_total', help: 'Runs of reconcile loops', labelNames: ['controller_name'], registers});
  const requeued = new Counter({
    name: 'kyverno_controller_requeue_total',
    help: 'Keys that failed and run again; num_requeues stops at 10',
    labelNames: ['controller_name', 'num_requeues'],
    registers,
  });
  const dropped = new Counter({name: 'kyverno_controller_drop_total', help: 'Keys given up because trying again cannot help', labelNames: ['controller_name'], registers});
  const known = new Set<string>();
  /** Series that begin at zero, so that the first increase is one. */
  function begin(controller_name: string): void {
    if (known.has(controller_name)) return;
    known.add(controller_name);
    for (const tries of [1, maxTries]) requeued.inc({controller_name, num_requeues: String(tries)}, 0);
    dropped.inc({controller_name}, 0);
  }
  return {
    reconciled(controller_name) {
      begin(controller_name);
      reconciled.inc({controller_name});
    },
    requeued: (controller_name, tries) => requeued.inc({controller_name, num_requeues: String(Math.min(tries, maxTries))}),
    dropped: controller_name => dropped.inc({controller_name}),
  };
}
