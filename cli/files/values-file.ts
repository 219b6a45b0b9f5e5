import type {Json} from '../../engine/json/types.js';
import {readStrictFile} from './documents.js';
import {FileError, messageOf} from './file-error.js';
import {json, list, map, metadata, object, type Struct, struct, text} from './strict.js';

const apiResource = {
  name: text,
  singularName: text,
  namespaced: json,
  group: text,
  version: text,
  kind: text,
  verbs: json,
  shortNames: json,
  categories: json,
  storageVersionHash: text,
};

/** Fields of a Values file (and of a test's inline `values`). */
export const valuesSpec = {
  globalValues: map(json),
  policies: list(
    struct({
      name: text,
      resources: list(struct({name: text, values: map(json)})),
      rules: list(struct({name: text, values: map(json), foreachValues: map(list(json))})),
    }),
  ),
  namespaceSelector: list(struct({name: text, labels: map(text)})),
  namespaces: list(object),
  subresources: list(struct({subresource: struct(apiResource), parentResource: struct(apiResource)})),
};

export type ValuesSpec = Struct<typeof valuesSpec>;

const decode = struct({apiVersion: text, kind: text, metadata, ...valuesSpec});

/** Reads a Values document; without apiVersion and kind it is of a form that is no longer read. */
export function decodeValues(value: Json): ValuesSpec {
  const {apiVersion, kind, metadata: _metadata, ...spec} = decode(value, '');
  if (!apiVersion || !kind)
    throw new FileError('deprecated form: apiVersion and kind are required (cli.kyverno.io/v1alpha1, Values)');
  for (const policy of spec.policies ?? []) {
    for (const rule of policy.rules ?? []) {
      for (const [name, values] of Object.entries(rule.foreachValues ?? {})) {
        if (values.length === 0)
          throw new FileError(`foreachValues.${name} of rule ${rule.name ?? ''}: at least one value is required`);
      }
    }
  }
  return spec;
}

export async function loadValuesFile(path: string): Promise<ValuesSpec> {
  try {
    return decodeValues(await readStrictFile(path));
  } catch (error) {
    throw new FileError(`failed to load values file ${path}: ${messageOf(error)}`);
  }
}
