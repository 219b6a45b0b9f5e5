import type {CelPolicyCache} from '../../engine/cel-policies/snapshot/cel-policy-cache.js';
import type {CompiledCelPolicy} from '../../engine/cel-policies/types.js';
import {own, ownPath} from '../../engine/json/types.js';
import type {OwnRights} from '../permissions/own-rights.js';
import type {StatusSource} from '../policies/status-controller.js';
import {celResourceKey} from './cel-kinds.js';
import type {NativePolicyState} from '../native-policies/native-states.js';
import type {Condition} from '../status/conditions.js';
import {storedBackgroundConditions, storedCleanupConditions} from '../status/background-conditions.js';
import {failsInSystemNamespaces} from '../webhooks/plan-cel-webhooks.js';
import {systemOptIn} from '../webhooks/system-namespaces.js';
import {celStatus} from './cel-status.js';

export interface CelSourceOptions {
  readonly cache: CelPolicyCache;
  /** Of who writes reports. */
  readonly rights: OwnRights;
  /** What else this replica has to tell. */
  readonly background: (kind: string, key: string) => readonly Condition[];
  readonly hasOwnConditions: (policy: CompiledCelPolicy) => boolean;
  /** What became of the native policy that it asks for; `undefined` when it asks for none. */
  readonly native: (policy: CompiledCelPolicy) => NativePolicyState | undefined;
}

/** The kinds of `policies.kyverno.io`; known to replicas and webhooks as `<Kind>/<key>`. */
export function celStatusSource({cache, rights, native, background, hasOwnConditions}: CelSourceOptions): StatusSource {
  return {
    resourceOf: celResourceKey,
    state: (kind, key) => cache.policy(kind, key),
    *all() {
      for (const {kind, key} of cache.policies()) yield {kind, key};
    },
    idOf: (kind, key) => `${kind}/${key}`,
    byId(id) {
      const slash = id.indexOf('/');
      return /^[A-Z]/.test(id) && slash > 0 ? {kind: id.slice(0, slash), key: id.slice(slash + 1)} : undefined;
    },
    isIntercepted(kind, key) {
      const state = cache.policy(kind, key);
      if (state?.status !== 'served' || !needsWebhook(state.policy)) return false;
      const copy = native(state.policy);
      return copy?.generated !== true || copy.outdated === true;
    },
    statusOf(kind, key, {object, readiness, now}) {
      const state = cache.policy(kind, key);
      if (state === undefined) return undefined;
      const policy = state.status === 'served' ? state.policy : undefined;
      return celStatus({
        state,
        readiness,
        intercepted: policy !== undefined && needsWebhook(policy),
        missingRights: policy === undefined ? undefined : missingRights(policy, rights),
        native: policy === undefined ? undefined : native(policy),
        background: [...(policy === undefined ? [] : riskConditions(policy, hasOwnConditions)), ...background(kind, key), ...storedBackgroundConditions(own(object, 'status')), ...storedCleanupConditions(object)],
        existing: own(object, 'status'),
        now,
      });
    },
    saysReady(object) {
      const ready = ownPath(object, 'status', 'conditionStatus', 'ready') === true;
      return ready && ownPath(object, 'status', 'observedGeneration') === ownPath(object, 'metadata', 'generation');
    },
  };
}

/** What keeps a cluster from locking itself out does not hold for the policy: it asked for that. */
function riskConditions(policy: CompiledCelPolicy, hasOwnConditions: (policy: CompiledCelPolicy) => boolean): readonly Condition[] {
  const type = 'FailsInSystemNamespaces';
  // What generates never fails closed.
  if (policy.failurePolicy !== 'Fail' || policy.source.type === 'generating' || !needsWebhook(policy) || policy.ref.namespace !== '') return [];
  if (failsInSystemNamespaces(policy)) {
    const message = `nothing it matches in namespaces kube-* and openshift-* can be written while no replica answers (annotation ${systemOptIn})`;
    return [{type, status: 'True', reason: 'OptedIn', message}];
  }
  if (!hasOwnConditions(policy)) return [];
  const message = 'its own matchConditions decide whether namespaces kube-* and openshift-* stay writable while no replica answers';
  return [{type, status: 'Unknown', reason: 'OwnMatchConditions', message}];
}

export function needsWebhook({source}: CompiledCelPolicy): boolean {
  return source.type !== 'deleting' && source.spec.admission && source.spec.mode === 'Kubernetes';
}

/** Whether a policy's results lack the right to read what it names. */
export function lacksRights(cache: CelPolicyCache, rights: OwnRights): boolean {
  for (const state of cache.policies()) if (state.status === 'served' && (missingRights(state.policy, rights) ?? []).length > 0) return true;
  return false;
}

/**
 * Of what its rules name, subresources too: there are no results of what cannot be listed, and scripts look for that.
 * Wildcards are judged by what we may read of everything. `undefined`: nothing is scanned.
 */
function missingRights({source, variants}: CompiledCelPolicy, rights: OwnRights): readonly string[] | undefined {
  if (source.type === 'deleting') return undefined;
  if (source.type !== 'generating' && !source.spec.background) return undefined;
  const missing = new Set<string>();
  for (const {constraints} of variants) {
    for (const rule of constraints?.resourceRules ?? []) {
      for (const group of rule.apiGroups) {
        for (const resource of rule.resources) {
          for (const verb of ['get', 'list', 'watch']) {
            if (rights.can(verb, group, resource) !== false) continue;
            for (const version of rule.apiVersions) missing.add(`${verb} ${group}/${version}, Resource=${resource}: `);
          }
        }
      }
    }
  }
  return [...missing].sort();
}
