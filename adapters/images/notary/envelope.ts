import {unverified} from './refuse.js';

/** Signature algorithms of the specification; each belongs to one kind and size of key. */
export type NotaryAlgorithm = 'PS256' | 'PS384' | 'PS512' | 'ES256' | 'ES384' | 'ES512';

export type SigningScheme = 'notary.x509' | 'notary.x509.signingAuthority';

/** What JWS and COSE envelopes have in common. Nothing in it is proven yet. */
export interface NotaryEnvelope {
  readonly algorithm: NotaryAlgorithm;
  readonly contentType: string;
  readonly payload: Uint8Array;
  readonly scheme: SigningScheme;
  /** As the signer claims; an authority's time in the scheme of signing authorities. */
  readonly signingTime: Date;
  readonly expiry: Date | undefined;
  /** DER, leaf first. */
  readonly chain: readonly Uint8Array[];
  readonly signature: Uint8Array;
  /** What the signature is made over. */
  readonly signedBytes: Uint8Array;
  /** RFC 3161 token over `signature`, DER. */
  readonly timestampToken: Uint8Array | undefined;
}

/** Names of the signed attributes. */
export const attributes = {
  scheme: 'io.cncf.notary.signingScheme',
  signingTime: 'io.cncf.notary.signingTime',
  authenticSigningTime: 'io.cncf.notary.authenticSigningTime',
  expiry: 'io.cncf.notary.expiry',
} as const;

/** Names of what is not signed. */
export const unsigned = {timestamp: 'io.cncf.notary.timestampSignature'} as const;

export const maxCertificates = 10;

/** Which signed attribute tells the time under a scheme; refuses other schemes. */
export function timeAttribute(scheme: unknown): {readonly scheme: SigningScheme; readonly name: string} {
  if (scheme === 'notary.x509') return {scheme, name: attributes.signingTime};
  if (scheme === 'notary.x509.signingAuthority') return {scheme, name: attributes.authenticSigningTime};
  throw unverified(`signing scheme ${JSON.stringify(scheme) ?? 'missing'} is not supported`);
}

/**
 * A critical attribute has to be understood, and what decides has to be critical. `present` are the names of all signed
 * attributes; `crit` those that are marked.
 */
export function checkCritical(crit: unknown, present: ReadonlySet<unknown>, scheme: SigningScheme): void {
  if (!Array.isArray(crit) || crit.length === 0) throw unverified('the envelope marks no attribute as critical');
  const known: ReadonlySet<unknown> = new Set(Object.values(attributes));
  for (const name of crit) {
    if (!present.has(name)) throw unverified(`critical attribute ${String(name)} is missing`);
    if (!known.has(name)) throw unverified(`critical attribute ${String(name)} is not understood (signature plug-ins are not supported)`);
  }
  const wanted: string[] = [attributes.scheme];
  if (scheme === 'notary.x509.signingAuthority') wanted.push(attributes.authenticSigningTime);
  if (present.has(attributes.expiry)) wanted.push(attributes.expiry);
  for (const name of wanted) {
    if (!crit.includes(name)) throw unverified(`attribute ${name} has to be marked as critical`);
  }
}
