import type {HashAlgorithm} from '../image/verification.js';

/** Which images a policy means: exactly one of the two is there. */
export interface ImageMatch {
  readonly glob: string | undefined;
  /** Over `ref`. */
  readonly expression: string | undefined;
}

/** A text, or CEL that comes to one. */
export type TextOrExpression = {readonly value: string} | {readonly expression: string};

export type ImageAttestor = CosignAttestor | NotaryAttestor;

export interface CosignAttestor {
  readonly type: 'cosign';
  readonly name: string;
  readonly by: CosignSigner;
  readonly repository: string | undefined;
  readonly tagPrefix: string | undefined;
  /** Names of Secrets. */
  readonly pullSecrets: readonly string[];
  readonly annotations: Readonly<Record<string, string>>;
  readonly log: CosignLog;
  readonly tuf: {readonly root: string | undefined; readonly rootPath: string | undefined; readonly mirror: string | undefined} | undefined;
  readonly trustedRoot: TextOrExpression | undefined;
}

export type CosignSigner =
  | {readonly type: 'key'; readonly key: TextOrExpression; readonly hash: HashAlgorithm}
  | {readonly type: 'kms'; readonly uri: string; readonly hash: HashAlgorithm}
  | {
      readonly type: 'keyless';
      readonly identities: readonly CosignIdentity[];
      readonly roots: string | undefined;
      readonly additionalExtensions: Readonly<Record<string, string>>;
    }
  | {
      readonly type: 'certificate';
      readonly certificate: TextOrExpression | undefined;
      readonly chain: TextOrExpression | undefined;
    };

export interface CosignIdentity {
  readonly issuer: string | undefined;
  readonly issuerRegExp: string | undefined;
  readonly subject: string | undefined;
  readonly subjectRegExp: string | undefined;
  /** Comes to a regular expression. */
  readonly subjectExpression: string | undefined;
}

export interface CosignLog {
  readonly url: string | undefined;
  readonly rekorPublicKey: string | undefined;
  readonly ctlogPublicKey: string | undefined;
  readonly tsaCertChain: string | undefined;
  readonly ignoreTlog: boolean;
  readonly ignoreSct: boolean;
}

export interface NotaryAttestor {
  readonly type: 'notary';
  readonly name: string;
  readonly certificates: TextOrExpression;
  readonly tsaCertificates: TextOrExpression | undefined;
}

export interface ImageAttestation {
  readonly name: string;
  readonly kind: 'intoto' | 'referrer';
  /** Predicate type, or artifact type. */
  readonly type: string;
}

export interface ImageCredentials {
  readonly allowInsecureRegistry: boolean;
  readonly providers: readonly string[];
  /** `name`, or `namespace/name`. */
  readonly secrets: readonly string[];
}

/** What only policies on images have in their `spec`. */
export interface ImageParts {
  /** Empty: every image. */
  readonly matchImageReferences: readonly ImageMatch[];
  readonly attestors: readonly ImageAttestor[];
  readonly attestations: readonly ImageAttestation[];
  readonly mutateDigest: boolean;
  readonly verifyDigest: boolean;
  readonly required: boolean;
  readonly credentials: ImageCredentials;
}
