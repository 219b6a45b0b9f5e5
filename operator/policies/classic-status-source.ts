import {statusRules} from '../../engine/autogen/status-rules.js';
import {formatDiagnostic} from '../../engine/diagnostic.js';
import {own, ownPath} from '../../engine/json/types.js';
import type {PolicyCache} from '../../engine/snapshot/policy-cache.js';
import {classicStatus} from '../status/classic-status.js';
import type {NativePolicies} from '../native-policies/native-states.js';
import type {Condition} from '../status/conditions.js';
import {storedBackgroundConditions, storedCleanupConditions} from '../status/background-conditions.js';
import type {PolicyWebhookNote} from '../webhooks/types.js';
import {type ClassicKind, policyResources} from './policy-handlers.js';
import type {StatusSource} from './status-controller.js';

export interface ClassicSourceOptions {
  readonly cache: PolicyCache;
  readonly refusedConditions: (key: string) => string | undefined;
  readonly native: NativePolicies;
  readonly notes: (key: string) => readonly PolicyWebhookNote[];
  /** What else this replica has to tell. */
  readonly background: (kind: string, key: string) => readonly Condition[];
}

/** ClusterPolicy and Policy. Their keys never meet: only a Policy's holds a slash. */
export function classicStatusSource({cache, refusedConditions, notes, native, background}: ClassicSourceOptions): StatusSource {
  const kindOf = (key: string): ClassicKind => (key.includes('/') ? 'Policy' : 'ClusterPolicy');
  return {
    resourceOf: kind => policyResources[kind as ClassicKind],
    state: (_kind, key) => cache.policy(key),
    *all() {
      for (const {key} of cache.policies()) yield {kind: kindOf(key), key};
    },
    idOf: (_kind, key) => key,
    // Names of API objects are lower case: what begins otherwise is another family's.
    byId: id => (/^[A-Z]/.test(id) ? undefined : {kind: kindOf(id), key: id}),
    isIntercepted(_kind, key) {
      const state = cache.policy(key);
      const copy = state?.status === 'served' ? native.stateOf(state.policy) : undefined;
      return copy?.generated !== true || copy.outdated === true;
    },
    statusOf(_kind, key, {object, readiness, now}) {
      const state = cache.policy(key);
      if (state === undefined) return undefined;
      const trial = refusedConditions(key);
      const refused = state.status === 'refused' ? state.problems.map(formatDiagnostic) : trial === undefined ? [] : [trial];
      const policy = state.status === 'served' ? state.policy.source : undefined;
      return classicStatus({
        generation: state.generation,
        policy,
        refused,
        native: state.status === 'served' ? native.stateOf(state.policy) : undefined,
        autogenRules: policy === undefined ? [] : statusRules(policy),
        readiness,
        // No condition of its own: scripts take a policy for ready when Ready is all that is said of it.
        remarks: notes(key).flatMap(({reason, message}) => (reason === 'bootstrap' || reason === 'risk' ? [message] : [])),
        conditions: [...notes(key).flatMap(noteConditions), ...background(kindOf(key), key), ...storedBackgroundConditions(own(object, 'status')), ...storedCleanupConditions(object)],
        existing: own(object, 'status'),
        now,
      });
    },
    saysReady(object) {
      const conditions = ownPath(object, 'status', 'conditions');
      const ready = (Array.isArray(conditions) ? conditions : []).find(condition => ownPath(condition, 'type') === 'Ready');
      return ownPath(ready, 'status') === 'True' && ownPath(ready, 'observedGeneration') === ownPath(object, 'metadata', 'generation');
    },
  };
}

function noteConditions({reason, message}: PolicyWebhookNote): readonly Condition[] {
  switch (reason) {
    case 'bootstrap':
    case 'risk':
      return [];
    case 'unresolved':
      return [{type: 'KindsResolved', status: 'False', reason: 'UnknownKinds', message}];
    case 'timeout':
      return [{type: 'TimeoutCapped', status: 'True', reason: 'TimeoutCapped', message}];
  }
}
