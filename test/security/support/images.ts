import {createHash} from 'node:crypto';
import type {ServerResponse} from 'node:http';
import {systemClock} from '../../../adapters/clock.js';
import {createNameLookup} from '../../../adapters/http/name-lookup.js';
import {createImages, type ImageParts} from '../../../adapters/images/create-image-source.js';
import {createRegexEngine} from '../../../adapters/regex/regex-engine.js';
import type {ImageOptions, ImageSource, RegistryAccess, SignatureQuery} from '../../../engine/image/verification.js';
import type {JsonObject} from '../../../engine/json/types.js';

export const open: RegistryAccess = {secrets: [], providers: [], allowInsecureRegistry: true};

/** An image source as operators have it, plain HTTP allowed since these registries are on loopback. */
export function createTestImages(parts: Partial<ImageParts> = {}): ImageSource {
  return createImages({
    clock: systemClock,
    lookup: createNameLookup(),
    regex: createRegexEngine(),
    allowInsecureRegistry: true,
    secrets: async () => undefined,
    pullSecrets: [],
    helpers: [],
    keychains: () => () => undefined,
    cache: {enabled: true, maxSize: 1000, ttlMs: 3_600_000},
    timeoutMs: 20_000,
    ...parts,
  });
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
      transparency: {rekorUrl: undefined, rekorPublicKey: undefined, ignoreTlog: true, ctlogPublicKey: undefined, ignoreSct: true, tsaCertChain: undefined, trustedRoot: undefined, tuf: undefined},
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
