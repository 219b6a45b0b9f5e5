import type {Clock} from '../../adapters/clock.js';
import {after, type Layer} from '../context.js';
import type {Metrics} from '../metrics/metrics.js';

export interface AdmissionMetricsOptions {
  readonly metrics: Metrics;
  readonly clock: Clock;
  readonly onAnswer: (() => void) | undefined;
}

export function admissionMetrics({metrics, clock, onAnswer}: AdmissionMetricsOptions): Layer {
  return (context, next) =>
    after(next(context), answer => {
      const {request} = context;
      const kind = (context.topLevelKind ?? request.kind).kind;
      const seconds = (clock.monotonic() - context.startedAt) / 1000;
      metrics.admission({kind, namespace: request.namespace, operation: request.operation}, context.route.webhook, {
        allowed: answer.allowed,
        seconds,
      });
      onAnswer?.();
      return answer;
    });
}
