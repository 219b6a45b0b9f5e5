import {isObject, type Json, type JsonObject, own, ownPath} from '../../json/types.js';
import {builtInType} from './built-in.js';
import {typeOfResourceSchema} from './from-openapi.js';
import type {StructuralType} from './types.js';

/** Types of kinds; `undefined` for one that nobody described. */
export type TypeSource = (apiVersion: string, kind: string) => StructuralType | undefined;

/**
 * Kubernetes' own kinds, and those of the CustomResourceDefinitions given (other objects among them are left out). A
 * definition wins over a built-in kind of the same name. Versions are converted when they are first asked for.
 */
export function typeSource(objects: Iterable<JsonObject> = []): TypeSource {
  const schemas = new Map<string, JsonObject>();
  for (const object of objects) for (const [key, schema] of schemasOf(object)) schemas.set(key, schema);
  const types = new Map<string, StructuralType>();
  return (apiVersion, kind) => {
    const key = `${apiVersion}/${kind}`;
    const schema = schemas.get(key);
    if (schema === undefined) return builtInType(apiVersion, kind);
    const known = types.get(key) ?? typeOfResourceSchema(schema);
    types.set(key, known);
    return known;
  };
}

function* schemasOf(definition: JsonObject): Iterable<readonly [string, JsonObject]> {
  if (own(definition, 'kind') !== 'CustomResourceDefinition') return;
  const spec = own(definition, 'spec');
  const group = ownPath(spec, 'group');
  const kind = ownPath(spec, 'names', 'kind');
  const versions = ownPath(spec, 'versions');
  const shared = ownPath(spec, 'validation', 'openAPIV3Schema');
  const old = ownPath(spec, 'version');
  const all: readonly Json[] = Array.isArray(versions) ? versions : old === undefined ? [] : [{name: old}];
  for (const version of all) {
    const schema = ownPath(version, 'schema', 'openAPIV3Schema') ?? shared;
    if (isObject(schema)) yield [`${String(group)}/${String(ownPath(version, 'name'))}/${String(kind)}`, schema];
  }
}
