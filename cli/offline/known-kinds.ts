import {createResourceMap} from '../../engine/builtin-resources.js';
import {isObject, type Json, type JsonObject, own} from '../../engine/json/types.js';
import type {KindInfo, ResourceMap} from '../../engine/resource-map.js';
import {groupVersionOf, kindOf} from '../files/load-resources.js';
import {guessPlural} from './request.js';

/**
 * The map with kinds that only files know: those of the objects at hand and those that policies would write. Their
 * plural is guessed, and they count as namespaced.
 */
export function withKindsOf(
  resources: ResourceMap,
  objects: readonly JsonObject[],
  policies: readonly JsonObject[],
): ResourceMap {
  const extra = new Map<string, KindInfo>();
  const add = (object: JsonObject) => {
    const {group, version} = groupVersionOf(object);
    const kind = kindOf(object).split('/')[0] ?? '';
    if (kind === '' || version === '' || /[*?{]/.test(`${group}${version}${kind}`)) return;
    if (resources.find(kind).some(info => info.group === group && info.version === version)) return;
    const twin = resources.find(kind).find(info => info.group === group);
    extra.set(`${group}/${version}/${kind}`, {
      group,
      version,
      kind,
      resource: twin?.resource ?? guessPlural(kind),
      namespaced: twin?.namespaced ?? true,
      subResources: twin?.subResources ?? [],
    });
  };
  objects.forEach(add);
  for (const policy of policies) visitTyped(own(policy, 'spec') ?? null, add, 0);
  return extra.size === 0 ? resources : createResourceMap([...resources.all(), ...extra.values()]);
}

const deepest = 64;

function visitTyped(value: Json, add: (object: JsonObject) => void, depth: number): void {
  if (depth > deepest) return;
  if (Array.isArray(value)) {
    for (const item of value) visitTyped(item, add, depth + 1);
    return;
  }
  if (!isObject(value)) return;
  if (typeof own(value, 'kind') === 'string' && typeof own(value, 'apiVersion') === 'string') add(value);
  for (const key of Object.keys(value)) visitTyped(value[key]!, add, depth + 1);
}
