import {parseKindSelector} from '../../engine/match/kind-selector.js';
import type {KindInfo, ResourceMap} from '../../engine/resource-map.js';
import {compileGlob} from '../../engine/values/glob.js';

/** One resource (`pods`, `pods/exec`, `*`, every `scale`) in one group and version. */
export interface ResolvedResource {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly scope: 'Namespaced' | '*';
}

export interface ResolveOptions {
  readonly resources: ResourceMap;
  /** Kinds of a namespaced policy: cluster-scoped resources are left out. */
  readonly namespacedOnly: boolean;
}

/** Resources behind a kind selector as users write it; empty when the cluster has none of that kind. */
export function resolveKind(text: string, options: ResolveOptions): ResolvedResource[] {
  const selector = parseKindSelector(text);
  if (selector === undefined) return [];
  const wildScope = options.namespacedOnly ? 'Namespaced' : '*';
  if (selector.kind === '*') {
    const resource = selector.subresource === '' ? '*' : `*/${selector.subresource}`;
    return [{group: selector.group, version: selector.version, resource, scope: wildScope}];
  }
  const group = compileGlob(selector.group);
  const version = compileGlob(selector.version);
  const kind = compileGlob(selector.kind);
  const found = candidates(selector.kind, options.resources).filter(
    info => kind(info.kind) && group(info.group) && version(info.version) && (info.namespaced || !options.namespacedOnly),
  );
  const chosen = selector.version === '*' ? preferredOnly(found) : found;
  return chosen.flatMap(info => withSubresource(info, selector.subresource));
}

function candidates(kind: string, resources: ResourceMap): readonly KindInfo[] {
  return /[*?]/.test(kind) ? resources.all() : resources.find(kind);
}

/** With `matchPolicy: Equivalent` one version of a group catches requests in all of them. */
function preferredOnly(found: readonly KindInfo[]): KindInfo[] {
  const seen = new Set<string>();
  return found.filter(info => {
    const key = `${info.group}/${info.resource}`;
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}

function withSubresource(info: KindInfo, subresource: string): ResolvedResource[] {
  const base = {group: info.group, version: info.version, scope: info.namespaced ? ('Namespaced' as const) : ('*' as const)};
  if (subresource === '') return [{...base, resource: info.resource}];
  const matches = compileGlob(subresource);
  const named = info.subResources.filter(matches).map(name => ({...base, resource: `${info.resource}/${name}`}));
  return matches('') ? [{...base, resource: info.resource}, ...named] : named;
}
