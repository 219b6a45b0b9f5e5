import type {KindInfo, ResourceMap} from '../../engine/resource-map.js';
import type {BackgroundPolicy, BackgroundRule} from '../update-requests/background-policy.js';
import {groupOf} from '../update-requests/trigger.js';
import {resourceId} from '../update-requests/trigger-kinds.js';
import type {DownstreamIndex} from './downstream-index.js';
import type {WantedWatch} from './kind-watches.js';

export interface RuleOfPolicy {
  readonly policy: BackgroundPolicy;
  readonly rule: BackgroundRule;
}

export interface WatchPlan {
  readonly watches: ReadonlyMap<string, WantedWatch>;
  /** Rules that the state of objects of a kind may trigger, by `resourceId`. */
  readonly triggered: ReadonlyMap<string, readonly RuleOfPolicy[]>;
  /** Rules that copy objects of a kind. */
  readonly copied: ReadonlyMap<string, readonly RuleOfPolicy[]>;
  /** Policies that a new namespace concerns. */
  readonly fansOut: ReadonlySet<string>;
}

/** What has to be watched for the work that the cluster's state itself implies. */
export function planWatches(policies: Iterable<BackgroundPolicy>, index: DownstreamIndex, resources: ResourceMap): WatchPlan {
  const watches = new Map<string, WantedWatch>();
  const triggered = new Map<string, RuleOfPolicy[]>();
  const copied = new Map<string, RuleOfPolicy[]>();
  const fansOut = new Set<string>();

  function watch(kind: KindInfo | undefined, all: boolean): void {
    if (kind === undefined) return;
    const id = resourceId(kind);
    const known = watches.get(id);
    if (known === undefined || (all && !known.all)) watches.set(id, {kind, all});
  }

  for (const policy of policies) {
    for (const rule of policy.rules) {
      if (rule.type !== 'generate' || !(rule.synchronize || rule.existing)) continue;
      const own = {policy, rule};
      for (const kind of rule.triggers()) {
        watch(kind, true);
        push(triggered, resourceId(kind), own);
      }
      if (!rule.synchronize) continue;
      for (const kind of rule.makes()) watch(kind, false);
      for (const kind of rule.sources()) {
        watch(kind, true);
        push(copied, resourceId(kind), own);
      }
      if (!rule.fansOut) continue;
      fansOut.add(policy.id);
      watch(resources.find('Namespace').find(info => info.group === ''), true);
    }
  }
  for (const {object, source} of index.objects()) {
    for (const named of source === undefined ? [object] : [object, source]) {
      const group = groupOf(named.apiVersion);
      watch(resources.find(named.kind).find(info => info.group === group), named === source);
    }
  }
  return {watches, triggered, copied, fansOut};
}

function push(map: Map<string, RuleOfPolicy[]>, key: string, value: RuleOfPolicy): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [value]);
  else list.push(value);
}
