import type {LoadedResource} from '../files/load-resources.js';
import type {PolicyResponse} from '../offline/responses.js';
import {keyOf} from '../offline/responses.js';

/** A resource (or payload) with what all policies said of it. */
export interface JudgedResource {
  readonly source: LoadedResource;
  readonly responses: readonly PolicyResponse[];
}

/** `namespace/Kind/name`; without the namespace for cluster-scoped ones. */
export function resourcePath(response: PolicyResponse): string {
  const {namespace, kind, name} = keyOf(response.resource);
  if (namespace === '' && kind === '' && name === '') return 'JSON payload';
  return [...(namespace === '' ? [] : [namespace]), kind, name].join('/');
}
