import {
  type AttestationQuery,
  type ImageOptions,
  type ImageSource,
  ImageVerificationError,
  type RegistryAccess,
  type SignatureQuery,
} from '../image/verification.js';
import type {Json, JsonObject} from '../json/types.js';

export interface ImageTables {
  /** Tag (`registry/path:tag`) → digest. */
  readonly tags?: Readonly<Record<string, string>>;
  /** Digest → keys (or identities, certificates) that have signed it. */
  readonly signed?: Readonly<Record<string, readonly string[]>>;
  /** Digest → type → statements. */
  readonly attested?: Readonly<Record<string, Readonly<Record<string, readonly JsonObject[]>>>>;
  /** Hosts that give no answer. */
  readonly down?: readonly string[];
  readonly data?: Readonly<Record<string, Json>>;
  /** Answers come later, as from registries. */
  readonly later?: boolean;
}

export interface RecordingImages extends ImageSource {
  /** What was asked for, in order. */
  readonly calls: string[];
  readonly accesses: RegistryAccess[];
  readonly options: ImageOptions[];
  /** Most questions that were open at one time. */
  readonly most: () => number;
}

/** Registries of tables: who has signed which digest. */
export function recordingImages(tables: ImageTables): RecordingImages {
  const calls: string[] = [];
  const accesses: RegistryAccess[] = [];
  const allOptions: ImageOptions[] = [];
  let open = 0;
  let most = 0;
  const answer = <T>(call: string, access: RegistryAccess, options: ImageOptions, find: () => T): Promise<T> | T => {
    calls.push(call);
    accesses.push(access);
    allOptions.push(options);
    if (tables.later !== true) return find();
    open += 1;
    most = Math.max(most, open);
    return new Promise<void>(resolve => setImmediate(resolve)).then(() => {
      open -= 1;
      return find();
    });
  };
  const digestOf = (image: string): string => {
    const host = image.slice(0, image.indexOf('/'));
    if (tables.down?.includes(host))
      throw new ImageVerificationError(`dial tcp ${host}: connection refused`, 'unreachable');
    const at = image.indexOf('@');
    const digest = at < 0 ? tables.tags?.[image] : image.slice(at + 1);
    if (digest === undefined) throw new ImageVerificationError(`${image}: MANIFEST_UNKNOWN`, 'unverified');
    return digest;
  };
  const mustHaveSigned = (digest: string, who: string) => {
    if (tables.signed?.[digest]?.includes(who)) return;
    throw new ImageVerificationError('no matching signatures', 'unverified');
  };
  return {
    calls,
    accesses,
    options: allOptions,
    most: () => most,
    imageData: (image, access, options) => answer(`data ${image}`, access, options, () => tables.data?.[image] ?? null),
    resolveDigest: (image, access, options) => answer(`digest ${image}`, access, options, () => digestOf(image)),
    verifySignature: (query: SignatureQuery, options) =>
      answer(`signature ${query.image} ${signerName(query)}`, query.access, options, () => {
        const digest = digestOf(query.image);
        mustHaveSigned(digest, signerName(query));
        return {digest};
      }),
    verifyAttestations: (query: AttestationQuery, options) =>
      answer(`attestations ${query.image} ${query.type} ${signerName(query)}`, query.access, options, () => {
        const digest = digestOf(query.image);
        if (query.attestor !== undefined) mustHaveSigned(digest, signerName(query));
        const all = tables.attested?.[digest] ?? {};
        return {
          digest,
          statements: all[query.type] ?? [],
          otherTypes: Object.keys(all).filter(type => type !== query.type),
        };
      }),
  };
}

function signerName({attestor}: Pick<AttestationQuery, 'attestor'>): string {
  const signer = attestor?.signer;
  switch (signer?.type) {
    case undefined:
      return 'anybody';
    case 'key':
      return signer.publicKey.replace(/-----[A-Z ]+-----|\s/g, '');
    case 'secret':
      return `secret ${signer.secret.namespace}/${signer.secret.name}`;
    case 'kms':
      return signer.uri;
    case 'certificate':
      return signer.certificate ?? signer.chain ?? '';
    case 'keyless':
      return signer.identities.map(({issuer, subject}) => `${issuer?.text ?? ''}|${subject?.text ?? ''}`).join(',');
    case 'notary':
      return signer.certificates;
  }
}
