import type {Clock} from '../../adapters/clock.js';
import type {KubeClient} from '../../adapters/kube/types.js';
import type {Logger} from '../../adapters/log/logger.js';
import {ownPath} from '../../engine/json/types.js';
import {createGrantMemory} from './grant-memory.js';
import type {MissingRight, RightHolder} from './work-errors.js';

export interface MissingRights {
  /** The work waits, at no cost, until the right is there. */
  park(right: MissingRight, work: string): void;
  /** Whether the right is waited for. */
  isMissing(right: MissingRight): boolean;
  readonly size: number;
  stop(): void;
}

export interface MissingRightsOptions {
  /** Each asks for itself. */
  readonly clients: Readonly<Record<RightHolder, Pick<KubeClient, 'create'>>>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly onGranted: (right: MissingRight, works: readonly string[]) => void;
}

const firstProbeMs = 2_000;
const maxProbeMs = 30_000;

/** Where a right was missing: it may be granted there alone. */
interface Place {
  readonly namespace: string;
  readonly name: string;
  readonly works: Set<string>;
}

interface Parked {
  readonly right: MissingRight;
  readonly places: Map<string, Place>;
  /** Of these the ones that are asked about next. */
  next: number;
  delayMs: number;
  cancel: () => void;
}

/**
 * Three questions to the API server per missing right and half a minute, however much work waits for it: everywhere, in one
 * namespace, and for one object where it was missing for that.
 */
export function createMissingRights({clients, clock, log, onGranted}: MissingRightsOptions): MissingRights {
  const parked = new Map<string, Parked>();
  const memory = createGrantMemory(clock);
  let stopped = false;

  function later(entry: Parked): void {
    entry.cancel = clock.schedule(entry.delayMs / 2 + (entry.delayMs / 2) * Math.random(), () => void probe(entry));
    entry.delayMs = Math.min(maxProbeMs, entry.delayMs * 2);
  }

  /** Places that have the right now. */
  async function grantedOf({right, places, next}: Parked): Promise<readonly string[]> {
    if (await isGranted(right, '', '')) return [...places.keys()];
    const namespaces = [...new Set([...places.values()].map(({namespace}) => namespace))].filter(namespace => namespace !== '');
    const one = namespaces[next % Math.max(1, namespaces.length)];
    if (one !== undefined && (await isGranted(right, one, ''))) return [...places].filter(([, {namespace}]) => namespace === one).map(([key]) => key);
    const named = [...places].filter(([, {name}]) => name !== '');
    const object = named[next % Math.max(1, named.length)];
    if (object === undefined) return [];
    const [key, {namespace, name}] = object;
    return (await isGranted(right, namespace, name)) ? [key] : [];
  }

  async function probe(entry: Parked): Promise<void> {
    const {right, places} = entry;
    const key = keyOf(right);
    let granted: readonly string[] = [];
    try {
      granted = await grantedOf(entry);
    } catch (error) {
      log.warn('background: the API server does not say whether a right is there', {right: right.key, error: String(error)});
    }
    entry.next += 1;
    if (parked.get(key) !== entry) return;
    const going = granted.flatMap(place => [...(places.get(place)?.works ?? [])]);
    const isNews = !granted.some(place => memory.isVain(key, place));
    if (going.length > 0) memory.granted(key, granted, entry.delayMs);
    for (const place of granted) places.delete(place);
    if (places.size === 0) parked.delete(key);
    else {
      // Where one place has it now, others may follow.
      if (going.length > 0 && isNews) entry.delayMs = firstProbeMs;
      later(entry);
    }
    if (going.length === 0) return;
    const text = `background: ${right.verb} ${right.resource} is granted now; ${going.length} works go on`;
    if (isNews) log.info(text);
    else log.v(2, text);
    onGranted(right, going);
  }

  async function isGranted({verb, group, resource, holder}: MissingRight, namespace: string, name: string): Promise<boolean> {
    const [whole = '', subresource] = resource.split('/');
    const answer = await clients[holder].create(
      {group: 'authorization.k8s.io', version: 'v1', resource: 'selfsubjectaccessreviews'},
      {
        apiVersion: 'authorization.k8s.io/v1',
        kind: 'SelfSubjectAccessReview',
        spec: {resourceAttributes: {verb, group, resource: whole, ...(subresource !== undefined && {subresource}), ...(namespace !== '' && {namespace}), ...(name !== '' && {name})}},
      },
    );
    return ownPath(answer, 'status', 'allowed') === true;
  }

  return {
    park(right, work) {
      if (stopped) return;
      const [key, place] = [keyOf(right), placeOf(right)];
      // The API server says that it is granted, and refuses all the same.
      const delayMs = memory.isVain(key, place) ? memory.delayOf(key) : firstProbeMs;
      let entry = parked.get(key);
      if (entry === undefined) {
        entry = {right, places: new Map(), next: 0, delayMs, cancel: () => undefined};
        parked.set(key, entry);
        later(entry);
      }
      const waiting = entry.places.get(place);
      if (waiting === undefined) entry.places.set(place, {namespace: right.namespace, name: right.object, works: new Set([work])});
      else waiting.works.add(work);
    },
    isMissing: right => parked.get(keyOf(right))?.places.has(placeOf(right)) === true,
    get size() {
      let size = 0;
      for (const {places} of parked.values()) for (const {works} of places.values()) size += works.size;
      return size;
    },
    stop() {
      stopped = true;
      for (const {cancel} of parked.values()) cancel();
      parked.clear();
    },
  };
}

/** One right of one account, wherever it is missing. */
function keyOf({holder, key}: MissingRight): string {
  return `${holder} ${key}`;
}

function placeOf({namespace, object}: MissingRight): string {
  return `${namespace}/${object}`;
}
