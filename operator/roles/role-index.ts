import {isObject, type JsonObject, own, ownPath} from '../../engine/json/types.js';
import {textOf} from '../../engine/json/text.js';

interface Binding {
  /** Empty for a ClusterRoleBinding. */
  readonly namespace: string;
  readonly roleKind: string;
  readonly roleName: string;
  readonly subjects: readonly string[];
}

export interface Requester {
  readonly username: string;
  readonly groups: readonly string[];
}

/** Roles of a requester by subject; kept up to date binding by binding, so that a look-up costs no scan. */
export class RoleIndex {
  readonly #bindings = new Map<string, Binding>();
  readonly #bySubject = new Map<string, Set<Binding>>();

  /** `key` is unique over both kinds of binding. */
  put(key: string, raw: JsonObject): void {
    this.drop(key);
    const binding = decode(raw);
    this.#bindings.set(key, binding);
    for (const subject of binding.subjects) {
      const set = this.#bySubject.get(subject);
      if (set === undefined) this.#bySubject.set(subject, new Set([binding]));
      else set.add(binding);
    }
  }

  drop(key: string): void {
    const binding = this.#bindings.get(key);
    if (binding === undefined) return;
    this.#bindings.delete(key);
    for (const subject of binding.subjects) {
      const set = this.#bySubject.get(subject);
      set?.delete(binding);
      if (set?.size === 0) this.#bySubject.delete(subject);
    }
  }

  /**
   * Role bindings of any namespace give `namespace:role`; a ClusterRole bound by a RoleBinding counts only in that
   * binding's namespace. Both lists sorted.
   */
  rolesOf(user: Requester, namespace: string): {roles: string[]; clusterRoles: string[]} {
    const roles = new Set<string>();
    const clusterRoles = new Set<string>();
    const add = (subject: string) => {
      for (const binding of this.#bySubject.get(subject) ?? []) {
        if (binding.roleKind === 'Role' && binding.namespace !== '') roles.add(`${binding.namespace}:${binding.roleName}`);
        else if (binding.roleKind === 'ClusterRole' && (binding.namespace === '' || binding.namespace === namespace)) {
          clusterRoles.add(binding.roleName);
        }
      }
    };
    add(`User ${user.username}`);
    for (const group of user.groups) add(`Group ${group}`);
    return {roles: [...roles].sort(), clusterRoles: [...clusterRoles].sort()};
  }
}

function decode(raw: JsonObject): Binding {
  const namespace = textOf(ownPath(raw, 'metadata', 'namespace'));
  const subjects = own(raw, 'subjects');
  return {
    namespace,
    roleKind: textOf(ownPath(raw, 'roleRef', 'kind')),
    roleName: textOf(ownPath(raw, 'roleRef', 'name')),
    subjects: (Array.isArray(subjects) ? subjects : []).flatMap(subject => {
      if (!isObject(subject)) return [];
      const name = textOf(own(subject, 'name'));
      switch (own(subject, 'kind')) {
        case 'ServiceAccount':
          return [`User system:serviceaccount:${textOf(own(subject, 'namespace')) || namespace}:${name}`];
        case 'User':
          return [`User ${name}`];
        case 'Group':
          return [`Group ${name}`];
        default:
          return [];
      }
    }),
  };
}
