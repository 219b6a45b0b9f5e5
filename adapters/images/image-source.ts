import {
  type AttestationQuery,
  type BlobQuery,
  type ImageOptions,
  type ImageSource,
  ImageVerificationError,
  type RegistryAccess,
  type SignatureQuery,
  type VerifiedAttestations,
  type VerifiedSignature,
} from '../../engine/image/verification.js';
import type {Json} from '../../engine/json/types.js';
import type {Clock} from '../clock.js';
import {type AnswerCache, createAnswerCache} from './cache/answer-cache.js';
import {canonical} from './cache/canonical.js';
import {readImageData} from './image-data.js';
import {type ImageName, readImageName} from './image-name.js';
import type {Manifest, RegistryClient} from './registry/registry-client.js';
import {RegistryError} from './registry/registry-error.js';
import type {Session} from './registry/session.js';
import type {InSession} from './sessions.js';

/** An image whose digest is known. */
export interface ResolvedImage extends ImageName {
  readonly digest: string;
}

/** What has to be proven about an image: a question without what its registry is asked with. */
export interface VerificationParts {
  readonly client: RegistryClient;
  readonly session: Session;
  readonly image: ResolvedImage;
}

/** Proves signatures and attestations of one digest. Reject with an `ImageVerificationError` or a `RegistryError`. */
export interface Verifier {
  verifySignature(query: SignatureQuery, parts: VerificationParts): Promise<void>;
  verifyAttestations(
    query: AttestationQuery,
    parts: VerificationParts,
  ): Promise<Pick<VerifiedAttestations, 'statements' | 'otherTypes'>>;
  verifyBlob(query: BlobQuery, session: Session): Promise<void>;
}

export interface ImageSourceOptions {
  readonly clock: Clock;
  readonly client: RegistryClient;
  readonly inSession: InSession;
  /** Loaded when it is first needed. */
  readonly verifier: () => Promise<Verifier>;
  readonly cache: {
    readonly enabled: boolean;
    readonly maxSize: number;
    /** Milliseconds. */
    readonly ttlMs: number;
  };
  readonly onLookup?: ((cache: CacheName, outcome: 'hit' | 'miss' | 'shared') => void) | undefined;
}

export type CacheName = 'tag' | 'data' | 'verification';

/** Milliseconds for which a tag is taken to stand for the same digest: one storm of Pods, not one deployment. */
const tagTtlMs = 10_000;
/** Data of a digest never changes; what limits it is memory. */
const dataTtlMs = 10 * 60_000;
const failureTtlMs = {unverified: 30_000, unreachable: 2_000, uncached: 0};
/** Refused credentials: whoever gives the right ones tries again at once. */
const deniedTtlMs = 2_000;

/**
 * Registries as policies see them. What a tag stands for is asked once; all else goes by that digest. Verdicts are kept by
 * digest, verifier and credentials. A caller whose time is up gets an error while the work goes on for the next one.
 */
export function createImageSource(options: ImageSourceOptions): ImageSource {
  const {clock, client, inSession, verifier, cache, onLookup} = options;

  function cacheOf<T>(name: CacheName, limits: {readonly maxSize: number; readonly ttlMs: number; readonly peekMs?: number}): AnswerCache<T> {
    return createAnswerCache<T>({
      clock,
      ...limits,
      failureTtlMs: error => Math.min(limits.ttlMs, isDenied(error) ? deniedTtlMs : failureTtlMs[reasonOf(error)]),
      onLookup: outcome => onLookup?.(name, outcome),
    });
  }
  const tags = cacheOf<Manifest>('tag', {maxSize: 2000, ttlMs: tagTtlMs, peekMs: cache.ttlMs});
  const data = cacheOf<Json>('data', {maxSize: 500, ttlMs: dataTtlMs});
  const verdicts = cacheOf<VerifiedAttestations>('verification', cache);

  /** Waits no longer than the caller can; the work behind it goes on. */
  function within<T>(image: string, {deadline}: ImageOptions, start: () => T | Promise<T>): T | Promise<T> {
    const failed = (error: unknown): never => {
      throw asVerificationError(image, error);
    };
    let work: T | Promise<T>;
    try {
      work = start();
    } catch (error) {
      return failed(error);
    }
    if (!(work instanceof Promise)) return work;
    const left = deadline - clock.now();
    const guarded = work.catch(failed);
    if (left === Number.POSITIVE_INFINITY) return guarded;
    return new Promise<T>((resolve, reject) => {
      const late = () => reject(new ImageVerificationError(`${image}: no answer of its registry in the time of the request`, 'unreachable'));
      const cancel = clock.schedule(Math.max(0, left), late);
      guarded.then(resolve, reject).finally(cancel);
    });
  }

  function recall<T>(kept: AnswerCache<T>, key: string, {how, load}: {readonly how: ImageOptions; readonly load: () => Promise<T>}): T | Promise<T> {
    if (how.cacheOnly === true) {
      const found = kept.peek(key);
      if (found !== undefined) return found.value;
      throw new ImageVerificationError('nothing is known of it yet, and nobody is asked here', 'uncached');
    }
    return how.useCache ? kept.get(key, load) : load();
  }

  function top(name: ImageName, access: RegistryAccess, how: ImageOptions): Manifest | Promise<Manifest> {
    const {registry, repository, tag, digest} = name;
    const load = () => inSession(access, session => client.manifest(name, digest || tag, session));
    return recall(tags, canonical([registry, repository, digest || tag, access]), {how, load});
  }

  function prove(query: SignatureQuery | AttestationQuery, name: ImageName, how: ImageOptions): VerifiedAttestations | Promise<VerifiedAttestations> {
    const {access, image: _image, ...wanted} = query;
    const {registry, repository} = name;
    const pullSecrets = query.attestor?.pullSecrets ?? [];
    const byDigest = (digest: string) => {
      const load = () =>
        inSession({...access, secrets: [...pullSecrets, ...access.secrets]}, async session => {
          const parts = {client, session, image: {...name, digest}};
          const proven = await verifier();
          if ('kind' in query) return {digest, ...(await proven.verifyAttestations(query, parts))};
          await proven.verifySignature(query, parts);
          return {digest, statements: [], otherTypes: []};
        });
      const useCache = how.useCache && cache.enabled;
      return recall(verdicts, canonical([registry, repository, digest, access, wanted]), {how: {...how, useCache}, load});
    };
    // A digest that is written is proven as it is: nobody has to be asked what it stands for.
    if (name.digest !== '') return byDigest(name.digest);
    return after(top(name, access, how), ({digest}) => byDigest(digest));
  }

  return {
    imageData: (image, access, how) =>
      within(image, how, () => {
        const name = readImageName(image);
        return after(top(name, access, how), manifest => {
          const load = () => inSession(access, session => readImageData({client, name, session, top: manifest}));
          return recall<Json>(data, canonical([image, manifest.digest, access]), {how, load});
        });
      }),
    resolveDigest: (image, access, how) =>
      within(image, how, () => {
        const name = readImageName(image);
        if (name.digest !== '') return name.digest;
        return after(top(name, access, how), ({digest}) => digest);
      }),
    verifySignature: (query, how) => within<VerifiedSignature>(query.image, how, () => prove(query, readImageName(query.image), how)),
    verifyAttestations: (query, how) => within(query.image, how, () => prove(query, readImageName(query.image), how)),
    verifyBlob: (query, how) => within('the signed object', how, async () => inSession(noAccess, async session => (await verifier()).verifyBlob(query, session))),
  };
}

const noAccess: RegistryAccess = {secrets: [], providers: [], allowInsecureRegistry: false};

/** Without a Promise when there is nothing to wait for. */
function after<T, U>(value: T | Promise<T>, next: (value: T) => U | Promise<U>): U | Promise<U> {
  return value instanceof Promise ? value.then(next) : next(value);
}

function isDenied(error: unknown): boolean {
  return error instanceof RegistryError && error.kind === 'denied';
}

function reasonOf(error: unknown): ImageVerificationError['reason'] {
  if (error instanceof ImageVerificationError) return error.reason;
  return error instanceof RegistryError && error.kind === 'unreachable' ? 'unreachable' : 'unverified';
}

/** The image by the name that its user knows, and no stack of ours. */
function asVerificationError(image: string, error: unknown): ImageVerificationError {
  const isKnown = error instanceof ImageVerificationError || error instanceof RegistryError;
  // What nobody thought of is no proof of anything either.
  const message = isKnown ? error.message : `verification broke off: ${error instanceof Error ? error.message : 'unknown'}`;
  const text = message.includes(image) ? message : `${image}: ${message}`;
  return new ImageVerificationError(text, isKnown ? reasonOf(error) : 'unreachable', {cause: error});
}
