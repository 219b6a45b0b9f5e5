import {Counter, type Registry} from 'prom-client';

/** Counts Events that were lost to the full queue or to failed requests. */
export function eventLosses(registry: Registry): (count: number) => void {
  const counter = new Counter({name: 'kyverno_events_dropped_total', help: 'Events lost to the full queue or to failed requests', registers: [registry]});
  return count => counter.inc(count);
}
