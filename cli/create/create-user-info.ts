import type {JsonObject} from '../../engine/json/types.js';

export interface CreateUserInfoOptions {
  readonly username?: string;
  readonly roles: readonly string[];
  readonly clusterRoles: readonly string[];
  readonly groups: readonly string[];
}

/** A UserInfo file: who asks. */
export function createUserInfo({username, roles, clusterRoles, groups}: CreateUserInfoOptions): JsonObject {
  return {
    apiVersion: 'cli.kyverno.io/v1alpha1',
    kind: 'UserInfo',
    metadata: {name: 'user-info'},
    ...(roles.length > 0 && {roles: [...roles]}),
    ...(clusterRoles.length > 0 && {clusterRoles: [...clusterRoles]}),
    userInfo: {
      ...(username !== undefined && {username}),
      ...(groups.length > 0 && {groups: [...groups]}),
    },
  };
}
