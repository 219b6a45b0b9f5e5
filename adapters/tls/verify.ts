import {createPrivateKey, X509Certificate} from 'node:crypto';

const block = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g;

/** The certificates of a PEM bundle, in order, each with its line end. */
export function splitBundle(pem: string): string[] {
  return (pem.match(block) ?? []).map(text => `${text}\n`);
}

/** Milliseconds since the epoch at which the first certificate of `pem` ends. */
export function expiresAt(pem: string): number {
  return Date.parse(firstCertificate(pem).validTo);
}

/** Milliseconds since the epoch from which the first certificate of `pem` holds. */
export function validFrom(pem: string): number {
  return Date.parse(firstCertificate(pem).validFrom);
}

/** True when `keyPem` is the key of the first certificate of `certPem`. */
export function keyMatches(certPem: string, keyPem: string): boolean {
  return firstCertificate(certPem).checkPrivateKey(createPrivateKey(keyPem));
}

/**
 * Why a client that trusts the bundle would refuse the leaf at `now` (milliseconds since the epoch), or `undefined`
 * when it would not. Authorities that are not valid at `now` count as absent.
 */
export function verifyChain(leafPem: string, caPem: string, now: number): string | undefined {
  let leaf: X509Certificate;
  let authorities: X509Certificate[];
  try {
    leaf = firstCertificate(leafPem);
    authorities = splitBundle(caPem).map(text => new X509Certificate(text));
  } catch (error) {
    return `certificate cannot be read: ${error instanceof Error ? error.message : String(error)}`;
  }
  if (!validAt(leaf, now)) return `serving certificate is not valid now: ${leaf.validFrom} to ${leaf.validTo}`;
  const valid = authorities.filter(authority => validAt(authority, now));
  if (valid.length === 0) return 'CA bundle holds no valid certificate';
  const signed = valid.some(
    authority => authority.ca && leaf.checkIssued(authority) && leaf.verify(authority.publicKey),
  );
  return signed ? undefined : 'serving certificate is not signed by any CA of the bundle';
}

function validAt(certificate: X509Certificate, now: number): boolean {
  return Date.parse(certificate.validFrom) <= now && now < Date.parse(certificate.validTo);
}

function firstCertificate(pem: string): X509Certificate {
  const first = splitBundle(pem)[0];
  if (first === undefined) throw new Error('no certificate in PEM text');
  return new X509Certificate(first);
}
