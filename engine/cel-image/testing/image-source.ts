import {
  type AttestationQuery,
  type Attestor,
  type ImageOptions,
  type ImageSource,
  ImageVerificationError,
  type RegistryAccess,
  type SignatureQuery,
} from '../../image/verification.js';
import type {JsonObject} from '../../json/types.js';

/** An image as a registry of a test holds it. Signers are told by what identifies an attestor: `signerOf`. */
export interface TestImage {
  readonly digest: string;
  readonly signers?: readonly string[];
  /** By type: who signed, and what it says. */
  readonly attestations?: Readonly<Record<string, {readonly signers: readonly string[]; readonly statement: JsonObject}>>;
  readonly data?: JsonObject;
}

export interface TestImageSource extends ImageSource {
  /** What was asked, in order. */
  readonly calls: readonly string[];
  readonly queries: ReadonlyArray<SignatureQuery | AttestationQuery>;
  readonly accesses: readonly RegistryAccess[];
  readonly options: readonly ImageOptions[];
}

export interface TestSourceOptions {
  /** Answers come later, as from a registry. */
  readonly later?: boolean;
  /** Images whose registry does not answer. */
  readonly unreachable?: readonly string[];
  readonly uncached?: readonly string[];
}

/** A registry of a table, in memory; images that are not in it are unknown to it. */
export function testImageSource(images: Readonly<Record<string, TestImage>>, options: TestSourceOptions = {}): TestImageSource {
  const calls: string[] = [];
  const queries: Array<SignatureQuery | AttestationQuery> = [];
  const accesses: RegistryAccess[] = [];
  const given: ImageOptions[] = [];
  const answer = <T>(find: () => T): T | Promise<T> => (options.later === true ? Promise.resolve().then(find) : find());
  const lookUp = (image: string): TestImage => {
    if (options.unreachable?.includes(image)) throw new ImageVerificationError('connection refused', 'unreachable');
    if (options.uncached?.includes(image)) throw new ImageVerificationError('not cached', 'uncached');
    const found = Object.hasOwn(images, image) ? images[image] : undefined;
    if (found === undefined) throw new ImageVerificationError('manifest unknown', 'unverified');
    return found;
  };
  const heard = (call: string, access: RegistryAccess, options: ImageOptions) => {
    calls.push(call);
    accesses.push(access);
    given.push(options);
  };
  return {
    calls,
    queries,
    accesses,
    options: given,
    imageData(image, access, options) {
      heard(`data ${image}`, access, options);
      return answer(() => lookUp(image).data ?? {});
    },
    resolveDigest(image, access, options) {
      heard(`digest ${image}`, access, options);
      return answer(() => lookUp(image).digest);
    },
    verifySignature(query, options) {
      heard(`signature ${query.image} ${signerOf(query.attestor)}`, query.access, options);
      queries.push(query);
      return answer(() => {
        const {digest, signers = []} = lookUp(query.image);
        if (signers.includes(signerOf(query.attestor))) return {digest};
        throw new ImageVerificationError('no signature found', 'unverified');
      });
    },
    verifyAttestations(query, options) {
      heard(`attestation ${query.image} ${query.type}`, query.access, options);
      queries.push(query);
      return answer(() => {
        const {digest, attestations = {}} = lookUp(query.image);
        const found = Object.hasOwn(attestations, query.type) ? attestations[query.type] : undefined;
        // As real ones: that there is none of the type is an answer, not a refusal.
        if (found === undefined) return {digest, statements: [], otherTypes: Object.keys(attestations)};
        const isSigned = query.attestor === undefined || found.signers.includes(signerOf(query.attestor));
        if (!isSigned) throw new ImageVerificationError('no attestation found', 'unverified');
        return {digest, statements: [found.statement], otherTypes: []};
      });
    },
  };
}

/** What tells an attestor from others in tables: its key, address of a key service, subject, or certificates. */
export function signerOf({signer}: Attestor): string {
  switch (signer.type) {
    case 'key':
      return signer.publicKey.trim();
    case 'secret':
      return `${signer.secret.namespace}/${signer.secret.name}`;
    case 'kms':
      return signer.uri;
    case 'certificate':
      return (signer.certificate ?? signer.chain ?? '').trim();
    case 'keyless':
      return signer.identities.map(({subject}) => subject?.text ?? '').join(' ');
    case 'notary':
      return signer.certificates.trim();
  }
}
