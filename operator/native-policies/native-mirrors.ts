import type {Registration} from '../manager/manager.js';
import {nativeGroup, nativeKinds, versionsOf} from './native-objects.js';

/** Policies of the API server's own and their bindings, in each version that it may serve. */
export function nativeMirrors(): Registration[] {
  return (['validating', 'mutating'] as const).flatMap(type =>
    versionsOf[type].flatMap(version =>
      Object.values(nativeKinds[type]).map(({resource}) => ({key: nativeKey(resource, version), group: nativeGroup, version, resource, namespaced: false, optional: true})),
    ),
  );
}

/** As the manager knows them. */
export function nativeKey(resource: string, version: string): string {
  return `${resource}.${version}.${nativeGroup}`;
}
