import {isObject, type Json, type JsonObject, own, ownPath} from '../engine/json/types.js';

/** `openAPIV3Schema` of a kind; `undefined`: none of the definitions has it. */
export type SchemaSource = (apiVersion: string, kind: string) => JsonObject | undefined;

/** Schemas of the CustomResourceDefinitions among some objects; the others are left out. */
export function schemasOf(objects: Iterable<JsonObject>): SchemaSource {
  const schemas = new Map<string, JsonObject>();
  for (const object of objects) {
    if (own(object, 'kind') !== 'CustomResourceDefinition') continue;
    for (const [key, schema] of schemasOfDefinition(object)) schemas.set(key, schema);
  }
  return (apiVersion, kind) => schemas.get(`${apiVersion}/${kind}`);
}

/** The old form of a definition has one schema for all versions, or one version alone. */
function* schemasOfDefinition(definition: JsonObject): Iterable<readonly [string, JsonObject]> {
  const spec = own(definition, 'spec');
  const group = ownPath(spec, 'group');
  const kind = ownPath(spec, 'names', 'kind');
  const versions = ownPath(spec, 'versions');
  const only = ownPath(spec, 'version');
  const shared = ownPath(spec, 'validation', 'openAPIV3Schema');
  const all: readonly Json[] = Array.isArray(versions) ? versions : only === undefined ? [] : [{name: only}];
  for (const version of all) {
    const schema = ownPath(version, 'schema', 'openAPIV3Schema') ?? shared;
    if (isObject(schema)) yield [`${String(group)}/${String(ownPath(version, 'name'))}/${String(kind)}`, schema];
  }
}
