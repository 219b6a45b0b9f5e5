import {spawn} from 'node:child_process';
import {imagesTool} from './programs.js';

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
  const child = spawn(await imagesTool(), ['notation'], {stdio: ['pipe', 'pipe', 'pipe']});
  const output: Buffer[] = [];
  const errors: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => output.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => errors.push(chunk));
  child.stdin.end(JSON.stringify({folder, signatures}));
  const code = await new Promise<number | null>((done, fail) => child.once('error', fail).once('close', done));
  if (code !== 0) throw new Error(`notation: ${Buffer.concat(errors).toString()}`);
  return JSON.parse(Buffer.concat(output).toString()) as NotationAnswer;
}
