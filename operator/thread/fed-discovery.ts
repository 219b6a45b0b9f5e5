import {createKindMap, type Discovery} from '../../adapters/kube/discovery.js';
import type {KnownKinds} from './calls.js';

/** Kinds as another thread has read them. */
export function createFedDiscovery(): {readonly discovery: Discovery; take(known: KnownKinds): void} {
  const kinds = createKindMap();
  const handlers = new Set<() => void>();
  let failures: readonly string[] = [];
  return {
    discovery: {
      resourceMap: kinds.map,
      // Whoever passes them on has them read.
      refresh: () => Promise.resolve(),
      get failures() {
        return failures;
      },
      subscribe(handler) {
        handlers.add(handler);
        return () => handlers.delete(handler);
      },
    },
    take(known) {
      failures = known.failures;
      kinds.set(known.all);
      for (const handler of handlers) handler();
    },
  };
}
