import {createPublicKey, X509Certificate, type KeyObject} from 'node:crypto';
import {signCertificate} from './certificate-der.js';
import {newKeyPair, readPrivateKey, writePrivateKey, type KeyAlgorithm, type KeyPair} from './keys.js';

const dayMs = 86_400_000;
/** Clocks of API server and operator may differ. */
const backdateMs = 3_600_000;
const defaultCaDays = 365;
const defaultLeafDays = 150;

export interface IssuedCertificate {
  /** Certificate, PEM. */
  readonly cert: string;
  /** PKCS#8 PEM. */
  readonly key: string;
}

export interface CaOptions {
  readonly algorithm?: KeyAlgorithm;
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly commonName: string;
  readonly days?: number;
  /** PEM of a key to go on with, so that a renewed CA still verifies what the former one signed. */
  readonly key?: string;
}

export interface LeafOptions {
  readonly ca: IssuedCertificate;
  readonly algorithm?: KeyAlgorithm;
  /** The first one is the subject's name as well. */
  readonly dnsNames: readonly string[];
  readonly ipAddresses?: readonly string[];
  readonly now: number;
  readonly days?: number;
}

/** A self-signed authority: signs certificates, nothing else. Default RSA, 365 days, valid from an hour ago. */
export async function issueCa(options: CaOptions): Promise<IssuedCertificate> {
  const pair = options.key === undefined ? await newKeyPair(options.algorithm ?? 'RSA') : pairOf(options.key);
  const cert = signCertificate(
    {
      subject: options.commonName,
      ...validity(options.now, options.days ?? defaultCaDays),
      publicKey: pair.publicKey,
      ca: true,
      dnsNames: [],
      ipAddresses: [],
    },
    pair.privateKey,
  );
  return {cert, key: writePrivateKey(pair.privateKey)};
}

/** A serving certificate signed by `ca`. Default RSA, 150 days, valid from an hour ago. */
export async function issueLeaf(options: LeafOptions): Promise<IssuedCertificate> {
  const pair = await newKeyPair(options.algorithm ?? 'RSA');
  const cert = signCertificate(
    {
      subject: options.dnsNames[0] ?? options.ipAddresses?.[0] ?? 'kyverno',
      issuer: new X509Certificate(options.ca.cert),
      ...validity(options.now, options.days ?? defaultLeafDays),
      publicKey: pair.publicKey,
      ca: false,
      dnsNames: options.dnsNames,
      ipAddresses: options.ipAddresses ?? [],
    },
    readPrivateKey(options.ca.key),
  );
  return {cert, key: writePrivateKey(pair.privateKey)};
}

function pairOf(pem: string): KeyPair {
  const privateKey: KeyObject = readPrivateKey(pem);
  return {privateKey, publicKey: createPublicKey(privateKey)};
}

function validity(now: number, days: number): {readonly notBefore: Date; readonly notAfter: Date} {
  return {notBefore: new Date(now - backdateMs), notAfter: new Date(now + days * dayMs)};
}
