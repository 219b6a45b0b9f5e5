import type {Clock} from '../../adapters/clock.js';
import type {KubeClient} from '../../adapters/kube/types.js';
import {type JsonObject, own, ownPath} from '../../engine/json/types.js';
import type {Manager, Registration} from '../manager/manager.js';
import {type Condition, mergeConditions, timestamp} from '../status/conditions.js';
import {writeStatus} from '../status/write-status.js';

interface UnservedKind {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly namespaced: boolean;
  /** Where the kind keeps its readiness. */
  readonly shape: 'conditions' | 'conditionStatus';
}

const cel = (resource: string, namespaced: boolean): UnservedKind => ({
  group: 'policies.kyverno.io',
  version: 'v1',
  resource,
  namespaced,
  shape: 'conditionStatus',
});

/** Kinds that are stored but not served by this release, with a status that says so. */
export const unservedKinds: readonly UnservedKind[] = [
  ...['validatingpolicies', 'mutatingpolicies', 'generatingpolicies', 'imagevalidatingpolicies', 'deletingpolicies'].flatMap(name => [
    cel(name, false),
    cel(`namespaced${name}`, true),
  ]),
];

export interface UnservedOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly manager: Manager;
}

/** One leader-only handler per unserved kind. */
export function unservedRegistrations({client, clock, manager}: UnservedOptions): Registration[] {
  return unservedKinds.map(kind => {
    const key = `${kind.resource}.${kind.group}`;
    return {
      key,
      group: kind.group,
      version: kind.version,
      resource: kind.resource,
      namespaced: kind.namespaced,
      optional: true,
      leaderOnly: true,
      project: withoutSpec,
      async reconcile(objectKey) {
        const cached = manager.lister(key).get(objectKey);
        if (cached === undefined) return;
        await writeStatus(client, manager.ref(key, objectKey), object => unservedStatus(kind, object, timestamp(clock.now())), {cached});
      },
    };
  });
}

function unservedStatus(kind: UnservedKind, object: JsonObject, now: string): JsonObject {
  const status = own(object, 'status');
  const before = typeof status === 'object' && status !== null && !Array.isArray(status) ? (status as JsonObject) : {};
  const generation = ownPath(object, 'metadata', 'generation');
  const message = `${kind.resource} are stored but not served by this release`;
  const wanted: Condition[] = [{type: 'Ready', status: 'False', reason: 'NotServed', message}];
  const options = {wanted, generation: typeof generation === 'number' ? generation : 0, now};
  if (kind.shape === 'conditions') return {...before, conditions: mergeConditions(own(before, 'conditions'), options)};
  const existing = ownPath(before, 'conditionStatus', 'conditions');
  return {...before, conditionStatus: {ready: false, message, conditions: mergeConditions(existing, options)}};
}

/** Only identity and status are looked at. */
function withoutSpec(object: JsonObject): JsonObject {
  const {spec: _spec, ...rest} = object;
  return rest;
}
