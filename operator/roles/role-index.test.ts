import {describe, expect, it} from 'vitest';
import type {JsonObject} from '../../engine/json/types.js';
import {RoleIndex} from './role-index.js';

function binding(namespace: string, roleRef: [kind: string, name: string], subjects: JsonObject[]): JsonObject {
  return {
    metadata: {name: 'b', ...(namespace !== '' && {namespace})},
    roleRef: {kind: roleRef[0], name: roleRef[1]},
    subjects,
  };
}

const jane = {username: 'jane', groups: ['developers']};
const robot = {username: 'system:serviceaccount:apps:robot', groups: ['system:serviceaccounts']};

describe('RoleIndex', () => {
  const cases: ReadonlyArray<{name: string; binding: JsonObject; user?: typeof jane; namespace?: string; roles?: string[]; clusterRoles?: string[]}> = [
    {name: 'a Role counts from any namespace', binding: binding('other', ['Role', 'r'], [{kind: 'User', name: 'jane'}]), roles: ['other:r']},
    {name: 'a bound ClusterRole counts in its namespace', binding: binding('team', ['ClusterRole', 'c'], [{kind: 'User', name: 'jane'}]), clusterRoles: ['c']},
    {name: 'a bound ClusterRole does not count elsewhere', binding: binding('other', ['ClusterRole', 'c'], [{kind: 'User', name: 'jane'}])},
    {name: 'a ClusterRoleBinding counts everywhere', binding: binding('', ['ClusterRole', 'c'], [{kind: 'Group', name: 'developers'}]), clusterRoles: ['c']},
    {name: 'names are compared exactly', binding: binding('', ['ClusterRole', 'c'], [{kind: 'User', name: 'jan*'}])},
    {name: 'a ServiceAccount without namespace has the binding\'s', binding: binding('apps', ['Role', 'r'], [{kind: 'ServiceAccount', name: 'robot'}]), user: robot, roles: ['apps:r']},
    {name: 'a ServiceAccount of another namespace is another one', binding: binding('team', ['Role', 'r'], [{kind: 'ServiceAccount', name: 'robot'}]), user: robot},
    {name: 'subjects that are no subjects are ignored', binding: binding('', ['ClusterRole', 'c'], [{kind: 'Robot', name: 'jane'}, {}])},
  ];
  for (const {name, binding: raw, user = jane, namespace = 'team', roles = [], clusterRoles = []} of cases) {
    it(name, () => {
      const index = new RoleIndex();
      index.put('k', raw);
      expect(index.rolesOf(user, namespace)).toEqual({roles, clusterRoles});
    });
  }

  it('forgets bindings that went or changed, and sorts', () => {
    const index = new RoleIndex();
    index.put('1', binding('b', ['Role', 'z'], [{kind: 'User', name: 'jane'}]));
    index.put('2', binding('a', ['Role', 'y'], [{kind: 'Group', name: 'developers'}]));
    expect(index.rolesOf(jane, 'x').roles).toEqual(['a:y', 'b:z']);
    index.put('1', binding('b', ['Role', 'z'], []));
    index.drop('2');
    expect(index.rolesOf(jane, 'x')).toEqual({roles: [], clusterRoles: []});
  });
});
