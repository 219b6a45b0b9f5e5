import type {Budget} from '../../budget.js';
import {isObject, type Json, own} from '../../json/types.js';
import type {StructuralType} from '../schema/types.js';

/**
 * Paths of the atomic lists, maps and structs that a configuration sets, in its order: what is not in it would be lost.
 * Only declared fields are looked into (k8s.io/apiserver, admission/plugin/policy/mutating/patch/smd.go).
 */
export function atomicPaths(value: Json, type: StructuralType, budget: Budget, path = ''): string[] {
  budget.step();
  if (isObject(value) && type.map !== undefined) {
    const found = type.map.atomic ? [path] : [];
    for (const key of Object.keys(value)) {
      const field = type.map.fields.get(key);
      if (field !== undefined) found.push(...atomicPaths(own(value, key)!, field, budget, `${path}.${key}`));
    }
    return found;
  }
  if (Array.isArray(value) && type.list !== undefined) {
    const {element, merge} = type.list;
    const found = merge === 'atomic' ? [path] : [];
    for (const [index, item] of value.entries()) found.push(...atomicPaths(item, element, budget, `${path}[${index}]`));
    return found;
  }
  return [];
}
