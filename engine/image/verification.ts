import type {Json, JsonObject} from '../json/types.js';

/** Whose credentials a registry is asked with, and how; what is absent is not used. */
export interface RegistryAccess {
  /** Pull secrets (`kubernetes.io/dockerconfigjson`), in the order in which they are tried. */
  readonly secrets: readonly SecretReference[];
  /** Keychains of clouds: `default`, `amazon`, `azure`, `google`, `github`. */
  readonly providers: readonly string[];
  /** Plain HTTP and unproven certificates; only where the installation allows it, too. */
  readonly allowInsecureRegistry: boolean;
}

export interface SecretReference {
  readonly namespace: string;
  readonly name: string;
}

export type HashAlgorithm = 'sha224' | 'sha256' | 'sha384' | 'sha512';

/** Who must have signed. Strings are final: variables, expressions and references of the policy are resolved before. */
export type Signer =
  | {readonly type: 'key'; readonly publicKey: string; readonly hash: HashAlgorithm}
  /** `cosign.pub` of a Secret. */
  | {readonly type: 'secret'; readonly secret: SecretReference; readonly hash: HashAlgorithm}
  /** `awskms://…`, `azurekms://…`, `gcpkms://…`, `hashivault://…`, or another scheme of a plug-in. */
  | {readonly type: 'kms'; readonly uri: string; readonly hash: HashAlgorithm}
  /** PEM. Certificate alone: its key; with chain: proven by it; chain alone: its certificates are the roots. */
  | {readonly type: 'certificate'; readonly certificate: string | undefined; readonly chain: string | undefined}
  | KeylessSigner
  /** PEM bundles. */
  | {readonly type: 'notary'; readonly certificates: string; readonly tsaCertificates: string | undefined};

export interface KeylessSigner {
  readonly type: 'keyless';
  /** One that fits is enough. */
  readonly identities: readonly Identity[];
  /** PEM of Fulcio roots and intermediates instead of the trusted root's. */
  readonly roots: string | undefined;
  /** Object identifier (dotted) or documented name of a certificate extension → wanted value. */
  readonly additionalExtensions: Readonly<Record<string, string>>;
}

/** What is absent or empty is not asked for. */
export interface Identity {
  readonly issuer?: TextMatch | undefined;
  readonly subject?: TextMatch | undefined;
}

/** `wildcard`: `*` and `?`, the whole text; `regexp`: RE2, found anywhere in the text. */
export interface TextMatch {
  readonly kind: 'exact' | 'wildcard' | 'regexp';
  readonly text: string;
}

/** Where proof of time and of publication comes from. */
export interface Transparency {
  readonly rekorUrl: string | undefined;
  /** PEM. */
  readonly rekorPublicKey: string | undefined;
  readonly ignoreTlog: boolean;
  /** PEM. */
  readonly ctlogPublicKey: string | undefined;
  readonly ignoreSct: boolean;
  /** PEM; signed timestamps of these authorities count. */
  readonly tsaCertChain: string | undefined;
  /** TrustedRoot JSON; goes before `tuf`. */
  readonly trustedRoot: string | undefined;
  readonly tuf: {readonly root: string | undefined; readonly rootPath: string | undefined; readonly mirror: string | undefined} | undefined;
}

/** One leaf of a tree of attestors: a signer, with what must hold beside its signature. */
export interface Attestor {
  readonly signer: Signer;
  readonly transparency: Transparency;
  /** All must stand in the signed payload. */
  readonly annotations: Readonly<Record<string, string>>;
  /** Repository of the signatures instead of the image's own. */
  readonly repository: string | undefined;
  /** In front of the tags of signatures. */
  readonly tagPrefix: string | undefined;
  /** Credentials of `repository`, beside those of the image. */
  readonly pullSecrets: readonly SecretReference[];
}

/** Where signatures are looked for. `auto`: bundles among the referrers, else the tags of the older scheme. */
export type SignatureFormat = 'auto' | 'tag' | 'bundle' | 'notary';

export interface SignatureQuery {
  /** As written in the object. */
  readonly image: string;
  readonly access: RegistryAccess;
  readonly format: SignatureFormat;
  /** OCI 1.1 referrers for signatures of the older payload. */
  readonly ociReferrers: boolean;
  readonly attestor: Attestor;
}

export interface AttestationQuery extends Omit<SignatureQuery, 'attestor'> {
  /** `undefined`: the statements as they are, proven by nobody. */
  readonly attestor: Attestor | undefined;
  /** Predicate type of an in-toto statement, or artifact type of a referrer. */
  readonly type: string;
  readonly kind: 'intoto' | 'referrer';
}

export interface VerifiedSignature {
  /** `algorithm:hex` that the signature is for, and that the tag stood for then. */
  readonly digest: string;
}

export interface VerifiedAttestations extends VerifiedSignature {
  /** In-toto statements of that type (`_type`, `predicateType`, `subject`, `predicate`), or the referrers' JSON payloads. */
  readonly statements: readonly JsonObject[];
  /** Predicate types that were found and not asked for. */
  readonly otherTypes: readonly string[];
}

/** A signature over bytes that are no image, as it came with them. */
export interface BlobQuery {
  readonly payload: Uint8Array;
  /** Base64. */
  readonly signature: string;
  /** PEM of the signer's certificate, and of those between it and a root. */
  readonly certificate: string | undefined;
  /** JSON of the log's entry (`SignedEntryTimestamp`, `Payload`). */
  readonly bundle: string | undefined;
  /** `repository`, `tagPrefix` and `annotations` say nothing here. */
  readonly attestor: Attestor;
}

/**
 * `unreachable`: a registry, log or key service gave no answer (a rule's status is error). `unverified`: it answered, and
 * the proof is missing or wrong (fail). `uncached`: nobody was asked, as `cacheOnly` wants it (skip).
 */
export class ImageVerificationError extends Error {
  override readonly name = 'ImageVerificationError';
  constructor(
    message: string,
    readonly reason: 'unreachable' | 'unverified' | 'uncached',
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** What an evaluation asks of registries. Failures reject with an `ImageVerificationError`. */
export interface ImageSource {
  /** `image`, `resolvedImage`, `registry`, `repository`, `tag`, `digest`, `identifier`, `manifest`, `config`, `imageIndex`. */
  imageData(image: string, access: RegistryAccess, options: ImageOptions): Promise<Json> | Json;
  /** Digest (`algorithm:hex`) that the tag stands for. */
  resolveDigest(image: string, access: RegistryAccess, options: ImageOptions): Promise<string> | string;
  verifySignature(query: SignatureQuery, options: ImageOptions): Promise<VerifiedSignature> | VerifiedSignature;
  verifyAttestations(
    query: AttestationQuery,
    options: ImageOptions,
  ): Promise<VerifiedAttestations> | VerifiedAttestations;
  /** Resolves when the attestor has signed the bytes. Absent: only what needs nothing from outside can be proven. */
  verifyBlob?(query: BlobQuery, options: ImageOptions): Promise<void> | void;
}

export interface ImageOptions {
  /** Milliseconds on the clock of the context loader after which the call has to give up. */
  readonly deadline: number;
  /** False: neither ask nor keep a verified answer. */
  readonly useCache: boolean;
  /** Nothing is fetched: what no cache holds is rejected as `uncached`, whatever `useCache` says. */
  readonly cacheOnly?: boolean | undefined;
}
