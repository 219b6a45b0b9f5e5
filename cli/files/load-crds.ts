import {builtinResourceMap, createResourceMap} from '../../engine/builtin-resources.js';
import {isObject, type Json, type JsonObject, own, ownPath} from '../../engine/json/types.js';
import type {KindInfo, ResourceMap} from '../../engine/resource-map.js';
import {readDocuments, readText, takeApart} from './documents.js';
import {FileError} from './file-error.js';
import {findYamlFiles} from './find-files.js';

export interface Definitions {
  /** The built-in kinds and those that the definitions declare. */
  readonly resources: ResourceMap;
  readonly definitions: readonly JsonObject[];
}

/** CustomResourceDefinitions at these paths. */
export async function loadDefinitions(paths: readonly string[]): Promise<Definitions> {
  const kinds: KindInfo[] = [];
  const definitions: JsonObject[] = [];
  for (const path of paths) {
    for (const file of await findYamlFiles(path)) {
      for (const {definition, at} of readDefinitions(await readText(file), file)) {
        kinds.push(...kindsOf(definition, at));
        definitions.push(definition);
      }
    }
  }
  const resources =
    kinds.length === 0 ? builtinResourceMap : createResourceMap([...kinds, ...builtinResourceMap.all()]);
  return {resources, definitions};
}

export function readCrds(text: string, path: string): KindInfo[] {
  return readDefinitions(text, path).flatMap(({definition, at}) => kindsOf(definition, at));
}

function readDefinitions(text: string, path: string): Array<{readonly definition: JsonObject; readonly at: string}> {
  return readDocuments(text, path).flatMap(document => {
    const at = `${path}:${document.line}`;
    return takeApart(document.value, at).map(definition => {
      if (!isObject(definition) || own(definition, 'kind') !== 'CustomResourceDefinition') {
        throw new FileError(`${at}: expected a CustomResourceDefinition`);
      }
      return {definition, at};
    });
  });
}

function kindsOf(crd: JsonObject, at: string): KindInfo[] {
  const spec = own(crd, 'spec');
  const group = text(ownPath(spec, 'group'), `${at}: spec.group`);
  const kind = text(ownPath(spec, 'names', 'kind'), `${at}: spec.names.kind`);
  const resource = text(ownPath(spec, 'names', 'plural'), `${at}: spec.names.plural`);
  const namespaced = text(ownPath(spec, 'scope'), `${at}: spec.scope`) === 'Namespaced';
  const versions = ownPath(spec, 'versions');
  if (!Array.isArray(versions)) throw new FileError(`${at}: spec.versions: expected a list`);
  return versions.filter(isObject).map(version => {
    const subResources = ownPath(version, 'subresources');
    return {
      group,
      version: text(own(version, 'name'), `${at}: spec.versions[].name`),
      kind,
      resource,
      namespaced,
      subResources: isObject(subResources) ? Object.keys(subResources) : [],
    };
  });
}

function text(value: Json | undefined, at: string): string {
  if (typeof value !== 'string' || value === '') throw new FileError(`${at}: expected a string`);
  return value;
}
