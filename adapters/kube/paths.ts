import type {GroupVersionResource} from '../../engine/types.js';
import type {CollectionRef, ObjectRef} from './types.js';

/** `/api/v1/namespaces/shop/pods`, every segment percent-encoded. */
export function collectionPath({group, version, resource, namespace}: CollectionRef): string {
  const root =
    group === ''
      ? `/api/${encodeURIComponent(version)}`
      : `/apis/${encodeURIComponent(group)}/${encodeURIComponent(version)}`;
  const scope = namespace ? `/namespaces/${segment(namespace)}` : '';
  return `${root}${scope}/${encodeURIComponent(resource)}`;
}

/** Throws for an empty name, which would address the whole collection. */
export function objectPath(ref: ObjectRef, subresource?: string): string {
  if (ref.name === '') throw new Error(`a ${ref.resource} without a name cannot be addressed`);
  const tail = subresource === undefined ? '' : `/${subresource.split('/').map(encodeURIComponent).join('/')}`;
  return `${collectionPath(ref)}/${segment(ref.name)}${tail}`;
}

/** Policies say names: whoever normalises the path on the way must not come to another object. */
function segment(name: string): string {
  if (name === '.' || name === '..') throw new Error(`${name} is no name of an object`);
  return encodeURIComponent(name);
}

/** `pods.v1.` or `deployments.v1.apps`: one word per collection, for logs, metrics and lease annotations. */
export function resourceKey({group, version, resource}: GroupVersionResource): string {
  return group === '' ? `${resource}.${version}` : `${resource}.${version}.${group}`;
}
