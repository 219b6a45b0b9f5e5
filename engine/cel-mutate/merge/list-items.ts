import {isObject, type Json, type JsonObject, own} from '../../json/types.js';
import type {ListKey, ListType} from '../schema/types.js';
import {identityOf, shown} from './field-errors.js';

/** What tells an element of a set or of a list with keys from the others. */
export interface ItemIdentity {
  /** Equal for equal elements. */
  readonly id: string;
  /** As paths show it: `[containerPort=80,protocol="TCP"]`, `[="value"]`. */
  path(): string;
}

export interface NoIdentity {
  /** Why an element has no identity. */
  readonly fault: string;
}

/** Of an element of a list that is not atomic. */
export function itemIdentity(type: ListType, item: Json): ItemIdentity | NoIdentity {
  return type.merge === 'set' ? valueIdentity(item) : keyIdentity(type.keys, item);
}

function valueIdentity(item: Json): ItemIdentity | NoIdentity {
  if (item === null) return {fault: "associative list without keys has an element that's an explicit null"};
  if (Array.isArray(item)) return {fault: 'not supported: associative list with lists as elements'};
  if (isObject(item)) return {fault: "associative list without keys has an element that's a map type"};
  return {id: identityOf(item), path: () => `[=${shown(item)}]`};
}

function keyIdentity(keys: readonly ListKey[], item: Json): ItemIdentity | NoIdentity {
  if (item === null) return {fault: 'associative list with keys may not have a null element'};
  if (!isObject(item)) return {fault: 'associative list with keys may not have non-map elements'};
  let id = '';
  let found = false;
  for (const key of keys) {
    const value = own(item, key.name) ?? key.default;
    if (value === undefined) {
      id += '|';
      continue;
    }
    found = true;
    const text = identityOf(value);
    id += `${text.length}${text}`;
  }
  if (found) return {id, path: () => keysPath(keys, item)};
  const names = keys.map(key => JSON.stringify(key.name)).join(' ');
  return {
    fault: `associative list with keys has an element that omits all key fields [${names}] (and doesn't have default values for any key fields)`,
  };
}

function keysPath(keys: readonly ListKey[], item: JsonObject): string {
  const parts = keys.flatMap(key => {
    const value = own(item, key.name) ?? key.default;
    return value === undefined ? [] : [`${key.name}=${shown(value)}`];
  });
  return `[${parts.sort().join(',')}]`;
}
