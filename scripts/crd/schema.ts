/**
 * Builders for the schemas of our CustomResourceDefinitions. One tree of nodes gives both the OpenAPI schema and the
 * TypeScript types, so the two cannot drift apart. Nothing here has a default, and objects require nothing unless told.
 */
export interface SchemaNode {
  readonly description?: string;
  readonly type?: 'string' | 'integer' | 'number' | 'boolean' | 'object' | 'array';
  readonly format?: 'date-time' | 'int32' | 'int64';
  readonly enum?: readonly string[];
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly required?: readonly string[];
  /** Exactly one of these properties is given. */
  readonly oneOf?: readonly string[];
  readonly items?: SchemaNode;
  readonly values?: SchemaNode;
  /** Keeps whatever users write here. Without `type` it may be any JSON value. */
  readonly free?: true;
  /** Null is stored as well. */
  readonly nullable?: true;
  /** The map is replaced as a whole by server-side apply. */
  readonly atomic?: true;
  /** Elements of the list are told apart by these properties, so that each may have a manager of its own. */
  readonly keys?: readonly string[];
  /** The list is a set of values. */
  readonly set?: true;
  /** Name of the TypeScript interface made from this object. */
  readonly name?: string;
  /** Comment of that interface; the description may speak of one place only. */
  readonly about?: string;
  /** TypeScript type, where the schema alone says less than we know. */
  readonly ts?: string;
  /** Nodes whose interfaces `ts` mentions. */
  readonly uses?: readonly SchemaNode[];
}

type Properties = Readonly<Record<string, SchemaNode>>;

export function text(description: string, ts?: string): SchemaNode {
  return {description, type: 'string', ...(ts === undefined ? {} : {ts})};
}

/** A string for which the documented words are suggestions to editors; the operator judges them, case and all. */
export function word(description: string, words: readonly string[]): SchemaNode {
  const suggestions = words.map(each => `'${each}'`).join(' | ');
  return {
    description: `${description} One of ${words.join(', ')}.`,
    type: 'string',
    ts: `${suggestions} | (string & {})`,
  };
}

export function flag(description: string): SchemaNode {
  return {description, type: 'boolean'};
}

export function int32(description: string): SchemaNode {
  return {description, type: 'integer', format: 'int32'};
}

export function int64(description: string): SchemaNode {
  return {description, type: 'integer', format: 'int64'};
}

export function number(description: string): SchemaNode {
  return {description, type: 'number'};
}

export function time(description: string): SchemaNode {
  return {description, type: 'string', format: 'date-time'};
}

export function texts(description: string): SchemaNode {
  return {description, type: 'array', items: {type: 'string'}};
}

export function list(description: string, items: SchemaNode): SchemaNode {
  return {description, type: 'array', items};
}

export function textMap(description: string): SchemaNode {
  return {description, type: 'object', values: {type: 'string'}};
}

export function map(description: string, values: SchemaNode): SchemaNode {
  return {description, type: 'object', values};
}

/** Any JSON value, kept as written. */
export function free(description: string, ts = 'unknown'): SchemaNode {
  return {description, free: true, ts};
}

/** An object with any content, kept as written. */
export function freeObject(description: string, ts = 'Record<string, unknown>'): SchemaNode {
  return {description, type: 'object', free: true, ts};
}

/** An anonymous object; every property is optional. */
export function object(description: string, properties: Properties): SchemaNode {
  return {description, type: 'object', properties};
}

/** An object that becomes the TypeScript interface `name`; every property is optional. */
export function named(name: string, description: string, properties: Properties): SchemaNode {
  return {name, about: description, description, type: 'object', properties};
}

/** The same node under another description (one shape, several uses). */
export function as(node: SchemaNode, description: string): SchemaNode {
  return {...node, description};
}

export function atomic(node: SchemaNode): SchemaNode {
  return {...node, atomic: true};
}

/** A list of which no two elements share these properties, required ones; server-side apply merges it by them. */
export function keyed(node: SchemaNode, ...keys: string[]): SchemaNode {
  return {...node, keys};
}

/** A list that holds no value twice. */
export function set(node: SchemaNode): SchemaNode {
  return {...node, set: true};
}

/** The same shape with the descriptions below the node left out: for second names of a documented place. */
export function quiet(node: SchemaNode): SchemaNode {
  const {properties, items, values} = node;
  return {
    ...node,
    ...(properties === undefined ? {} : {properties: mapProperties(properties, silent)}),
    ...(items === undefined ? {} : {items: silent(items)}),
    ...(values === undefined ? {} : {values: silent(values)}),
  };
}

/** As `quiet`, and the node itself has no description either. */
export function silent(node: SchemaNode): SchemaNode {
  const {description: _, ...rest} = node;
  return quiet(rest);
}

function mapProperties(properties: Properties, change: (node: SchemaNode) => SchemaNode): Properties {
  return Object.fromEntries(Object.entries(properties).map(([name, node]) => [name, change(node)]));
}

/** Marks properties as required; only for status and reports, which no user writes. */
export function requiring(node: SchemaNode, ...required: string[]): SchemaNode {
  return {...node, required};
}

/** Marks properties of which users give exactly one: the API server itself refuses others. */
export function oneOf(node: SchemaNode, ...names: string[]): SchemaNode {
  return {...node, oneOf: names};
}

/** An OpenAPI v3 structural schema, as the API server takes it. */
export type OpenApi = {[key: string]: unknown};

export function toOpenApi(node: SchemaNode): OpenApi {
  const out: OpenApi = {};
  if (node.description !== undefined) out['description'] = node.description;
  if (node.type !== undefined) out['type'] = node.type;
  if (node.format !== undefined) out['format'] = node.format;
  if (node.enum !== undefined) out['enum'] = [...node.enum];
  if (node.nullable) out['nullable'] = true;
  if (node.required !== undefined) out['required'] = [...node.required].sort();
  if (node.oneOf !== undefined) out['oneOf'] = node.oneOf.map(name => ({required: [name]}));
  if (node.free) out['x-kubernetes-preserve-unknown-fields'] = true;
  if (node.atomic) out['x-kubernetes-map-type'] = 'atomic';
  if (node.set) out['x-kubernetes-list-type'] = 'set';
  if (node.keys !== undefined) {
    out['x-kubernetes-list-type'] = 'map';
    out['x-kubernetes-list-map-keys'] = [...node.keys];
  }
  if (node.properties !== undefined) {
    const entries = Object.entries(node.properties).map(([key, child]) => [key, toOpenApi(child)]);
    out['properties'] = Object.fromEntries(entries);
  }
  if (node.items !== undefined) out['items'] = toOpenApi(node.items);
  if (node.values !== undefined) out['additionalProperties'] = toOpenApi(node.values);
  return out;
}
