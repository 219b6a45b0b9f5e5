import type {Json} from '../../engine/json/types.js';
import type {AdmissionUser} from '../../engine/types.js';
import {readStrictFile} from './documents.js';
import {FileError, messageOf} from './file-error.js';
import {flag, list, map, metadata, struct, text} from './strict.js';

const decode = struct({
  apiVersion: text,
  kind: text,
  metadata,
  roles: list(text),
  clusterRoles: list(text),
  synchronize: flag,
  userInfo: struct({username: text, uid: text, groups: list(text), extra: map(list(text))}),
});

export interface UserInfoFile {
  readonly user: AdmissionUser;
  /** Written without apiVersion or kind. */
  readonly deprecated: boolean;
}

export function decodeUserInfo(value: Json): UserInfoFile {
  const file = decode(value, '');
  const info = file.userInfo;
  return {
    deprecated: !file.apiVersion || !file.kind,
    user: {
      username: info?.username ?? '',
      ...(info?.uid !== undefined && {uid: info.uid}),
      groups: info?.groups ?? [],
      ...(info?.extra !== undefined && {extra: info.extra}),
      roles: [...(file.roles ?? [])].sort(),
      clusterRoles: [...(file.clusterRoles ?? [])].sort(),
    },
  };
}

export async function loadUserInfoFile(path: string): Promise<UserInfoFile> {
  try {
    return decodeUserInfo(await readStrictFile(path));
  } catch (error) {
    throw new FileError(`failed to load user info file ${path}: ${messageOf(error)}`);
  }
}
