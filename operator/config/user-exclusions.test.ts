import {describe, expect, it} from 'vitest';
import {compileUserExclusions, type Requester, type UserExclusions} from './user-exclusions.js';

const ann: Requester = {
  username: 'ann',
  groups: ['devs', 'system:authenticated'],
  roles: ['team:editor'],
  clusterRoles: ['view'],
};

describe('a user is let through unseen', () => {
  const rows: [string, Partial<UserExclusions>, boolean][] = [
    ['not without lists', {}, false],
    ['by name', {usernames: ['bob', 'ann']}, true],
    ['by a pattern for the name', {usernames: ['a*']}, true],
    ['by group', {groups: ['devs']}, true],
    ['by a pattern for a group', {groups: ['system:?*']}, true],
    ['not by another group', {groups: ['system:nodes']}, false],
    ['by role', {roles: ['team:editor']}, true],
    ['by a pattern for a role', {roles: ['*:editor']}, true],
    ['by cluster role', {clusterRoles: ['view']}, true],
    ['not by a role of that name', {clusterRoles: ['team:editor']}, false],
    ['not when the same list keeps her', {usernames: ['*', '!ann']}, false],
    ['not when another list keeps her', {groups: ['devs'], usernames: ['!a*']}, false],
    ['not when a group keeps her', {usernames: ['ann'], groups: ['!devs']}, false],
    ['when others are kept', {usernames: ['*', '!bob']}, true],
    ['not when lists only keep', {usernames: ['!bob']}, false],
  ];
  it.each(rows)('%s', (_, lists, expected) => {
    const exclusions = {usernames: [], groups: [], roles: [], clusterRoles: [], ...lists};
    expect(compileUserExclusions(exclusions)(ann)).toBe(expected);
  });
});
