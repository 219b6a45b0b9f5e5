import type {ResourceRule} from '../../cel-policies/model.js';
import type {KindInfo, ResourceMap} from '../../resource-map.js';

/** A kind that rules name, and the subresource that changes are written to. */
export interface NamedKind {
  readonly kind: KindInfo;
  readonly subResource: string;
  /** A star stood for the resource: what cannot be listed of it was not meant. */
  readonly any: boolean;
}

/** Every kind that resource rules can mean, each once; names that are unknown to the cluster are left out. */
export function kindsOfRules(rules: readonly ResourceRule[], resources: ResourceMap): readonly NamedKind[] {
  const found = new Map<string, NamedKind>();
  for (const rule of rules) {
    for (const kind of resources.all()) {
      if (!named(rule.apiGroups, kind.group) || !named(rule.apiVersions, kind.version)) continue;
      for (const [subResource, any] of subResourcesOf(rule.resources, kind)) {
        const key = `${kind.group}/${kind.version}/${kind.resource}/${subResource}`;
        if (found.get(key)?.any !== false) found.set(key, {kind, subResource, any});
      }
    }
  }
  return preferred([...found.values()], rules);
}

function named(values: readonly string[], value: string): boolean {
  return values.includes('*') || values.includes(value);
}

/** By subresource, whether only a star stands for it. */
function subResourcesOf(texts: readonly string[], kind: KindInfo): Map<string, boolean> {
  const found = new Map<string, boolean>();
  for (const text of texts) {
    const slash = text.indexOf('/');
    const name = slash === -1 ? text : text.slice(0, slash);
    if (name !== '*' && name !== kind.resource) continue;
    const written = slash === -1 ? '' : text.slice(slash + 1);
    // A star stands for the objects themselves: their subresources are other views of the same.
    const subResource = written === '*' ? '' : written;
    if (subResource !== '' && !kind.subResources.includes(subResource)) continue;
    found.set(subResource, name === '*' && (found.get(subResource) ?? true));
  }
  return found;
}

/** Where a rule takes any version, an object is met in one: the first that is known. */
function preferred(kinds: readonly NamedKind[], rules: readonly ResourceRule[]): readonly NamedKind[] {
  if (!rules.some(rule => rule.apiVersions.includes('*'))) return kinds;
  const seen = new Set<string>();
  return kinds.filter(({kind, subResource}) => {
    const exact = rules.some(rule => rule.apiVersions.includes(kind.version) && named(rule.apiGroups, kind.group));
    const key = `${kind.group}/${kind.resource}/${subResource}`;
    if (seen.has(key) && !exact) return false;
    seen.add(key);
    return true;
  });
}
