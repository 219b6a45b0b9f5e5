import type {KubeClient} from '../../adapters/kube/types.js';
import {isObject} from '../../engine/json/types.js';
import {apiVersionOf, type KindInfo} from '../../engine/resource-map.js';
import {relationOf} from '../generate/relation.js';
import type {BackgroundPolicy, BackgroundRule} from '../update-requests/background-policy.js';
import {type NamedObject, namedObject} from '../update-requests/trigger.js';
import {resourceId} from '../update-requests/trigger-kinds.js';

/** Triggers of one kind of one rule. */
export interface TriggerPlace {
  readonly rule: BackgroundRule;
  readonly kind: KindInfo;
}

/** Where the triggers are of rules that change existing objects. */
export function placesOf({ref, rules}: BackgroundPolicy): TriggerPlace[] {
  return rules
    .filter(rule => rule.type === 'mutate' && rule.existing)
    .flatMap(rule => rule.triggers().map(kind => ({rule, kind})))
    .filter(({kind}) => ref.namespace === '' || kind.namespaced);
}

/** Tells a place of a rule from the others. */
export function workOf({kind}: TriggerPlace): string {
  return `triggers ${resourceId(kind)}`;
}

/** Lists the triggers, page by page. Rejects with a KubeError, when some may have been told already. */
export async function listTriggers(client: Pick<KubeClient, 'list'>, {ref: {namespace}}: BackgroundPolicy, {rule, kind}: TriggerPlace, onTrigger: (trigger: NamedObject) => void): Promise<void> {
  const {group, version, resource} = kind;
  let first = true;
  await client.list(
    {group, version, resource, ...(namespace !== '' && {namespace})},
    {
      onPage(items) {
        for (const item of items.filter(isObject)) {
          // Where every trigger leads to the same targets, one is enough.
          if (!rule.targetsByTrigger && !first) return;
          if (rule.skipBackgroundRequests && relationOf(item) !== undefined) continue;
          first = false;
          onTrigger(namedObject({...item, apiVersion: apiVersionOf(kind), kind: kind.kind}));
        }
      },
    },
  );
}
