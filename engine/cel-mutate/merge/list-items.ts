import {isObject, type Json, own} from '../../json/types.js';
import type {ListKey, ListType} from '../schema/types.js';
import {identityOf, shown} from './field-errors.js';

/** What tells an element of a set or of a list with keys from the others. */
export interface ItemIdentity {
  /** Equal for equal elements. */
  readonly id: string;
  /** As paths show it: `[containerPort=80,protocol="TCP"]`, `[="value"]`. */
  readonly path: string;
}

/** `fault`: why an element has no identity. */
export function itemIdentity(type: ListType, item: Json): ItemIdentity | {readonly fault: string} {
  return type.merge === 'set' ? valueIdentity(item) : keyIdentity(type.keys, item);
}

function valueIdentity(item: Json): ItemIdentity | {readonly fault: string} {
  if (item === null) return {fault: "associative list without keys has an element that's an explicit null"};
  if (Array.isArray(item)) return {fault: 'not supported: associative list with lists as elements'};
  if (isObject(item)) return {fault: "associative list without keys has an element that's a map type"};
  return {id: identityOf(item), path: `[=${shown(item)}]`};
}

function keyIdentity(keys: readonly ListKey[], item: Json): ItemIdentity | {readonly fault: string} {
  if (item === null) return {fault: 'associative list with keys may not have a null element'};
  if (!isObject(item)) return {fault: 'associative list with keys may not have non-map elements'};
  const found: (readonly [string, Json])[] = [];
  for (const key of keys) {
    const value = own(item, key.name) ?? key.default;
    if (value !== undefined) found.push([key.name, value]);
  }
  if (found.length === 0) {
    const names = keys.map(key => JSON.stringify(key.name)).join(' ');
    return {
      fault: `associative list with keys has an element that omits all key fields [${names}] (and doesn't have default values for any key fields)`,
    };
  }
  found.sort(([a], [b]) => (a < b ? -1 : 1));
  return {
    id: JSON.stringify(found.map(([name, value]) => [name, identityOf(value)])),
    path: `[${found.map(([name, value]) => `${name}=${shown(value)}`).join(',')}]`,
  };
}
