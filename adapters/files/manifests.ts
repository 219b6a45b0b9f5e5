import type {JsonObject} from '../../engine/json/types.js';
import {isObject, own, ownPath} from '../../engine/json/types.js';
import {parseYamlDocuments} from '../../engine/yaml/index.js';
import type {TreeFile} from './read-tree.js';

export interface Manifest {
  readonly object: JsonObject;
  /** `file.yaml:12`. */
  readonly source: string;
}

export interface ManifestResult {
  readonly manifests: readonly Manifest[];
  /** One line each, with file and line. */
  readonly errors: readonly string[];
  readonly warnings: readonly string[];
}

/** Objects of manifest files; Lists are taken apart. A broken document costs only itself. */
export function readManifests(files: readonly TreeFile[]): ManifestResult {
  const manifests: Manifest[] = [];
  const errors: string[] = [];
  const warnings: string[] = [];
  for (const file of files) {
    for (const document of parseYamlDocuments(file.text, {mergeDuplicateKeys: isMatchResources})) {
      const source = `${file.path}:${document.line}`;
      if (document.error !== undefined) {
        errors.push(`${file.path}:${document.error.line}:${document.error.column}: ${document.error.message}`);
        continue;
      }
      for (const duplicate of document.duplicates) {
        warnings.push(
          `${file.path}:${duplicate.line}: key ${duplicate.path.join('.')} is given twice; ${duplicate.merged ? 'the blocks are read as one' : 'the last one stands'}`,
        );
      }
      if (document.value === null) continue;
      for (const object of flatten(document.value)) {
        if (isObject(object)) manifests.push({object, source});
        else errors.push(`${source}: not an object`);
      }
    }
  }
  return {manifests, errors, warnings};
}

/** Two `resources` blocks in one match or exclude count together. */
function isMatchResources(path: readonly string[]): boolean {
  return path.at(-1) === 'resources' && (path.includes('match') || path.includes('exclude'));
}

function flatten(value: ReturnType<typeof parseYamlDocuments>[number]['value']): readonly (typeof value)[] {
  if (!isObject(value)) return [value];
  const kind = own(value, 'kind');
  const items = own(value, 'items');
  return typeof kind === 'string' && kind.endsWith('List') && Array.isArray(items) ? items : [value];
}

/** `ClusterPolicy/name` or `Policy/namespace/name`, for messages. */
export function describeObject(object: JsonObject): string {
  const [kind, namespace, name] = [
    own(object, 'kind'),
    ownPath(object, 'metadata', 'namespace'),
    ownPath(object, 'metadata', 'name'),
  ];
  return [kind, namespace, name].filter(part => typeof part === 'string' && part !== '').join('/') || 'object';
}
