import type {KindInfo} from '../resource-map.js';

/** Path of a collection (no name) or an object on the API server. `namespace` empty = all namespaces, or cluster-scoped. */
export function apiPath(kind: KindInfo, namespace: string, name = ''): string {
  const root = kind.group === '' ? `/api/${kind.version}` : `/apis/${kind.group}/${kind.version}`;
  const place = kind.namespaced && namespace !== '' ? `/namespaces/${encodeURIComponent(namespace)}` : '';
  return `${root}${place}/${kind.resource}${name === '' ? '' : `/${encodeURIComponent(name)}`}`;
}

/** The kind behind `apiVersion` and `kind` as written; an empty apiVersion takes the preferred one. */
export function findKind(all: readonly KindInfo[], apiVersion: string): KindInfo | undefined {
  if (apiVersion === '' || apiVersion === '*') return all[0];
  const slash = apiVersion.indexOf('/');
  const group = slash === -1 ? '' : apiVersion.slice(0, slash);
  const version = slash === -1 ? apiVersion : apiVersion.slice(slash + 1);
  return all.find(info => info.group === group && info.version === version) ?? all.find(info => info.group === group);
}
