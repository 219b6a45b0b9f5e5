import type {JsonObject} from '../../engine/json/types.js';
import type {KindInfo} from '../../engine/resource-map.js';
import {createdAt} from '../created-at.js';
import type {BackgroundPolicy, BackgroundRule} from '../update-requests/background-policy.js';
import type {IsJudged} from '../update-requests/judged-objects.js';
import type {NamedObject} from '../update-requests/trigger.js';
import type {Downstream} from './downstream-index.js';
import type {Obligations} from './obligations.js';
import {relationOf} from './relation.js';

export interface DerivedFrom {
  readonly policy: BackgroundPolicy;
  readonly named: NamedObject;
  readonly live: JsonObject;
  readonly kind: KindInfo;
  /** What the policy has made for the trigger. */
  readonly downstreams: readonly Downstream[];
  readonly obligations: Obligations;
  readonly isJudged: IsJudged;
}

/** Whether the cluster's state alone says that the rule is to be applied to the trigger. */
export function isDerived(rule: BackgroundRule, {policy, named, live, kind, downstreams, obligations, isJudged}: DerivedFrom): boolean {
  if (operationFor(rule) === undefined) return false;
  if (rule.synchronize && downstreams.some(({relation}) => relation.rule === rule.name && !relation.ofDeletion)) return true;
  if (obligations.has(policy.id, rule.name, named)) return true;
  if (rule.needsRequest || rule.readsOld) return false;
  if (rule.skipBackgroundRequests && relationOf(live) !== undefined) return false;
  if (!isJudged(kind, named, !rule.existing)) return false;
  if (rule.existing) return true;
  const created = createdAt(live);
  return rule.synchronize && created > policy.created && (rule.operations === undefined || rule.operations.has('CREATE'));
}

/** As what request an object that is there is shown to a rule; `undefined`: the rule is not about such objects. */
export function operationFor({operations}: BackgroundRule): 'CREATE' | 'UPDATE' | undefined {
  if (operations === undefined || operations.has('CREATE')) return 'CREATE';
  return operations.has('UPDATE') ? 'UPDATE' : undefined;
}
