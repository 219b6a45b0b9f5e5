import {hasStatus, KubeError} from '../../adapters/kube/kube-error.js';
import type {CollectionRef, KubeClient} from '../../adapters/kube/types.js';
import {isObject, type Json, type JsonObject, own, ownPath} from '../../engine/json/types.js';
import {FileError} from '../files/file-error.js';
import type {Streams} from '../output/streams.js';

const definitions: CollectionRef = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  resource: 'customresourcedefinitions',
};

/**
 * Writes every object of a custom resource once more, so that the API server keeps it in the storage version, and then
 * strikes older versions off `status.storedVersions`. Nothing is done where that lists the storage version alone.
 */
export async function migrateResource(client: KubeClient, name: string, {out}: Pick<Streams, 'out'>): Promise<void> {
  const definition = await client.get({...definitions, name});
  const storage = storageVersion(definition, name);
  const stored = storedVersions(definition);
  if (stored.length === 1 && stored[0] === storage) {
    out(`${name}: ${storage} is the only stored version\n`);
    return;
  }
  out(
    `${name}: migrating from ${stored.filter(version => version !== storage).join(', ') || 'unknown versions'} to ${storage}...\n`,
  );
  const collection: CollectionRef = {
    group: text(ownPath(definition, 'spec', 'group')),
    version: storage,
    resource: text(ownPath(definition, 'spec', 'names', 'plural')),
  };
  const written = await rewriteAll(client, collection);
  // An older version that came in meanwhile changes the resourceVersion, and this write is refused.
  await client.update({...definitions, name}, withStoredVersions(definition, storage), {subresource: 'status'});
  out(`${name}: ${written} objects written, stored versions are now ${storage}\n`);
}

const ownGroups: ReadonlySet<string> = new Set(['kyverno.io', 'policies.kyverno.io', 'reports.kyverno.io']);

/** Names of all definitions in the cluster whose objects are ours to write. */
export async function ownDefinitions(client: KubeClient): Promise<readonly string[]> {
  const {items} = await client.list(definitions);
  return items.flatMap(definition => (ownGroups.has(text(ownPath(definition, 'spec', 'group'))) ? [text(ownPath(definition, 'metadata', 'name'))] : [])).sort();
}

async function rewriteAll(client: KubeClient, collection: CollectionRef): Promise<number> {
  let written = 0;
  const {items} = await client.list(collection);
  for (const item of items) {
    const ref = {
      ...collection,
      namespace: text(ownPath(item, 'metadata', 'namespace')),
      name: text(ownPath(item, 'metadata', 'name')),
    };
    try {
      await client.update(ref, item);
      written += 1;
    } catch (error) {
      // Gone, or written by someone else and so kept in the new version already.
      if (!hasStatus(error, 404) && !hasStatus(error, 409)) throw refused(error, ref);
    }
  }
  return written;
}

function refused(error: unknown, {namespace, name}: {readonly namespace: string; readonly name: string}): unknown {
  if (!(error instanceof KubeError)) return error;
  return new FileError(`${namespace === '' ? '' : `${namespace}/`}${name}: ${error.message}`);
}

function storageVersion(definition: JsonObject, name: string): string {
  const versions = ownPath(definition, 'spec', 'versions');
  const storage = Array.isArray(versions)
    ? versions.find(version => isObject(version) && own(version, 'storage') === true)
    : undefined;
  const found = text(ownPath(storage, 'name'));
  if (found === '') throw new FileError(`${name}: no version is marked as the storage version`);
  return found;
}

function storedVersions(definition: JsonObject): readonly string[] {
  const stored = ownPath(definition, 'status', 'storedVersions');
  return Array.isArray(stored) ? stored.filter(version => typeof version === 'string') : [];
}

function withStoredVersions(definition: JsonObject, version: string): JsonObject {
  const status = own(definition, 'status');
  return {...definition, status: {...(isObject(status) ? status : {}), storedVersions: [version]}};
}

function text(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}
