import {isObject, type Json, type JsonObject, own, ownPath} from '../../json/types.js';
import {objectMetaType} from './built-in.js';
import {
  deduced,
  type ListKey,
  type ListType,
  type MapType,
  type Scalar,
  type StructuralType,
  untypedAtomic,
} from './types.js';

/** Finds what a `$ref` names; `undefined`: nothing. */
type Definitions = (name: string) => JsonObject | undefined;

interface Reading {
  readonly definitions: Definitions;
  readonly named: Map<string, StructuralType>;
  /** Fields without declaration are kept here and below. */
  readonly preserve: boolean;
}

const textType: StructuralType = {scalar: 'string'};

/** Type of a version of a CustomResourceDefinition, from its `openAPIV3Schema`. What is no schema there counts as anything. */
export function typeOfResourceSchema(schema: JsonObject): StructuralType {
  return withObjectFields(typeOf(schema, {definitions: () => undefined, named: new Map(), preserve: false}));
}

/** Types by `apiVersion/kind` of an OpenAPI v3 document, as an API server publishes one per group and version. */
export function typesOfDocument(document: Json): (apiVersion: string, kind: string) => StructuralType | undefined {
  const schemas = ownPath(document, 'components', 'schemas');
  const all = isObject(schemas) ? schemas : {};
  const names = new Map<string, string>();
  for (const name of Object.keys(all)) {
    const kinds = ownPath(all[name], 'x-kubernetes-group-version-kind');
    for (const kind of Array.isArray(kinds) ? kinds : []) names.set(kindKey(kind), name);
  }
  const definitions: Definitions = name => {
    const schema = own(all, name);
    return isObject(schema) ? schema : undefined;
  };
  const reading: Reading = {definitions, named: new Map(), preserve: false};
  return (apiVersion, kind) => {
    const name = names.get(`${apiVersion}/${kind}`);
    return name === undefined ? undefined : namedType(name, reading);
  };
}

function kindKey(kind: Json): string {
  const group = ownPath(kind, 'group');
  return `${typeof group === 'string' && group !== '' ? `${group}/` : ''}${String(ownPath(kind, 'version'))}/${String(ownPath(kind, 'kind'))}`;
}

function namedType(name: string, reading: Reading): StructuralType {
  const known = reading.named.get(name);
  if (known !== undefined) return known;
  if (name.endsWith('.api.resource.Quantity')) return {scalar: 'untyped'};
  if (name.endsWith('.pkg.runtime.RawExtension')) return untypedAtomic;
  const schema = reading.definitions(name);
  if (schema === undefined) return deduced;
  const type: {scalar?: Scalar; list?: ListType; map?: MapType} = {};
  reading.named.set(name, type);
  return Object.assign(type, typeOf(schema, {...reading, preserve: false}));
}

function referenceOf(schema: JsonObject): string | undefined {
  const all = own(schema, 'allOf');
  const reference =
    own(schema, '$ref') ?? (Array.isArray(all) && all.length === 1 ? ownPath(all[0], '$ref') : undefined);
  return typeof reference === 'string' ? reference.slice(reference.lastIndexOf('/') + 1) : undefined;
}

function typeOf(schema: JsonObject, outer: Reading): StructuralType {
  const reference = referenceOf(schema);
  if (reference !== undefined) {
    const type = namedType(reference, outer);
    const atomic = own(schema, 'x-kubernetes-map-type');
    return type.map === undefined || atomic === undefined
      ? type
      : {...type, map: {...type.map, atomic: atomic === 'atomic'}};
  }
  const preserve = outer.preserve || own(schema, 'x-kubernetes-preserve-unknown-fields') === true;
  const reading = preserve === outer.preserve ? outer : {...outer, preserve};
  const format = own(schema, 'format');
  if (own(schema, 'x-kubernetes-int-or-string') === true || format === 'int-or-string') return {scalar: 'untyped'};
  switch (own(schema, 'type')) {
    case 'string':
      return {scalar: format === undefined || format === '' || format === 'byte' ? 'string' : 'untyped'};
    case 'integer':
    case 'number':
      return {scalar: 'numeric'};
    case 'boolean':
      return {scalar: 'boolean'};
    case 'array':
      return {list: listType(schema, reading)};
    case 'object': {
      const type: StructuralType = {map: mapType(schema, reading)};
      return own(schema, 'x-kubernetes-embedded-resource') === true ? withObjectFields(type) : type;
    }
    default:
      return {scalar: 'untyped', list: listType(schema, reading), map: mapType(schema, reading)};
  }
}

function mapType(schema: JsonObject, reading: Reading): MapType {
  const fields = new Map<string, StructuralType>();
  const properties = own(schema, 'properties');
  for (const [name, property] of isObject(properties) ? Object.entries(properties) : []) {
    fields.set(name, isObject(property) ? typeOf(property, reading) : deduced);
  }
  return {
    fields,
    element: elementType(schema, fields.size, reading),
    atomic: own(schema, 'x-kubernetes-map-type') === 'atomic',
  };
}

function elementType(schema: JsonObject, declared: number, reading: Reading): StructuralType | undefined {
  const additional = own(schema, 'additionalProperties');
  if (isObject(additional)) return typeOf(additional, reading);
  if (additional === undefined) return reading.preserve || declared === 0 ? deduced : undefined;
  return additional === true ? deduced : undefined;
}

function listType(schema: JsonObject, reading: Reading): ListType {
  const items = own(schema, 'items');
  const element = isObject(items) ? typeOf(items, reading) : untypedAtomic;
  const type = own(schema, 'x-kubernetes-list-type');
  if (type === 'set') return {merge: 'set', element, keys: []};
  const names = type === 'map' ? own(schema, 'x-kubernetes-list-map-keys') : undefined;
  if (Array.isArray(names))
    return {merge: 'map', element, keys: names.map(name => keyOf(String(name), items, reading))};
  const strategy = type === undefined ? own(schema, 'x-kubernetes-patch-strategy') : undefined;
  if (typeof strategy === 'string' && strategy.split(',').includes('merge')) {
    const key = own(schema, 'x-kubernetes-patch-merge-key');
    if (typeof key === 'string') return {merge: 'map', element, keys: [keyOf(key, items, reading)]};
    return {merge: 'set', element, keys: []};
  }
  return {merge: 'atomic', element, keys: []};
}

function keyOf(name: string, items: Json | undefined, {definitions}: Reading): ListKey {
  const reference = isObject(items) ? referenceOf(items) : undefined;
  const value = ownPath(reference === undefined ? items : definitions(reference), 'properties', name, 'default');
  return {
    name,
    default: typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : undefined,
  };
}

/** Every object has these, whether its schema says so or not. */
function withObjectFields(type: StructuralType): StructuralType {
  const fields = new Map(type.map?.fields);
  fields.set('apiVersion', textType).set('kind', textType).set('metadata', objectMetaType());
  return {map: {fields, element: type.map?.element, atomic: type.map?.atomic ?? false}};
}
