import {compileGlobs} from '../../engine/values/glob.js';

/** Patterns of users whose requests are let through unseen; `!pattern` = never let through. */
export interface UserExclusions {
  readonly usernames: readonly string[];
  readonly groups: readonly string[];
  /** As `namespace:role`. */
  readonly roles: readonly string[];
  readonly clusterRoles: readonly string[];
}

export interface Requester {
  readonly username: string;
  readonly groups: readonly string[];
  /** As `namespace:role`. */
  readonly roles: readonly string[];
  readonly clusterRoles: readonly string[];
}

export type UserTest = (user: Requester) => boolean;

/** True for a user whose requests are let through unseen. One `!pattern` that fits, in any list, outweighs all others. */
export function compileUserExclusions(exclusions: UserExclusions): UserTest {
  const {usernames, groups, roles, clusterRoles} = exclusions;
  if (usernames.length + groups.length + roles.length + clusterRoles.length === 0) return () => false;
  const keep = compileLists(exclusions, pattern => (pattern.startsWith('!') ? pattern.slice(1) : undefined));
  const exclude = compileLists(exclusions, pattern => (pattern.startsWith('!') ? undefined : pattern));
  return user => exclude(user) && !keep(user);
}

function compileLists(exclusions: UserExclusions, select: (pattern: string) => string | undefined): UserTest {
  const compile = (patterns: readonly string[]) =>
    compileGlobs(patterns.map(select).filter(pattern => pattern !== undefined));
  const username = compile(exclusions.usernames);
  const group = compile(exclusions.groups);
  const role = compile(exclusions.roles);
  const clusterRole = compile(exclusions.clusterRoles);
  return user =>
    username(user.username) || user.groups.some(group) || user.roles.some(role) || user.clusterRoles.some(clusterRole);
}
