import {isObject, type Json, type JsonObject, own} from '../../../engine/json/types.js';
import {textMapOf} from '../../../engine/json/text.js';
import {isDigest} from '../image-name.js';
import {RegistryError} from './registry-error.js';

/** What a manifest says of content. */
export interface Descriptor {
  readonly mediaType: string;
  readonly digest: string;
  /** Bytes. */
  readonly size: number;
  /** Empty when none is given. */
  readonly artifactType: string;
  readonly annotations: Readonly<Record<string, string>>;
  readonly platform: JsonObject | undefined;
}

/** `undefined` when it is none. */
export function readDescriptor(json: Json | undefined): Descriptor | undefined {
  if (!isObject(json)) return undefined;
  const text = (key: string) => {
    const value = own(json, key);
    return typeof value === 'string' ? value : '';
  };
  const digest = text('digest');
  const size = own(json, 'size');
  if (!isDigest(digest) || typeof size !== 'number' || size < 0) return undefined;
  const platform = own(json, 'platform');
  return {
    mediaType: text('mediaType'),
    digest,
    size,
    artifactType: text('artifactType'),
    annotations: textMapOf(own(json, 'annotations')),
    platform: isObject(platform) ? platform : undefined,
  };
}

/** The `manifests` of an index, or the list of another key. */
export function readDescriptors(json: JsonObject, limit: number, key = 'manifests'): Descriptor[] {
  const list = own(json, key);
  if (!Array.isArray(list)) return [];
  if (list.length > limit) throw new RegistryError(`a manifest lists more than ${limit} ${key}`, 'malformed');
  return list.flatMap(item => readDescriptor(item) ?? []);
}
