import {Counter, type Registry} from 'prom-client';
import type {ImageParts} from '../../adapters/images/create-image-source.js';

const caches = ['tag', 'data', 'verification'] as const;
const lookupOutcomes = ['hit', 'shared', 'miss'] as const;
const callOutcomes = ['2xx', '3xx', '4xx', '5xx', 'error'] as const;

/** Counters of what is asked about images, and of whom. All series are there from the start, at 0. */
export function imageMetrics(registry: Registry): Required<Pick<ImageParts, 'onLookup' | 'onCall'>> {
  const lookups = new Counter({
    name: 'kyverno_image_cache_lookups_total',
    help: 'Look-ups of image caches by cache (tag, data, verification) and outcome (hit, shared, miss)',
    labelNames: ['cache', 'outcome'],
    registers: [registry],
  });
  const calls = new Counter({
    name: 'kyverno_registry_requests_total',
    help: 'Requests to image registries by outcome (2xx, 3xx, 4xx, 5xx, error)',
    labelNames: ['outcome'],
    registers: [registry],
  });
  for (const cache of caches) for (const outcome of lookupOutcomes) lookups.inc({cache, outcome}, 0);
  for (const outcome of callOutcomes) calls.inc({outcome}, 0);
  return {
    onLookup: (cache, outcome) => lookups.inc({cache, outcome}),
    onCall: (_host, outcome) => calls.inc({outcome}),
  };
}
