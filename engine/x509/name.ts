import type {Json, JsonObject} from '../json/types.js';
import {children, contentOf, type DerNode, objectId, readAll, tags} from './der.js';
import {stringOf} from './text.js';

/** Attribute types 2.5.4.n that have a list field of their own. */
const listFields: ReadonlyMap<number, string> = new Map([
  [6, 'Country'],
  [10, 'Organization'],
  [11, 'OrganizationalUnit'],
  [7, 'Locality'],
  [8, 'Province'],
  [9, 'StreetAddress'],
  [17, 'PostalCode'],
]);

/** A distinguished name with the field names of Go's `pkix.Name`; absent lists are null. */
export function nameOf(node: DerNode | undefined): JsonObject {
  const lists = new Map<string, Json[]>();
  const names: Json[] = [];
  let commonName = '';
  let serialNumber = '';
  for (const set of readAll(contentOf(node, tags.sequence))) {
    for (const attribute of children(set, tags.set)) {
      const [type, valueNode] = children(attribute, tags.sequence);
      const value = valueNode ? stringOf(valueNode) : undefined;
      if (value === undefined) continue;
      const id = objectId(type);
      names.push({Type: id, Value: value});
      if (id.length !== 4 || id[0] !== 2 || id[1] !== 5 || id[2] !== 4) continue;
      if (id[3] === 3) commonName = value;
      if (id[3] === 5) serialNumber = value;
      const field = listFields.get(id[3]!);
      if (field) lists.set(field, [...(lists.get(field) ?? []), value]);
    }
  }
  const fields = [...listFields.values()].map(field => [field, lists.get(field) ?? null] as const);
  return {
    ...Object.fromEntries(fields),
    CommonName: commonName,
    SerialNumber: serialNumber,
    Names: names.length > 0 ? names : null,
    ExtraNames: null,
  };
}
