import {X509Certificate} from 'node:crypto';
import {children, context, type DerNode, integer, objectId, readOne, tags} from '../../../engine/x509/der.js';
import {unverified} from './refuse.js';

/** A certificate with what the rules of chains ask for. */
export interface Certificate {
  readonly x509: X509Certificate;
  readonly notBefore: number;
  readonly notAfter: number;
  /** DER of both names, for comparison. */
  readonly subject: Uint8Array;
  readonly issuer: Uint8Array;
  /** DER of the INTEGER. */
  readonly serial: Uint8Array;
  /** Object identifier of the algorithm that the issuer signed with. */
  readonly signatureAlgorithm: string;
  readonly extensions: ReadonlyMap<string, {readonly critical: boolean; readonly value: Uint8Array}>;
}

export const extensionIds = {
  keyUsage: '2.5.29.15',
  basicConstraints: '2.5.29.19',
  extendedKeyUsage: '2.5.29.37',
  subjectKeyIdentifier: '2.5.29.14',
} as const;

/** Throws an `ImageVerificationError` when the bytes are no certificate. */
export function readCertificate(der: Uint8Array): Certificate {
  try {
    const x509 = new X509Certificate(der);
    // OpenSSL reads the first element and leaves what follows.
    const outer = readOne(der);
    const [body, algorithm] = children(outer, tags.sequence);
    const fields = children(body, tags.sequence);
    if (fields[0]?.tag === context(0)) fields.shift();
    const [serial, , issuer, , subject, , ...optional] = fields;
    const list = optional.find(({tag}) => tag === context(3));
    return {
      x509,
      notBefore: new Date(x509.validFrom).getTime(),
      notAfter: new Date(x509.validTo).getTime(),
      subject: raw(subject),
      issuer: raw(issuer),
      serial: raw(serial),
      signatureAlgorithm: objectId(children(algorithm, tags.sequence)[0]).join('.'),
      extensions: list === undefined ? new Map() : extensionsIn(readOne(list.content)),
    };
  } catch (cause) {
    throw unverified('a certificate is malformed', {cause});
  }
}

/** One line, as users know their certificates. */
export function nameOf({x509}: Certificate): string {
  // Node leaves out a subject that is empty, against its types.
  const subject = (x509 as {readonly subject?: string}).subject;
  return JSON.stringify(subject?.split('\n').reverse().join(',') ?? x509.subjectAltName ?? '');
}

const pemBlock = /-----BEGIN CERTIFICATE-----([A-Za-z0-9+/=\s]+)-----END CERTIFICATE-----/g;
const maxPemCertificates = 100;

/** The certificates of a PEM bundle; `what` names it in errors. */
export function readBundle(pem: string, what: string): Certificate[] {
  const blocks = [...pem.matchAll(pemBlock)].slice(0, maxPemCertificates + 1);
  if (blocks.length === 0) throw unverified(`${what}: no PEM certificate`);
  if (blocks.length > maxPemCertificates) throw unverified(`${what}: more than ${maxPemCertificates} certificates`);
  return blocks.map(([, body]) => readCertificate(Buffer.from(body!.replace(/\s+/g, ''), 'base64')));
}

export function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return Buffer.compare(a, b) === 0;
}

/** Names match and the signature holds, by an algorithm that still counts. */
export function isIssuedBy(certificate: Certificate, issuer: Certificate): boolean {
  if (!sameBytes(certificate.issuer, issuer.subject) || !soundAlgorithms.has(certificate.signatureAlgorithm)) return false;
  try {
    return certificate.x509.verify(issuer.x509.publicKey);
  } catch {
    // A key of another kind than the signature's.
    return false;
  }
}

export function isSelfSigned(certificate: Certificate): boolean {
  return isIssuedBy(certificate, certificate);
}

/** RSA (PKCS #1 and PSS) and ECDSA with SHA-2, Ed25519; not SHA-1. */
const soundAlgorithms: ReadonlySet<string> = new Set([
  ...['10', '11', '12', '13'].map(last => `1.2.840.113549.1.1.${last}`),
  ...['2', '3', '4'].map(last => `1.2.840.10045.4.3.${last}`),
  '1.3.101.112',
]);

export interface BasicConstraints {
  readonly ca: boolean;
  readonly pathLength: number | undefined;
}

/** `undefined` when the certificate says nothing. */
export function basicConstraints({extensions}: Certificate): BasicConstraints | undefined {
  const found = extensions.get(extensionIds.basicConstraints);
  if (found === undefined) return undefined;
  const parts = children(readOne(found.value), tags.sequence);
  const flag = parts[0]?.tag === tags.boolean ? parts.shift() : undefined;
  return {ca: flag?.content[0] === 0xff, pathLength: parts[0] === undefined ? undefined : Number(integer(parts[0]))};
}

/** Names of key usages (RFC 5280), in the order of their bits. */
const keyUsageNames = ['digitalSignature', 'contentCommitment', 'keyEncipherment', 'dataEncipherment', 'keyAgreement', 'keyCertSign', 'cRLSign', 'encipherOnly', 'decipherOnly'] as const;
export type KeyUsage = (typeof keyUsageNames)[number];

export function keyUsages({extensions}: Certificate): ReadonlySet<KeyUsage> | undefined {
  const found = extensions.get(extensionIds.keyUsage);
  if (found === undefined) return undefined;
  const bits = readOne(found.value).content.subarray(1);
  return new Set(keyUsageNames.filter((_, index) => ((bits[index >> 3] ?? 0) & (0x80 >> (index & 7))) !== 0));
}

/** Object identifiers; empty when the certificate says nothing. */
export function extendedKeyUsages({extensions}: Certificate): readonly string[] {
  const found = extensions.get(extensionIds.extendedKeyUsage);
  if (found === undefined) return [];
  return children(readOne(found.value), tags.sequence).map(each => objectId(each).join('.'));
}

function extensionsIn(list: DerNode): Certificate['extensions'] {
  const found = new Map<string, {critical: boolean; value: Uint8Array}>();
  for (const each of children(list, tags.sequence)) {
    const parts = children(each, tags.sequence);
    const id = objectId(parts[0]).join('.');
    if (found.has(id)) throw unverified(`extension ${id} is there twice`);
    const critical = parts[1]?.tag === tags.boolean && parts[1].content[0] !== 0;
    found.set(id, {critical, value: parts.at(-1)!.content});
  }
  return found;
}

function raw(node: DerNode | undefined): Uint8Array {
  return node?.raw ?? new Uint8Array();
}
