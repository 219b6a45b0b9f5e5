import {ownPath} from '../../engine/json/types.js';
import type {PolicyResult, RuleStatus} from '../../engine/types.js';
import type {Core} from '../feature.js';
import type {ReportSettings} from './admission-results.js';

const disabledLabel = 'reports.kyverno.io/disabled';

const sets = new WeakMap<readonly string[], ReadonlySet<string>>();

/** Lists of settings are replaced, never changed. */
function setOf<T extends string>(list: readonly T[]): ReadonlySet<T> {
  let set = sets.get(list);
  if (set === undefined) sets.set(list, (set = new Set(list)));
  return set as ReadonlySet<T>;
}

/** What goes into reports, by the flags of the moment and the labels of policies. */
export function reportSettings({flags, cache, cel}: Pick<Core, 'flags' | 'cache' | 'cel'>): ReportSettings {
  function isSilent({policy}: PolicyResult): boolean {
    const state = cel.cache.policy(policy.kind, policy.key);
    const classic = cache.policy(policy.key);
    const labels = state?.status === 'served' ? state.policy.source.labels : classic?.status === 'served' ? ownPath(classic.policy.source.raw, 'metadata', 'labels') : undefined;
    return typeof labels === 'object' && labels !== null && Object.hasOwn(labels, disabledLabel);
  }
  return {
    get reporting() {
      return setOf(flags.enableReporting);
    },
    get allowed() {
      return setOf(flags.allowedResults as readonly RuleStatus[]);
    },
    isSilent,
  };
}
