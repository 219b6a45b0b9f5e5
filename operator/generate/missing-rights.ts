import type {Clock} from '../../adapters/clock.js';
import type {KubeClient} from '../../adapters/kube/types.js';
import type {Logger} from '../../adapters/log/logger.js';
import {ownPath} from '../../engine/json/types.js';
import type {MissingRight} from './work-errors.js';

export interface MissingRights {
  /** The work waits, at no cost, until the right is there. */
  park(right: MissingRight, work: string): void;
  /** Whether the right is waited for. */
  isMissing(right: MissingRight): boolean;
  readonly size: number;
  stop(): void;
}

export interface MissingRightsOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly log: Logger;
  readonly onGranted: (right: MissingRight, works: readonly string[]) => void;
}

const firstProbeMs = 2_000;
const maxProbeMs = 30_000;

interface Parked {
  readonly right: MissingRight;
  /** By the namespace that the right was missing in: it may be granted there alone. */
  readonly works: Map<string, Set<string>>;
  /** Of these the one that is asked about next. */
  next: number;
  delayMs: number;
  cancel: () => void;
}

/** Two questions to the API server per missing right and half a minute, however much work waits for it: everywhere, and in one namespace. */
export function createMissingRights({client, clock, log, onGranted}: MissingRightsOptions): MissingRights {
  const parked = new Map<string, Parked>();
  let stopped = false;

  function later(entry: Parked): void {
    entry.cancel = clock.schedule(entry.delayMs / 2 + (entry.delayMs / 2) * Math.random(), () => void probe(entry));
    entry.delayMs = Math.min(maxProbeMs, entry.delayMs * 2);
  }

  async function probe(entry: Parked): Promise<void> {
    const {right, works} = entry;
    const namespaces = [...works.keys()].filter(namespace => namespace !== '');
    const one = namespaces[entry.next++ % Math.max(1, namespaces.length)];
    let granted: readonly string[] = [];
    try {
      if (await isGranted(right, '')) granted = [...works.keys()];
      else if (one !== undefined && (await isGranted(right, one))) granted = [one];
    } catch (error) {
      log.warn('background: the API server does not say whether a right is there', {right: right.key, error: String(error)});
    }
    if (parked.get(right.key) !== entry) return;
    const going = granted.flatMap(namespace => [...(works.get(namespace) ?? [])]);
    for (const namespace of granted) works.delete(namespace);
    if (works.size === 0) parked.delete(right.key);
    else {
      // Where one namespace has it now, others may follow.
      if (going.length > 0) entry.delayMs = firstProbeMs;
      later(entry);
    }
    if (going.length === 0) return;
    log.info(`background: ${right.verb} ${right.resource} is granted now; ${going.length} works go on`);
    onGranted(right, going);
  }

  async function isGranted({verb, group, resource}: MissingRight, namespace: string): Promise<boolean> {
    const [whole = '', subresource] = resource.split('/');
    const answer = await client.create(
      {group: 'authorization.k8s.io', version: 'v1', resource: 'selfsubjectaccessreviews'},
      {
        apiVersion: 'authorization.k8s.io/v1',
        kind: 'SelfSubjectAccessReview',
        spec: {resourceAttributes: {verb, group, resource: whole, ...(subresource !== undefined && {subresource}), ...(namespace !== '' && {namespace})}},
      },
    );
    return ownPath(answer, 'status', 'allowed') === true;
  }

  return {
    park(right, work) {
      if (stopped) return;
      let entry = parked.get(right.key);
      if (entry === undefined) {
        entry = {right, works: new Map(), next: 0, delayMs: firstProbeMs, cancel: () => undefined};
        parked.set(right.key, entry);
        later(entry);
      }
      const waiting = entry.works.get(right.namespace);
      if (waiting === undefined) entry.works.set(right.namespace, new Set([work]));
      else waiting.add(work);
    },
    isMissing: right => parked.get(right.key)?.works.has(right.namespace) === true,
    get size() {
      let size = 0;
      for (const {works} of parked.values()) for (const waiting of works.values()) size += waiting.size;
      return size;
    },
    stop() {
      stopped = true;
      for (const {cancel} of parked.values()) cancel();
      parked.clear();
    },
  };
}
