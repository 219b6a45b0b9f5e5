import {isObject, type Json, type JsonObject, own, ownPath, setOwn} from '../../engine/json/types.js';
import type {ResourceMap} from '../../engine/resource-map.js';
import {duplicateText, readDocuments, readText, takeApart} from './documents.js';
import {FileError, messageOf} from './file-error.js';
import {isFolder, yamlFilesIn} from './find-files.js';

/** Reads an `http(s)` address; anything but 200 is an error. */
export type FetchText = (url: string) => Promise<string>;

/** An object and where it stands. */
export interface LoadedResource {
  readonly object: JsonObject;
  readonly path: string;
  /** 1-based line of its document. */
  readonly line: number;
}

/** Objects of files, folders (their direct YAML files) and addresses, in that order. */
export async function loadResourcePaths(
  paths: readonly string[],
  options: {
    readonly resources: ResourceMap;
    readonly fetchText?: FetchText;
    readonly onUnreadable?: (path: string, why: string) => void;
    /** What was read in another way than it is written. */
    readonly warn?: (text: string) => void;
  },
): Promise<readonly LoadedResource[]> {
  const objects: LoadedResource[] = [];
  for (const [index, path] of paths.entries()) {
    let texts: readonly {readonly path: string; readonly text: string}[];
    try {
      texts = await textsOf(path, options.fetchText);
    } catch (error) {
      if (index === 0 || options.onUnreadable === undefined)
        throw new FileError(`failed to load resources (${messageOf(error)})`);
      options.onUnreadable(path, messageOf(error));
      continue;
    }
    for (const {path: file, text} of texts) {
      for (const object of readResources(text, file, options)) objects.push(object);
    }
  }
  return objects;
}

async function textsOf(path: string, fetchText: FetchText | undefined) {
  if (/^https?:\/\//.test(path)) {
    if (fetchText === undefined) throw new FileError(`${path}: addresses are not read here`);
    return [{path, text: await fetchText(path)}];
  }
  const files = (await isFolder(path)) ? await yamlFilesIn(path) : [path];
  return Promise.all(files.map(async file => ({path: file, text: await readText(file)})));
}

/** Objects of a text; Lists are taken apart, missing namespaces filled in. A document without kind is an error. */
export function readResources(
  text: string,
  path: string,
  {resources, warn}: {readonly resources: ResourceMap; readonly warn?: ((text: string) => void) | undefined},
): LoadedResource[] {
  const objects: LoadedResource[] = [];
  for (const document of readDocuments(text, path)) {
    for (const twice of document.duplicates) warn?.(duplicateText(twice, path));
    for (const value of takeApart(document.value, `${path}:${document.line}`)) {
      if (!isObject(value)) throw new FileError(`${path}:${document.line}: not an object`);
      const kind = own(value, 'kind');
      if (typeof kind !== 'string' || kind === '')
        throw new FileError(
          `${path}:${document.line}: Object 'Kind' is ${kind === undefined || kind === null || kind === '' ? 'missing' : 'not a string'}`,
        );
      objects.push({object: place(value, resources), path, line: document.line});
    }
  }
  return objects;
}

const maps = new Set(['annotations', 'labels', 'matchLabels', 'nodeSelector', 'data', 'stringData']);

/** Null maps become empty ones, and an object of a kind that is not known as cluster-scoped gets a namespace. */
function place(object: JsonObject, resources: ResourceMap): JsonObject {
  const clean = withoutNullMaps(object) as JsonObject;
  if (isClusterScoped(clean, resources)) return clean;
  const metadata = own(clean, 'metadata');
  const namespace = ownPath(metadata, 'namespace');
  if (typeof namespace === 'string' && namespace !== '') return clean;
  return {...clean, metadata: {...(isObject(metadata) ? metadata : {}), namespace: 'default'}};
}

function withoutNullMaps(value: Json): Json {
  if (Array.isArray(value)) {
    const items = value.map(withoutNullMaps);
    return items.some((item, index) => item !== value[index]) ? items : value;
  }
  if (!isObject(value)) return value;
  let result = value;
  for (const key of Object.keys(value)) {
    const before = value[key]!;
    const after = before === null && maps.has(key) ? {} : withoutNullMaps(before);
    if (after === before) continue;
    if (result === value) result = {...value};
    setOwn(result, key, after);
  }
  return result;
}

export function groupVersionOf(object: JsonObject): {readonly group: string; readonly version: string} {
  const apiVersion = own(object, 'apiVersion');
  const text = typeof apiVersion === 'string' ? apiVersion : '';
  const slash = text.indexOf('/');
  return slash === -1 ? {group: '', version: text} : {group: text.slice(0, slash), version: text.slice(slash + 1)};
}

/** Known by group and kind, whatever the version. */
export function isClusterScoped(object: JsonObject, resources: ResourceMap): boolean {
  const {group} = groupVersionOf(object);
  const info = resources.find(String(own(object, 'kind') ?? '')).find(known => known.group === group);
  return info !== undefined && !info.namespaced;
}

export function kindOf(object: JsonObject): string {
  const kind = own(object, 'kind');
  return typeof kind === 'string' ? kind : '';
}
