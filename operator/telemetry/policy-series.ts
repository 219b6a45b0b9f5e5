import {Counter, Gauge} from 'prom-client';
import {ownPath} from '../../engine/json/types.js';
import type {JsonObject} from '../../engine/json/types.js';
import {celResourceKey} from '../cel-policies/cel-kinds.js';
import type {Core} from '../feature.js';
import {policyResources} from '../policies/policy-handlers.js';
import {type DescribedPolicy, describeCel, describeClassic} from './described-policy.js';

export type PolicyChange = 'created' | 'updated' | 'deleted';

export interface PolicySeries {
  changed(policy: DescribedPolicy, change: PolicyChange): void;
}

const policyLabels = ['policy_validation_mode', 'policy_type', 'policy_background_mode', 'policy_namespace', 'policy_name'];

/** What policies there are, read when somebody scrapes, and how they change. */
export function createPolicySeries({metrics, cache, cel, manager}: Pick<Core, 'metrics' | 'cache' | 'cel' | 'manager'>): PolicySeries {
  const registers = [metrics.registry];
  const changes = new Counter({
    name: 'kyverno_policy_changes_total',
    help: 'Policies created, updated and deleted since this replica started',
    labelNames: [...policyLabels, 'policy_change_type'],
    registers,
  });
  new Gauge({
    name: 'kyverno_policy_rule_info_total',
    help: '1 for each rule of each policy that is served',
    labelNames: ['rule_name', 'rule_type', ...policyLabels, 'status_ready'],
    registers,
    collect() {
      this.reset();
      const show = ({labels, rules}: DescribedPolicy, stored: JsonObject | undefined) => {
        const status_ready = String(isReady(stored));
        for (const rule of rules) this.set({...rule, ...labels, status_ready}, 1);
      };
      for (const state of cache.policies()) {
        if (state.status !== 'served') continue;
        const {key, kind} = state.policy.ref;
        show(describeClassic(state.policy), manager.lister(policyResources[kind === 'Policy' ? 'Policy' : 'ClusterPolicy']).get(key));
      }
      for (const state of cel.cache.policies()) {
        if (state.status !== 'served') continue;
        const {key, kind} = state.policy.ref;
        show(describeCel(state.policy), manager.lister(celResourceKey(kind)).get(key));
      }
    },
  });
  return {changed: ({labels}, policy_change_type) => changes.inc({...labels, policy_change_type})};
}

function isReady(stored: JsonObject | undefined): boolean {
  if (ownPath(stored, 'status', 'conditionStatus', 'ready') === true) return true;
  const conditions = ownPath(stored, 'status', 'conditions');
  return Array.isArray(conditions) && conditions.some(each => ownPath(each, 'type') === 'Ready' && ownPath(each, 'status') === 'True');
}
