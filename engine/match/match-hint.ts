import type {FilterGroup, ResourceFilter} from '../policy/model.js';

/** What a request must show for a rule to match it, in a form that a hash can be asked for. */
export type MatchHint =
  | {readonly type: 'label'; readonly key: string; readonly value: string}
  /** The object's name starts with `prefix`, which is not empty. */
  | {readonly type: 'name'; readonly prefix: string};

/** At least one of the hints holds for every request that `match` selects; `undefined` when there is no such list. */
export function matchHints(group: FilterGroup): readonly MatchHint[] | undefined {
  const perFilter = group.filters.map(hintsOf);
  if (group.mode === 'all') return perFilter.find(hints => hints !== undefined);
  const all: MatchHint[] = [];
  for (const hints of perFilter) {
    if (hints === undefined) return undefined;
    all.push(...hints);
  }
  return all.length === 0 ? undefined : all;
}

function hintsOf(filter: ResourceFilter): readonly MatchHint[] | undefined {
  for (const [key, value] of Object.entries(filter.selector?.matchLabels ?? {})) {
    if (!/[*?]/.test(key) && !/[*?]/.test(value)) return [{type: 'label', key, value}];
  }
  if (filter.names.length === 0) return undefined;
  const prefixes = filter.names.map(name => name.split(/[*?]/, 1)[0] ?? '');
  return prefixes.includes('') ? undefined : prefixes.map(prefix => ({type: 'name', prefix}));
}
