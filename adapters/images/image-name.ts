import {parseImageReference} from '../../engine/image/parse-image.js';
import {ImageVerificationError} from '../../engine/image/verification.js';

/** An image as registries know it. */
export interface ImageName {
  /** As written. */
  readonly text: string;
  /** Host (and port) that names the registry: `index.docker.io`, `ghcr.io`, `reg:5000`. */
  readonly registry: string;
  /** `library/nginx`. */
  readonly repository: string;
  /** Empty when the image is given by digest alone. */
  readonly tag: string;
  /** `algorithm:hex`, or empty. */
  readonly digest: string;
}

/** A place in a registry, without tag and digest. */
export type Repository = Pick<ImageName, 'registry' | 'repository'>;

const hubNames = new Set(['docker.io', 'index.docker.io', 'registry-1.docker.io', 'registry.hub.docker.com']);
export const hub = 'index.docker.io';
const digestShape = /^(sha256:[0-9a-f]{64}|sha384:[0-9a-f]{96}|sha512:[0-9a-f]{128})$/;

/** Rejects what is no reference, and digests of algorithms that nothing can be proven by. */
export function readImageName(text: string): ImageName {
  const parsed = parseImageReference(text, {defaultRegistry: hub});
  if (parsed === undefined) throw new ImageVerificationError(`${shown(text)} is no image reference`, 'unverified');
  const {path, tag, digest} = parsed;
  if (digest !== '' && !isDigest(digest)) {
    throw new ImageVerificationError(`${shown(text)}: digests are sha256, sha384 or sha512 in lower case`, 'unverified');
  }
  const registry = hostName(parsed.registry);
  const repository = registry === hub && !path.includes('/') ? `library/${path}` : path;
  return {text, registry, repository, tag, digest};
}

/** `registry/path` of a policy, tag and digest not allowed. */
export function readRepository(text: string): Repository {
  const parsed = parseImageReference(text, {defaultRegistry: hub});
  // Without a tag the reader fills in `latest`: what was written shows whether there was one.
  const bare = parsed !== undefined && parsed.digest === '' && !/:[^/]*$/.test(text.slice(text.indexOf('/') + 1));
  if (!bare) throw new ImageVerificationError(`${shown(text)} is no repository`, 'unverified');
  const {registry, repository} = readImageName(text);
  return {registry, repository};
}

/** One name for one registry: Docker's has several, and host names know no case. */
export function hostName(registry: string): string {
  const name = registry.toLowerCase();
  return hubNames.has(name) ? hub : name;
}

export function isDigest(text: string): boolean {
  return digestShape.test(text);
}

/** Short enough for a message, with nothing that acts on a terminal. */
export function shown(text: string): string {
  return JSON.stringify(text.length > 200 ? `${text.slice(0, 200)}…` : text);
}
