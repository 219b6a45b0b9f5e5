import {createHash} from 'node:crypto';
import type {ServerResponse} from 'node:http';
import type {ImageParts} from '../../../adapters/images/create-image-source.js';
import type {ImageOptions, ImageSource, RegistryAccess, SignatureQuery} from '../../../engine/image/verification.js';
import type {JsonObject} from '../../../engine/json/types.js';
import {access, createWorldImages, noTransparency} from '../../images/queries.js';

export const open: RegistryAccess = access;

/** With time for a busy machine: what is tested here is not how long an answer takes. */
export function createTestImages(parts: Partial<ImageParts> = {}): ImageSource {
  return createWorldImages({timeoutMs: 20_000, ...parts});
}

export function options(more: Partial<ImageOptions> = {}): ImageOptions {
  return {deadline: Date.now() + 15_000, useCache: true, ...more};
}

/** The message of the rejection; throws when there is none. */
export async function refusal(work: () => Promise<unknown> | unknown): Promise<string> {
  try {
    await work();
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error('nothing was refused');
}

export function sha256(content: Buffer | string): string {
  return `sha256:${createHash('sha256').update(content).digest('hex')}`;
}

export const manifestType = 'application/vnd.oci.image.manifest.v1+json';

/** Bytes of a manifest whose config is `config`. */
export function manifestOf(config: string): string {
  return JSON.stringify({
    schemaVersion: 2,
    mediaType: manifestType,
    config: {mediaType: 'application/vnd.oci.image.config.v1+json', digest: sha256(config), size: Buffer.byteLength(config)},
    layers: [],
  });
}

export function sendManifest(response: ServerResponse, bytes: string, headers: Readonly<Record<string, string>> = {}): void {
  response.writeHead(200, {'content-type': manifestType, ...headers}).end(bytes);
}

export function queryOf(image: string, access: RegistryAccess = open): SignatureQuery {
  return {
    image,
    access,
    format: 'auto',
    ociReferrers: false,
    attestor: {
      signer: {type: 'key', publicKey: '', hash: 'sha256'},
      transparency: noTransparency,
      annotations: {},
      repository: undefined,
      tagPrefix: undefined,
      pullSecrets: [],
    },
  };
}

/** A pull secret as Kubernetes keeps it. */
export function pullSecret(host: string, login: {readonly username: string; readonly password: string}): JsonObject {
  const config = JSON.stringify({auths: {[host]: login}});
  return {type: 'kubernetes.io/dockerconfigjson', data: {'.dockerconfigjson': Buffer.from(config).toString('base64')}};
}
