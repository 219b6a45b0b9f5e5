import type {Manifest, Schema} from './manifests.js';

const metadataKeys = new Set(['apiVersion', 'kind', 'metadata']);

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function hasType(value: unknown, type: string): boolean {
  switch (type) {
    case 'object':
      return isMap(value);
    case 'array':
      return Array.isArray(value);
    case 'integer':
      return typeof value === 'number' && Number.isInteger(value);
    default:
      return typeof value === type;
  }
}

/**
 * What an API server with strict field validation would say of a value: fields that it would prune, and values of the
 * wrong type. Empty = the value is stored as it was sent.
 */
export function strictViolations(schema: Schema, value: unknown, path = ''): string[] {
  const free = schema['x-kubernetes-preserve-unknown-fields'] === true;
  if (schema.type === undefined) return free ? [] : [`${path}: no type in the schema`];
  if (value === null && schema['nullable'] === true) return [];
  if (!hasType(value, schema.type)) return [`${path}: must be of type ${schema.type}`];
  const found: string[] = [];
  if (Array.isArray(value)) {
    value.forEach((item, index) => {
      found.push(...strictViolations(schema.items ?? {}, item, `${path}[${index}]`));
    });
  } else if (isMap(value)) {
    for (const name of schema.required ?? []) if (!Object.hasOwn(value, name)) found.push(`${path}.${name}: required`);
    for (const [key, child] of Object.entries(value)) {
      if (path === '' && metadataKeys.has(key)) continue;
      const own =
        schema.properties !== undefined && Object.hasOwn(schema.properties, key) ? schema.properties[key] : undefined;
      const below = own ?? schema.additionalProperties;
      if (below !== undefined) found.push(...strictViolations(below, child, `${path}.${key}`));
      else if (!free) found.push(`${path}.${key}: unknown field`);
    }
  }
  return found;
}

/** Validates an object against the version that its apiVersion names; undefined when no manifest serves it. */
export function validateObject(manifests: ReadonlyMap<string, Manifest>, object: unknown): string[] | undefined {
  if (!isMap(object)) return undefined;
  for (const {spec} of manifests.values()) {
    if (spec.names.kind !== object['kind']) continue;
    const version = spec.versions.find(({name}) => `${spec.group}/${name}` === object['apiVersion']);
    if (version !== undefined) return strictViolations(version.schema.openAPIV3Schema, object);
  }
  return undefined;
}
