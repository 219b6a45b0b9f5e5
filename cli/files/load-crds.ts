import {isObject, type Json, type JsonObject, own, ownPath} from '../../engine/json/types.js';
import {createResourceMap, builtinResourceMap} from '../../engine/builtin-resources.js';
import type {KindInfo, ResourceMap} from '../../engine/resource-map.js';
import {readDocuments, readText, takeApart} from './documents.js';
import {FileError} from './file-error.js';
import {findYamlFiles} from './find-files.js';

/** The built-in kinds and those that the CustomResourceDefinitions at these paths declare. */
export async function resourceMapWith(crdPaths: readonly string[]): Promise<ResourceMap> {
  const kinds: KindInfo[] = [];
  for (const path of crdPaths) {
    for (const file of await findYamlFiles(path)) kinds.push(...readCrds(await readText(file), file));
  }
  return kinds.length === 0 ? builtinResourceMap : createResourceMap([...kinds, ...builtinResourceMap.all()]);
}

export function readCrds(text: string, path: string): KindInfo[] {
  return readDocuments(text, path).flatMap(document =>
    takeApart(document.value, `${path}:${document.line}`).flatMap(value => {
      if (!isObject(value) || own(value, 'kind') !== 'CustomResourceDefinition') {
        throw new FileError(`${path}:${document.line}: expected a CustomResourceDefinition`);
      }
      return kindsOf(value, `${path}:${document.line}`);
    }),
  );
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
