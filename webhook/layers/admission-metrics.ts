import type {Clock} from '../../adapters/clock.js';
import {after, type Layer} from '../context.js';
import type {Metrics} from '../metrics/metrics.js';

export function admissionMetrics(metrics: Metrics, clock: Clock): Layer {
  return (context, next) =>
    after(next(context), answer => {
      const {request} = context;
      const kind = (context.topLevelKind ?? request.kind).kind;
      const seconds = (clock.monotonic() - context.startedAt) / 1000;
      metrics.admission({kind, namespace: request.namespace, operation: request.operation}, context.route.webhook, {
        allowed: answer.allowed,
        seconds,
      });
      return answer;
    });
}
