import {imagesTool} from './programs.js';
import {runTool} from './run-tool.js';

/** A signature to make by an identity. */
export interface KeylessSignature {
  readonly name: string;
  /** E-mail address, or URI. */
  readonly subject: string;
  readonly issuer: string;
  /** Further extensions of the certificate, by object identifier. */
  readonly extensions?: Readonly<Record<string, string>>;
  readonly payload: string | Buffer;
  /** As the payload of an envelope, for statements. */
  readonly dsse?: boolean;
  readonly noSCT?: boolean;
  readonly noLog?: boolean;
  readonly noProof?: boolean;
  readonly timestamp?: boolean;
  /** Seconds from now at which the ten minutes of the certificate start. */
  readonly start?: number;
}

/** What belongs to one signature. */
export interface KeylessSigned {
  readonly bundle: object;
  /** Base64. */
  readonly signature: string;
  readonly envelope?: object;
  /** PEM. */
  readonly certificate: string;
  readonly chain: string;
  /** As in the annotation of the older format. */
  readonly rekorBundle?: object;
  readonly timestamp?: string;
}

export interface KeylessAnswer {
  readonly trustedRoot: object;
  /** PEM, all of them. */
  readonly roots: string;
  readonly rekorKey: string;
  readonly ctlogKey: string;
  readonly tsaChain: string;
  readonly signatures: Readonly<Record<string, KeylessSigned>>;
}

/** Signs by identities, with authorities and logs that live for this one call. */
export async function keylessSign(signatures: readonly KeylessSignature[]): Promise<KeylessAnswer> {
  const input = {signatures: signatures.map(each => ({...each, payload: Buffer.from(each.payload).toString('base64')}))};
  return runTool<KeylessAnswer>(await imagesTool(), {args: ['keyless'], input});
}
