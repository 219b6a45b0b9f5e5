import type {Cluster} from '../../cluster/cluster.js';
import {collections, idOf, type Item} from './kinds.js';

/** Every object of the kinds that a take-over is about, by `group/Kind/namespace/name`. */
export type Snapshot = ReadonlyMap<string, Item>;

export async function takeSnapshot(cluster: Pick<Cluster, 'request'>): Promise<Snapshot> {
  const found = new Map<string, Item>();
  for (const {kind, apiVersion, path} of collections()) {
    const {status, body} = await cluster.request<{items?: Item[]}>('GET', path);
    // Of a kind that these definitions do not have there is nothing.
    if (status === 404) continue;
    if (status !== 200) throw new Error(`${path}: ${status} ${JSON.stringify(body)}`);
    for (const item of body.items ?? []) {
      const whole = {...item, apiVersion, kind};
      found.set(idOf(whole), whole);
    }
  }
  return found;
}

/** Names that are there after and were not before; `group/Kind` in front. */
export function added(before: Snapshot, after: Snapshot, concerns: (id: string) => boolean): readonly string[] {
  return [...after.keys()].filter(id => !before.has(id) && concerns(id)).sort();
}

export function ofKind(snapshot: Snapshot, ...kinds: readonly string[]): readonly Item[] {
  return [...snapshot.values()].filter(({kind}) => kinds.includes(kind));
}

/** Objects that were deleted and made anew; but for Services, which the guide has one delete. */
export function recreated(before: Snapshot, after: Snapshot): readonly string[] {
  return [...before].flatMap(([id, {kind, metadata}]) => {
    const now = after.get(id);
    return kind === 'Service' || now === undefined || now.metadata.uid === metadata.uid ? [] : [id];
  });
}
