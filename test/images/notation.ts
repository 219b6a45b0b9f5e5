import {imagesTool} from './programs.js';
import {runTool} from './run-tool.js';

/** A signature to make; times in RFC 3339, default now. */
export interface NotationSignature {
  readonly name: string;
  /** Certificate authority; made when first named. */
  readonly authority: string;
  readonly mediaType: 'application/jose+json' | 'application/cose';
  readonly target: {readonly mediaType: string; readonly digest: string; readonly size: number};
  readonly key?: 'ec256' | 'ec384' | 'ec521' | 'rsa2048' | 'rsa3072' | 'rsa4096';
  readonly scheme?: 'notary.x509' | 'notary.x509.signingAuthority';
  /** Validity of the signer's certificate. */
  readonly notBefore?: string;
  readonly notAfter?: string;
  readonly signedAt?: string;
  readonly expiresAt?: string;
  /** Authority of a timestamp, which is of `signedAt`. */
  readonly timestamp?: string;
  /** Name of a critical attribute that no verifier knows. */
  readonly critical?: string;
}

export interface NotationAnswer {
  /** PEM. */
  readonly authorities: Readonly<Record<string, string>>;
  /** Base64. */
  readonly envelopes: Readonly<Record<string, string>>;
}

/** Signs by the Notary Project's library. Authorities are kept in `folder` for later calls. */
export async function notationSign(folder: string, signatures: readonly NotationSignature[]): Promise<NotationAnswer> {
  return runTool<NotationAnswer>(await imagesTool(), {args: ['notation'], input: {folder, signatures}});
}
