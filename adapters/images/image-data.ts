import type {Json, JsonObject} from '../../engine/json/types.js';
import {own, ownPath} from '../../engine/json/types.js';
import {parseJsonBytes} from '../../engine/json/parse.js';
import {textOf} from '../../engine/json/text.js';
import type {ImageName} from './image-name.js';
import {type Descriptor, readDescriptor, readDescriptors} from './registry/descriptor.js';
import type {Manifest, RegistryClient} from './registry/registry-client.js';
import {RegistryError} from './registry/registry-error.js';
import type {Session} from './registry/session.js';

const maxConfigBytes = 8 * 1024 * 1024;
const maxPlatforms = 1000;

export interface ImageDataParts {
  readonly client: RegistryClient;
  readonly name: ImageName;
  /** What tag or digest stand for. */
  readonly top: Manifest;
  readonly session: Session;
}

/**
 * Manifest and config of an image, of an index those for linux on amd64, else of its first. Names are those of both policy
 * languages: `imageIndex` is `manifestList`, `config` is `configData`.
 */
export async function readImageData({client, name, top, session}: ImageDataParts): Promise<JsonObject> {
  const index = isIndex(top) ? top.json : undefined;
  const manifest = index === undefined ? top : await client.manifest(name, platformOf(index).digest, session);
  const config = await readConfig(client, {name, manifest, session});
  const {text, registry, repository, tag, digest} = name;
  return {
    image: text,
    resolvedImage: `${registry}/${repository}@${top.digest}`,
    registry,
    repository,
    tag,
    digest: top.digest,
    identifier: digest || tag,
    manifest: manifest.json,
    config,
    configData: config,
    ...(index && {imageIndex: index, manifestList: index}),
  };
}

export function isIndex({mediaType, json}: Manifest): boolean {
  if (/image\.index|manifest\.list/.test(mediaType)) return true;
  return own(json, 'manifests') !== undefined && own(json, 'config') === undefined;
}

/** The manifest for linux on amd64, else the first that is one for a platform. */
function platformOf(index: JsonObject): Descriptor {
  const all = readDescriptors(index, maxPlatforms);
  const is = (wanted: string, key: string) => (one: Descriptor) => textOf(own(one.platform ?? {}, key)) === wanted;
  const fits = all.find(one => is('linux', 'os')(one) && is('amd64', 'architecture')(one));
  const found = fits ?? all.find(one => !is('unknown', 'os')(one)) ?? all[0];
  if (found === undefined) throw new RegistryError('the image index lists no manifest', 'malformed');
  return found;
}

interface ConfigParts extends Omit<ImageDataParts, 'top' | 'client'> {
  readonly manifest: Manifest;
}

async function readConfig(client: RegistryClient, {name, manifest, session}: ConfigParts): Promise<Json> {
  const config = readDescriptor(ownPath(manifest.json, 'config'));
  if (config === undefined) throw new RegistryError(`${name.repository}: the manifest names no config`, 'malformed');
  const bytes = await client.blob(name, config.digest, {maxBytes: maxConfigBytes, session});
  try {
    return parseJsonBytes(bytes);
  } catch (error) {
    throw new RegistryError(`${name.repository}: the config is no JSON`, 'malformed', {cause: error});
  }
}
