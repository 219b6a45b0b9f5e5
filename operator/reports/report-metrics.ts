import {Counter, Gauge, type Registry} from 'prom-client';

export interface ReportMetrics {
  readonly dropped: Counter<'reason'>;
  readonly writes: Counter<'operation'>;
  /** Adds to what the gauge of waiting changes shows. */
  watch(pending: () => number): void;
}

export function createReportMetrics(registry: Registry): ReportMetrics {
  const registers = [registry];
  const sources: Array<() => number> = [];
  new Gauge({
    name: 'kyverno_report_changes_pending',
    help: 'Objects whose report is to be written',
    registers,
    collect() {
      this.set(sources.reduce((sum, pending) => sum + pending(), 0));
    },
  });
  const dropped = droppedChanges(registry);
  return {
    dropped,
    writes: new Counter({name: 'kyverno_report_writes_total', help: 'Reports created, updated and deleted', labelNames: ['operation'], registers}),
    watch: pending => sources.push(pending),
  };
}

/** On either thread: what is dropped is counted where that happens. */
export function droppedChanges(registry: Registry): Counter<'reason'> {
  const dropped = new Counter({
    name: 'kyverno_report_changes_dropped_total',
    help: 'Report changes given up: too many waited, the API server refused them, or their thread had ended',
    labelNames: ['reason'],
    registers: [registry],
  });
  // Series that begin at zero, so that the first increase is one.
  for (const reason of ['forbidden', 'refused', 'too-many-reports', 'queue-full', 'thread-ended', 'object-unreadable', 'stopped']) dropped.inc({reason}, 0);
  return dropped;
}
