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
  readonly works: Set<string>;
  delayMs: number;
  cancel: () => void;
}

/** One question to the API server per missing right and half a minute, however much work waits for it. */
export function createMissingRights({client, clock, log, onGranted}: MissingRightsOptions): MissingRights {
  const parked = new Map<string, Parked>();

  function later(entry: Parked): void {
    entry.cancel = clock.schedule(entry.delayMs / 2 + (entry.delayMs / 2) * Math.random(), () => void probe(entry));
    entry.delayMs = Math.min(maxProbeMs, entry.delayMs * 2);
  }

  async function probe(entry: Parked): Promise<void> {
    const {right} = entry;
    let granted = false;
    try {
      granted = await isGranted(right);
    } catch (error) {
      log.warn('background: the API server does not say whether a right is there', {right: right.key, error: String(error)});
    }
    if (parked.get(right.key) !== entry) return;
    if (!granted) return later(entry);
    parked.delete(right.key);
    log.info(`background: ${right.verb} ${right.resource} is granted now; ${entry.works.size} works go on`);
    onGranted(right, [...entry.works]);
  }

  async function isGranted({verb, group, resource, namespace}: MissingRight): Promise<boolean> {
    const answer = await client.create(
      {group: 'authorization.k8s.io', version: 'v1', resource: 'selfsubjectaccessreviews'},
      {
        apiVersion: 'authorization.k8s.io/v1',
        kind: 'SelfSubjectAccessReview',
        spec: {resourceAttributes: {verb, group, resource, ...(namespace !== '' && {namespace})}},
      },
    );
    return ownPath(answer, 'status', 'allowed') === true;
  }

  return {
    park(right, work) {
      let entry = parked.get(right.key);
      if (entry === undefined) {
        entry = {right, works: new Set(), delayMs: firstProbeMs, cancel: () => undefined};
        parked.set(right.key, entry);
        later(entry);
      }
      entry.works.add(work);
    },
    isMissing: right => parked.has(right.key),
    get size() {
      let size = 0;
      for (const {works} of parked.values()) size += works.size;
      return size;
    },
    stop() {
      for (const {cancel} of parked.values()) cancel();
      parked.clear();
    },
  };
}
