import {stat} from 'node:fs/promises';
import type {KubeClient} from '../../adapters/kube/types.js';
import {isObject, type JsonObject, own} from '../../engine/json/types.js';
import type {ResourceMap} from '../../engine/resource-map.js';
import {readDocuments, readText, takeApart} from '../files/documents.js';
import {FileError} from '../files/file-error.js';
import {findYamlFiles} from '../files/find-files.js';
import {nameOf, namespaceOf} from '../files/load-policies.js';
import {policyFamily} from '../files/policy-kinds.js';

/** A policy or a GlobalContextEntry, and where it was found. */
export interface Subject {
  readonly raw: JsonObject;
  readonly from: string;
}

export function isEntry(raw: JsonObject): boolean {
  return own(raw, 'kind') === 'GlobalContextEntry' && String(own(raw, 'apiVersion')).startsWith('kyverno.io/');
}

function isSubject(raw: JsonObject): boolean {
  const family = policyFamily(raw);
  return isEntry(raw) || (family !== undefined && !['binding', 'exception', 'cel-exception', 'vap', 'map'].includes(family));
}

/** Whether an argument names a file or folder rather than a policy of the cluster. */
export async function isPath(argument: string): Promise<boolean> {
  try {
    await stat(argument);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return /\.ya?ml$/.test(argument);
  }
}

/** Of files and folders; other objects beside them are passed over. */
export async function subjectsOfFiles(path: string): Promise<readonly Subject[]> {
  const found: Subject[] = [];
  for (const file of await findYamlFiles(path)) {
    for (const document of readDocuments(await readText(file), file)) {
      const from = `${file}:${document.line}`;
      for (const raw of takeApart(document.value, from)) if (isObject(raw) && isSubject(raw)) found.push({raw, from});
    }
  }
  return found;
}

/** Resources that hold policies and entries. */
const holders: Readonly<Record<string, readonly string[]>> = {
  'kyverno.io': ['clusterpolicies', 'policies', 'cleanuppolicies', 'clustercleanuppolicies', 'globalcontextentries'],
  'policies.kyverno.io': ['validating', 'mutating', 'generating', 'deleting', 'imagevalidating'].flatMap(type => [`${type}policies`, `namespaced${type}policies`]),
};

/** Of a cluster: all, or those of these names (`name`, `namespace/name`). Throws when one of the names is not there. */
export async function subjectsOfCluster({client, resources}: {readonly client: KubeClient; readonly resources: ResourceMap}, names: readonly string[]): Promise<readonly Subject[]> {
  const found: Subject[] = [];
  for (const [group, plurals] of Object.entries(holders)) {
    for (const resource of plurals) {
      const info = resources.all().find(kind => kind.group === group && kind.resource === resource);
      if (info === undefined) continue;
      const {items} = await client.list({group, version: info.version, resource}, {limit: 500});
      for (const item of items) found.push({raw: {apiVersion: `${group}/${info.version}`, kind: info.kind, ...item}, from: `${info.kind} ${keyOf(item)}`});
    }
  }
  if (names.length === 0) return found;
  const missing = names.filter(name => !found.some(({raw}) => isCalled(raw, name)));
  if (missing.length > 0) throw new FileError(`no file and no policy of the cluster: ${missing.join(', ')}`);
  return found.filter(({raw}) => names.some(name => isCalled(raw, name)));
}

function keyOf(raw: JsonObject): string {
  return namespaceOf(raw) === '' ? nameOf(raw) : `${namespaceOf(raw)}/${nameOf(raw)}`;
}

function isCalled(raw: JsonObject, name: string): boolean {
  return nameOf(raw) === name || keyOf(raw) === name;
}
