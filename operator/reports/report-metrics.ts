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
  const dropped = new Counter({name: 'kyverno_report_changes_dropped_total', help: 'Report changes given up: too many waited, or the API server refused them', labelNames: ['reason'], registers});
  // Series that begin at zero, so that the first increase is one.
  for (const reason of ['forbidden', 'refused', 'too-many-reports', 'queue-full']) dropped.inc({reason}, 0);
  return {
    dropped,
    writes: new Counter({name: 'kyverno_report_writes_total', help: 'Reports created, updated and deleted', labelNames: ['operation'], registers}),
    watch: pending => sources.push(pending),
  };
}
