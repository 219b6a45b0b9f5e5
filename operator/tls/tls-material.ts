import {X509Certificate} from 'node:crypto';
import {
  expiresAt,
  issueCa,
  issueLeaf,
  type IssuedCertificate,
  type KeyAlgorithm,
  keyAlgorithmOf,
  keyMatches,
  readPrivateKey,
  splitBundle,
  verifyChain,
} from '../../adapters/tls/index.js';

/** What the two Secrets hold. `ca.cert` is the bundle, newest last; its key signs leaves. */
export interface TlsMaterial {
  readonly ca: IssuedCertificate | undefined;
  readonly leaf: IssuedCertificate | undefined;
}

export interface TlsPlanOptions {
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Milliseconds before expiry at which a certificate is replaced. */
  readonly renewBefore: number;
  readonly algorithm: KeyAlgorithm;
  readonly commonName: string;
  readonly dnsNames: readonly string[];
  readonly ipAddresses: readonly string[];
  /** PEM bundle that clients trust now, for when the CA's Secret is gone: stays trusted beside a new CA. */
  readonly trusted?: string | undefined;
}

export interface TlsPlan {
  readonly ca: IssuedCertificate;
  readonly leaf: IssuedCertificate;
  /** What was issued anew; nothing = leave the Secrets alone. */
  readonly renewed: ReadonlyArray<'ca' | 'leaf'>;
}

/**
 * The certificates to serve with from here on. An old CA stays in the bundle until it ends, so that whoever still
 * trusts only one of the two can connect all the while; the leaf is signed by the newest.
 */
export async function planTls(material: TlsMaterial, options: TlsPlanOptions): Promise<TlsPlan> {
  const {now, renewBefore, algorithm, commonName} = options;
  const renewed: Array<'ca' | 'leaf'> = [];
  const kept = splitBundle(material.ca?.cert ?? options.trusted ?? '').filter(cert => expiresAt(cert) > now);
  const newest = kept.at(-1);
  let ca: IssuedCertificate;
  if (material.ca !== undefined && newest !== undefined && expiresAt(newest) - now > renewBefore && canSign(newest, material.ca.key)) {
    ca = {cert: kept.join(''), key: material.ca.key};
    if (kept.length !== splitBundle(material.ca.cert).length) renewed.push('ca');
  } else {
    const issued = await issueCa({algorithm, commonName, now});
    ca = {cert: [...kept, issued.cert].join(''), key: issued.key};
    renewed.push('ca');
  }
  const signer: IssuedCertificate = {cert: splitBundle(ca.cert).at(-1) ?? ca.cert, key: ca.key};
  if (material.leaf !== undefined && isGoodLeaf(material.leaf, ca, options)) return {ca, leaf: material.leaf, renewed};
  const leaf = await issueLeaf({
    ca: signer,
    algorithm,
    dnsNames: options.dnsNames,
    ipAddresses: options.ipAddresses,
    now,
  });
  return {ca, leaf, renewed: [...renewed, 'leaf']};
}

function canSign(cert: string, key: string): boolean {
  try {
    return keyMatches(cert, key);
  } catch {
    // No key, or none that can be read: a new CA is needed.
    return false;
  }
}

function isGoodLeaf(leaf: IssuedCertificate, ca: IssuedCertificate, options: TlsPlanOptions): boolean {
  const {now, renewBefore, algorithm} = options;
  try {
    return (
      verifyChain(leaf.cert, ca.cert, now) === undefined &&
      expiresAt(leaf.cert) - now > renewBefore &&
      keyMatches(leaf.cert, leaf.key) &&
      keyAlgorithmOf(readPrivateKey(leaf.key)) === algorithm &&
      covers(leaf.cert, options)
    );
  } catch {
    // A Secret somebody broke: unreadable material is replaced.
    return false;
  }
}

function covers(cert: string, options: TlsPlanOptions): boolean {
  const names = subjectAltNames(cert);
  return options.dnsNames.every(name => names.includes(`DNS:${name}`)) && options.ipAddresses.every(ip => names.includes(`IP Address:${ip}`));
}

function subjectAltNames(cert: string): string[] {
  return (new X509Certificate(cert).subjectAltName ?? '').split(', ');
}
