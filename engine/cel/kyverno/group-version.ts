import type {GroupVersionResource} from '../../types.js';
import {CelError} from '../errors.js';
import {opaque} from '../types/type.js';
import {OpaqueValue} from '../values/value.js';

/** What `resource.ToGVR` makes and `Get` and `List` take. */
export class GvrValue extends OpaqueValue {
  readonly typeName = gvrType.name;

  constructor(readonly gvr: GroupVersionResource) {
    super();
  }

  equals(other: OpaqueValue): boolean {
    return (
      other instanceof GvrValue &&
      other.gvr.group === this.gvr.group &&
      other.gvr.version === this.gvr.version &&
      other.gvr.resource === this.gvr.resource
    );
  }

  override text(): string {
    const {group, version, resource} = this.gvr;
    return `${group === '' ? version : `${group}/${version}`}, Resource=${resource}`;
  }
}

export const gvrType = {name: 'schema.GroupVersionResource', type: opaque('schema.GroupVersionResource')} as const;

const word = /^[A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?$/;

/** `apps/v1` or `v1`. Throws CelError. */
export function parseApiVersion(apiVersion: string): {readonly group: string; readonly version: string} {
  const parts = apiVersion.split('/');
  if (parts.length > 2 || !parts.every(part => word.test(part))) {
    throw new CelError(`unexpected GroupVersion string: ${apiVersion.slice(0, 200)}`);
  }
  const [first = '', second] = parts;
  return second === undefined ? {group: '', version: first} : {group: first, version: second};
}

/** A plural, and the subresource behind a slash: `pods`, `pods/log`. Throws CelError. */
export function parsePlural(plural: string): {readonly resource: string; readonly subresource: string | undefined} {
  const parts = plural.split('/');
  if (parts.length > 2 || !parts.every(part => word.test(part))) {
    throw new CelError(`${JSON.stringify(plural.slice(0, 200))} is no plural name of a resource`);
  }
  const [resource = '', subresource] = parts;
  return {resource, subresource};
}
