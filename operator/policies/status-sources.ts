import type {StatusSource} from './status-controller.js';

/** Two families as one; `isFirst` tells by the kind. */
export function joinStatusSources(first: StatusSource, second: StatusSource, isFirst: (kind: string) => boolean): StatusSource {
  const of = (kind: string) => (isFirst(kind) ? first : second);
  return {
    resourceOf: kind => of(kind).resourceOf(kind),
    state: (kind, key) => of(kind).state(kind, key),
    *all() {
      yield* first.all();
      yield* second.all();
    },
    idOf: (kind, key) => of(kind).idOf(kind, key),
    byId: id => first.byId(id) ?? second.byId(id),
    isIntercepted: (kind, key) => of(kind).isIntercepted(kind, key),
    statusOf: (kind, key, input) => of(kind).statusOf(kind, key, input),
    saysReady: object => of(String(object['kind'] ?? '')).saysReady(object),
  };
}
