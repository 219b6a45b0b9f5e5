import {isObject, type JsonObject, own, ownPath} from '../../engine/json/types.js';
import type {ResourceMap} from '../../engine/resource-map.js';
import {duplicateText, readDocuments, readText, takeApart} from './documents.js';
import {FileError} from './file-error.js';
import {findYamlFiles} from './find-files.js';
import {type PolicyFamily, policyFamily} from './policy-kinds.js';

export interface PolicyDocument {
  readonly raw: JsonObject;
  readonly family: PolicyFamily;
  readonly path: string;
  /** 1-based, where the document begins. */
  readonly line: number;
}

export interface PolicyLoad {
  readonly documents: readonly PolicyDocument[];
  /** Documents that were left out and why; the rest of their file stands. */
  readonly skipped: readonly {readonly path: string; readonly message: string}[];
  /** What was read in another way than it is written. */
  readonly warnings: readonly string[];
}

/** Policies of a file or folder. Throws `FileError` for a path that cannot be read and for a kind that is no policy. */
export async function loadPolicyPath(path: string, resources: ResourceMap): Promise<PolicyLoad> {
  const loads: PolicyLoad[] = [];
  for (const file of await findYamlFiles(path)) loads.push(await loadPolicyFile(file, resources));
  return mergeLoads(loads);
}

export async function loadPolicyFile(path: string, resources: ResourceMap): Promise<PolicyLoad> {
  return readPolicies(await readText(path), path, resources);
}

export function mergeLoads(loads: readonly PolicyLoad[]): PolicyLoad {
  return {
    documents: loads.flatMap(load => load.documents),
    skipped: loads.flatMap(load => load.skipped),
    warnings: loads.flatMap(load => load.warnings),
  };
}

export function readPolicies(text: string, path: string, resources: ResourceMap): PolicyLoad {
  const documents: PolicyDocument[] = [];
  const skipped: {path: string; message: string}[] = [];
  const warnings: string[] = [];
  for (const document of readDocuments(text, path)) {
    for (const twice of document.duplicates) {
      warnings.push(duplicateText(twice, path));
    }
    for (const value of takeApart(document.value, `${path}:${document.line}`)) {
      if (!isObject(value)) throw new FileError(`${path}:${document.line}: not an object`);
      const family = policyFamily(value);
      if (family !== undefined) documents.push({raw: value, family, path, line: document.line});
      else skipped.push({path, message: refuse(value, {path, line: document.line, resources})});
    }
  }
  return {documents, skipped, warnings};
}

/** A known kind that is no policy ends the file; an unknown one is left out. */
function refuse(value: JsonObject, at: {path: string; line: number; resources: ResourceMap}): string {
  const [apiVersion, kind] = [own(value, 'apiVersion'), own(value, 'kind')];
  if (typeof kind !== 'string' || kind === '') throw new FileError(`${at.path}:${at.line}: kind is missing`);
  const described = `${typeof apiVersion === 'string' ? apiVersion : ''}/${kind}`;
  const known = at.resources
    .find(kind)
    .some(info => `${info.group === '' ? '' : `${info.group}/`}${info.version}` === apiVersion);
  if (known) throw new FileError(`${at.path}:${at.line}: policy type not supported: ${described}`);
  return `unknown kind ${described} (document at line ${at.line})`;
}

/** Name for messages and for matching; empty when there is none. */
export function nameOf(object: JsonObject): string {
  const name = ownPath(object, 'metadata', 'name');
  return typeof name === 'string' ? name : '';
}

export function namespaceOf(object: JsonObject): string {
  const namespace = ownPath(object, 'metadata', 'namespace');
  return typeof namespace === 'string' ? namespace : '';
}
