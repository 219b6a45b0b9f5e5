import type {Attestor, RegistryAccess, SignatureFormat} from '../image/verification.js';

/** One entry of `verifyImages` in its canonical form, its variables resolved. */
export interface ImageEntry {
  readonly format: SignatureFormat;
  readonly ociReferrers: boolean;
  /** Pull secrets of the object come on top. */
  readonly access: RegistryAccess;
  readonly useCache: boolean;
  readonly attestors: readonly AttestorSet[];
  readonly attestations: readonly Attestation[];
}

/** So many of its members must have signed. */
export interface AttestorSet {
  readonly required: number;
  readonly members: readonly Member[];
}

export type Member =
  | {readonly type: 'attestor'; readonly attestor: Attestor; readonly path: string}
  | {readonly type: 'set'; readonly set: AttestorSet; readonly path: string};

export interface Attestation {
  /** What conditions find the first statement's predicate under; empty for none. */
  readonly name: string;
  readonly type: string;
  /** Empty: the statements as they are. */
  readonly attestors: readonly AttestorSet[];
}
