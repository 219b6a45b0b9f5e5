import {hasStatus} from '../../adapters/kube/kube-error.js';
import {celResourceKey} from '../cel-policies/cel-kinds.js';
import type {Core} from '../feature.js';
import {policyResources} from './policy-handlers.js';

/** Whether a policy (`Kind/key`) is no more. Asked of the API server: a cache that lags must not delete anything. */
export function policyGone({client, manager}: Pick<Core, 'client' | 'manager'>): (policyId: string) => Promise<boolean> {
  return async policyId => {
    const slash = policyId.indexOf('/');
    const kind = policyId.slice(0, slash);
    const key = policyId.slice(slash + 1);
    if (slash === -1 || key === '') return true;
    const resource = kind === 'ClusterPolicy' || kind === 'Policy' ? policyResources[kind] : celResourceKey(kind);
    try {
      await client.get(manager.ref(resource, key));
      return false;
    } catch (error) {
      if (hasStatus(error, 404)) return true;
      throw error;
    }
  };
}
