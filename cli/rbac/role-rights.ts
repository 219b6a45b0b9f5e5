import {textOf} from '../../engine/json/text.js';
import {isObject, type Json, type JsonObject, own, ownPath} from '../../engine/json/types.js';
import {hasVariables, type Place} from './named-kinds.js';
import type {NeedsList} from './right.js';

const group = 'rbac.authorization.k8s.io';
const bindings = new Set(['rolebindings', 'clusterrolebindings']);
const roles = new Set(['roles', 'clusterroles']);

export interface MadePlace {
  /** Kind of what is made. */
  readonly place: Place;
  /** Empty = in the whole cluster. */
  readonly namespace: string;
  readonly path: string;
}

/** What the API server asks of whoever makes roles and bindings: to hold what they give, or to be let by name. `data`: undefined of copies. */
export function addRoleRights(needs: NeedsList, data: Json | undefined, {place, namespace, path}: MadePlace): void {
  if (place.group !== group) return;
  if (bindings.has(place.resource)) addBind(needs, data, {place, namespace, path});
  if (roles.has(place.resource)) addGiven(needs, data, {place, namespace, path});
}

function addBind(needs: NeedsList, data: Json | undefined, {namespace, path}: MadePlace): void {
  const [kind, name] = [textOf(ownPath(data, 'roleRef', 'kind')), textOf(ownPath(data, 'roleRef', 'name'))];
  if (name === '' || hasVariables(kind + name)) {
    needs.unknown(`${path}: which role is bound is known only when the policy works; the verb bind on it is needed, or all that it gives`);
    return;
  }
  needs.add({duty: 'background', verbs: ['bind'], group, resource: kind === 'Role' ? 'roles' : 'clusterroles', namespace, names: [name], path: `${path}.data.roleRef`});
}

/** Not the verb escalate: that would be every right. */
function addGiven(needs: NeedsList, data: Json | undefined, {namespace, path}: MadePlace): void {
  const rules = ownPath(data, 'rules');
  const at = `${path}.data.rules`;
  if (!Array.isArray(rules) || hasVariables(JSON.stringify(rules))) {
    needs.unknown(`${path}: what the role gives is known only when the policy works; all of that is needed`);
    return;
  }
  for (const rule of rules.filter(isObject)) {
    const [groups, resources, names, verbs] = ['apiGroups', 'resources', 'resourceNames', 'verbs'].map(key => textsOf(rule, key)) as [string[], string[], string[], string[]];
    if (textsOf(rule, 'nonResourceURLs').length > 0) needs.unknown(`${at}: rights on paths are needed as the role gives them`);
    for (const name of groups) for (const resource of resources) needs.add({duty: 'background', verbs, group: name, resource, namespace, names, path: at});
  }
}

function textsOf(rule: JsonObject, key: string): string[] {
  const list = own(rule, key);
  return Array.isArray(list) ? list.filter(item => typeof item === 'string') : [];
}
