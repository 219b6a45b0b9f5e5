import table from './kinds.generated.json' with {type: 'json'};
import {deduced, type ListKey, type MapType, type StructuralType, untypedAtomic} from './types.js';

/**
 * The table's form. A row is a map type: its keys are types, their values the names of the fields that have it, with
 * blanks between; `!` marks an atomic map, `*` is the type of fields without declaration. A type is
 *
 * - `s` text, `n` number, `b` boolean, `u` any scalar, `d` deduced from the value, `x` anything, replaced as a whole
 * - digits: the row at that index
 * - `{}T` a map of T, `{!}T` an atomic one
 * - `[]T` an atomic list of T, `[*]T` a set, `[key,key=default]T` a list with keys
 */
type Row = Readonly<Record<string, string>>;

const rows = table.types as unknown as readonly Row[];
const kinds = new Map(Object.entries(table.kinds));
/** Other versions of a kind share its fields as far as we know: `batch/v1beta1/CronJob` is found as `batch/CronJob`. */
const kindsByGroup = new Map([...kinds].map(([key, row]) => [key.replace(/(^|\/)v[^/]*\//, '$1'), row]));
const built: (StructuralType | undefined)[] = [];

const simple: Readonly<Record<string, StructuralType>> = {
  s: {scalar: 'string'},
  n: {scalar: 'numeric'},
  b: {scalar: 'boolean'},
  u: {scalar: 'untyped'},
  d: deduced,
  x: untypedAtomic,
};

/** Type of a kind that Kubernetes itself serves; `undefined` for all others. `apiVersion` as objects carry it. */
export function builtInType(apiVersion: string, kind: string): StructuralType | undefined {
  const slash = apiVersion.indexOf('/');
  const group = slash < 0 ? '' : apiVersion.slice(0, slash + 1);
  const row = kinds.get(`${apiVersion}/${kind}`) ?? kindsByGroup.get(`${group}${kind}`);
  return row === undefined ? undefined : typeOfRow(row);
}

/** Type of `metadata`, the same for all kinds. */
export function objectMetaType(): StructuralType {
  return builtInType('v1', 'ConfigMap')!.map!.fields.get('metadata')!;
}

function typeOfRow(index: number): StructuralType {
  const known = built[index];
  if (known !== undefined) return known;
  const fields = new Map<string, StructuralType>();
  const map: {-readonly [K in keyof MapType]: MapType[K]} = {fields, element: undefined, atomic: false};
  const type: StructuralType = {map};
  built[index] = type;
  for (const [text, names] of Object.entries(rows[index]!)) {
    if (text === '!') map.atomic = true;
    else if (text === '*') map.element = typeOfText(names);
    else {
      const of = typeOfText(text);
      for (const name of names.split(' ')) fields.set(name, of);
    }
  }
  return type;
}

function typeOfText(text: string): StructuralType {
  const first = text[0]!;
  if (first === '{') {
    const end = text.indexOf('}');
    return {map: {fields: new Map(), element: typeOfText(text.slice(end + 1)), atomic: end === 2}};
  }
  if (first === '[') {
    const end = text.indexOf(']');
    const keys = text.slice(1, end);
    const element = typeOfText(text.slice(end + 1));
    if (keys === '') return {list: {merge: 'atomic', element, keys: []}};
    if (keys === '*') return {list: {merge: 'set', element, keys: []}};
    return {list: {merge: 'map', element, keys: keys.split(',').map(keyOf)}};
  }
  return simple[first] ?? typeOfRow(Number(text));
}

function keyOf(text: string): ListKey {
  const equals = text.indexOf('=');
  if (equals < 0) return {name: text, default: undefined};
  return {name: text.slice(0, equals), default: JSON.parse(text.slice(equals + 1)) as string | number | boolean};
}
