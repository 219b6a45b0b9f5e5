import type {Logger} from '../adapters/log/logger.js';
import type {AdmissionObserver, AuditRecord, AuditSink} from '../webhook/types.js';
import type {Duty} from './duties/duties.js';
import type {Feature} from './feature.js';
import type {Registration} from './manager/manager.js';

/** All features as one: what one of them throws is logged and reaches no other. */
export interface FeatureSet {
  readonly registrations: readonly Registration[];
  readonly sinks: readonly AuditSink[];
  readonly observer: AdmissionObserver | undefined;
  /** This replica has a duty, or has it no more. */
  setLeading(duty: Duty, leading: boolean): void;
  readonly tell: Required<Pick<Feature, 'onPolicy' | 'onCelPolicy' | 'onException' | 'onDiscovery' | 'onConfig' | 'onReplicas'>>;
  start(): Promise<void>;
  stop(): Promise<void>;
}

export function featureSet(features: readonly Feature[], log: Logger): FeatureSet {
  const failed = (feature: Feature, step: string) => (error: unknown) =>
    log.error(`${feature.name}: ${step} failed`, {
      error: error instanceof Error ? (error.stack ?? error.message) : String(error),
    });

  function each(step: string, call: (feature: Feature) => void): void {
    for (const feature of features) {
      try {
        call(feature);
      } catch (error) {
        failed(feature, step)(error);
      }
    }
  }

  async function all(step: string, call: (feature: Feature) => Promise<void> | void): Promise<void> {
    await Promise.all(
      features.map(feature =>
        Promise.resolve()
          .then(() => call(feature))
          .catch(failed(feature, step)),
      ),
    );
  }

  return {
    registrations: features.flatMap(({duty = 'admission', registrations = []}) => registrations.map(registration => ({duty, ...registration}))),
    sinks: features.flatMap(feature => (feature.sink === undefined ? [] : [feature.sink])),
    observer: joinObservers(features),
    setLeading(duty, leading) {
      each('change of leadership', feature => {
        if ((feature.duty ?? 'admission') === duty) feature.setLeading?.(leading);
      });
    },
    tell: {
      onPolicy: (...change) => each('change of a policy', feature => feature.onPolicy?.(...change)),
      onCelPolicy: (...change) => each('change of a policy', feature => feature.onCelPolicy?.(...change)),
      onException: () => each('change of an exception', feature => feature.onException?.()),
      onDiscovery: () => each('change of kinds', feature => feature.onDiscovery?.()),
      onReplicas: () => each('change of replicas', feature => feature.onReplicas?.()),
      onConfig: config => each('change of the configuration', feature => feature.onConfig?.(config)),
    },
    start: () => all('start', feature => feature.start?.()),
    stop: () => all('stop', feature => feature.stop?.()),
  };
}

function joinObservers(features: readonly Feature[]): AdmissionObserver | undefined {
  const observers = features.flatMap(feature => (feature.observer === undefined ? [] : [feature.observer]));
  if (observers.length < 2) return observers[0];
  return {
    concerns: (request, route) => observers.some(observer => observer.concerns(request, route)),
    async admitted(request, route, deadline) {
      const concerned = observers.filter(observer => observer.concerns(request, route));
      const outcomes = await Promise.allSettled(concerned.map(observer => observer.admitted(request, route, deadline)));
      const failure = outcomes.find(outcome => outcome.status === 'rejected');
      if (failure !== undefined) throw failure.reason;
    },
  };
}

/** One sink that feeds several; each gets every record, whatever the others do with it. */
export function joinSinks(sinks: readonly AuditSink[]): AuditSink {
  return {
    takes: () => sinks.some(sink => sink.takes?.() !== false),
    async submit(record: AuditRecord, signal: AbortSignal) {
      const wanted = sinks.filter(sink => sink.takes?.() !== false);
      const outcomes = await Promise.allSettled(wanted.map(async sink => sink.submit(record, signal)));
      const failure = outcomes.find(outcome => outcome.status === 'rejected');
      if (failure !== undefined) throw failure.reason;
    },
  };
}
