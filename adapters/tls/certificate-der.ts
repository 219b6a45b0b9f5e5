import {createHash, randomBytes, sign, type KeyObject, type X509Certificate} from 'node:crypto';
import forge from 'node-forge';
import {keyAlgorithmOf, type KeyAlgorithm} from './keys.js';

const {asn1} = forge;
const {UNIVERSAL, CONTEXT_SPECIFIC} = asn1.Class;
type Node = forge.asn1.Asn1;

export interface CertificateFields {
  readonly subject: string;
  /** The authority's certificate; absent for a self-signed one. */
  readonly issuer?: X509Certificate;
  readonly notBefore: Date;
  readonly notAfter: Date;
  readonly publicKey: KeyObject;
  readonly ca: boolean;
  readonly dnsNames: readonly string[];
  /** Text form, IPv4 or IPv6. */
  readonly ipAddresses: readonly string[];
}

const oids = {
  commonName: '2.5.4.3',
  subjectKeyIdentifier: '2.5.29.14',
  keyUsage: '2.5.29.15',
  subjectAltName: '2.5.29.17',
  basicConstraints: '2.5.29.19',
  authorityKeyIdentifier: '2.5.29.35',
  extendedKeyUsage: '2.5.29.37',
  serverAuth: '1.3.6.1.5.5.7.3.1',
} as const;

const signatureOids: Readonly<Record<KeyAlgorithm, string>> = {
  RSA: '1.2.840.113549.1.1.11',
  ECDSA: '1.2.840.10045.4.3.2',
  Ed25519: '1.3.101.112',
};

/**
 * A signed X.509 v3 certificate, PEM. node-forge writes the ASN.1; keys and signature are node:crypto's, since forge
 * knows neither EC nor Ed25519 keys and takes half a second for an RSA signature that OpenSSL makes in milliseconds.
 */
export function signCertificate(fields: CertificateFields, signer: KeyObject): string {
  const algorithm = keyAlgorithmOf(signer);
  const toSign = toBeSigned(fields, algorithm);
  const digest = algorithm === 'Ed25519' ? null : 'sha256';
  const signature = sign(digest, der(toSign), signer);
  const certificate = sequence(toSign, signatureAlgorithm(algorithm), bitString(signature));
  const text = der(certificate)
    .toString('base64')
    .replace(/.{64}(?=.)/g, '$&\n');
  return `-----BEGIN CERTIFICATE-----\n${text}\n-----END CERTIFICATE-----\n`;
}

/** SHA-1 of the key bits, as RFC 5280 4.2.1.2 (1) has it; a name, not a protection. */
function keyIdentifier(publicKey: KeyObject): string {
  const spki = parseDer(spkiOf(publicKey));
  const bits = (spki.value as Node[])[1]!.value as string;
  return createHash('sha1')
    .update(Buffer.from(bits.slice(1), 'binary'))
    .digest('binary');
}

function spkiOf(publicKey: KeyObject): Buffer {
  return publicKey.export({type: 'spki', format: 'der'});
}

/** Bit strings stay bytes: forge would otherwise look for structure in keys and signatures. */
function parseDer(bytes: Buffer): Node {
  const options = {decodeBitStrings: false} as unknown as boolean;
  return asn1.fromDer(forge.util.createBuffer(bytes.toString('binary')), options);
}

/** Subject and key identifier of an authority, as they stand in its certificate: verifiers compare both by bytes. */
function issuerOf(certificate: X509Certificate): {readonly name: Node; readonly keyId: string} {
  const fields = (parseDer(certificate.raw).value as Node[])[0]!.value as Node[];
  const name = fields[5]!;
  const list = fields.find(field => field.tagClass === CONTEXT_SPECIFIC && Number(field.type) === 3);
  for (const item of ((list?.value as Node[] | undefined)?.[0]?.value ?? []) as Node[]) {
    const parts = item.value as Node[];
    if (asn1.derToOid(parts[0]!.value as string) !== oids.subjectKeyIdentifier) continue;
    const octetString = parts[parts.length - 1]!.value as string;
    return {name, keyId: parseDer(Buffer.from(octetString, 'binary')).value as string};
  }
  return {name, keyId: keyIdentifier(certificate.publicKey)};
}

function toBeSigned(fields: CertificateFields, algorithm: KeyAlgorithm): Node {
  const issuer =
    fields.issuer === undefined
      ? {name: commonName(fields.subject), keyId: keyIdentifier(fields.publicKey)}
      : issuerOf(fields.issuer);
  const version = contextual(0, [universal(asn1.Type.INTEGER, '\x02')]);
  return sequence(
    version,
    universal(asn1.Type.INTEGER, randomSerial().toString('binary')),
    signatureAlgorithm(algorithm),
    issuer.name,
    sequence(time(fields.notBefore), time(fields.notAfter)),
    commonName(fields.subject),
    parseDer(spkiOf(fields.publicKey)),
    contextual(3, [sequence(...extensions(fields, issuer.keyId))]),
  );
}

/** Positive and without a leading zero byte. */
function randomSerial(): Buffer {
  const serial = randomBytes(16);
  serial[0] = (serial[0]! & 0x7f) | 0x40;
  return serial;
}

function extensions(fields: CertificateFields, authorityKeyId: string): Node[] {
  const list = [
    extension(oids.basicConstraints, true, fields.ca ? sequence(universal(asn1.Type.BOOLEAN, '\xff')) : sequence()),
    extension(oids.keyUsage, true, keyUsage(fields)),
    extension(oids.subjectKeyIdentifier, false, universal(asn1.Type.OCTETSTRING, keyIdentifier(fields.publicKey))),
    extension(
      oids.authorityKeyIdentifier,
      false,
      sequence(asn1.create(CONTEXT_SPECIFIC, 0 as forge.asn1.Type, false, authorityKeyId)),
    ),
  ];
  if (!fields.ca) list.push(extension(oids.extendedKeyUsage, false, sequence(oid(oids.serverAuth))));
  const names = alternativeNames(fields);
  if (names.length > 0) list.push(extension(oids.subjectAltName, false, sequence(...names)));
  return list;
}

/** digitalSignature, for RSA keyEncipherment, for authorities keyCertSign. */
function keyUsage(fields: CertificateFields): Node {
  let bits = 0x80;
  if (keyAlgorithmOf(fields.publicKey) === 'RSA') bits |= 0x20;
  if (fields.ca) bits |= 0x04;
  const unused = Math.log2(bits & -bits);
  return universal(asn1.Type.BITSTRING, String.fromCharCode(unused, bits));
}

function alternativeNames(fields: CertificateFields): Node[] {
  return [
    ...fields.dnsNames.map(name => asn1.create(CONTEXT_SPECIFIC, 2 as forge.asn1.Type, false, name)),
    ...fields.ipAddresses.map(address => {
      const bytes = bytesFromIp(address);
      if (bytes === null) throw new Error(`${JSON.stringify(address)} is no IP address`);
      return asn1.create(CONTEXT_SPECIFIC, 7 as forge.asn1.Type, false, bytes);
    }),
  ];
}

/** Present at run time, absent in the typings. */
const bytesFromIp = (forge.util as unknown as {bytesFromIP(address: string): string | null}).bytesFromIP;

function extension(id: string, critical: boolean, value: Node): Node {
  const flag = critical ? [universal(asn1.Type.BOOLEAN, '\xff')] : [];
  return sequence(oid(id), ...flag, octets(der(value)));
}

function commonName(name: string): Node {
  const value = universal(asn1.Type.UTF8, forge.util.encodeUtf8(name));
  return sequence(constructed(asn1.Type.SET, [sequence(oid(oids.commonName), value)]));
}

/** UTCTime up to 2049, as RFC 5280 wants it. */
function time(date: Date): Node {
  return date.getUTCFullYear() < 2050
    ? universal(asn1.Type.UTCTIME, asn1.dateToUtcTime(date))
    : universal(asn1.Type.GENERALIZEDTIME, asn1.dateToGeneralizedTime(date));
}

function signatureAlgorithm(algorithm: KeyAlgorithm): Node {
  const id = oid(signatureOids[algorithm]);
  return algorithm === 'RSA' ? sequence(id, universal(asn1.Type.NULL, '')) : sequence(id);
}

function der(node: Node): Buffer {
  return Buffer.from(asn1.toDer(node).getBytes(), 'binary');
}

function sequence(...nodes: Node[]): Node {
  return constructed(asn1.Type.SEQUENCE, nodes);
}

function constructed(type: forge.asn1.Type, nodes: Node[]): Node {
  return asn1.create(UNIVERSAL, type, true, nodes);
}

function contextual(tag: number, nodes: Node[]): Node {
  return asn1.create(CONTEXT_SPECIFIC, tag as forge.asn1.Type, true, nodes);
}

function universal(type: forge.asn1.Type, value: string): Node {
  return asn1.create(UNIVERSAL, type, false, value);
}

function octets(value: Buffer): Node {
  return universal(asn1.Type.OCTETSTRING, value.toString('binary'));
}

function bitString(value: Buffer): Node {
  return universal(asn1.Type.BITSTRING, `\0${value.toString('binary')}`);
}

function oid(id: string): Node {
  return universal(asn1.Type.OID, asn1.oidToDer(id).getBytes());
}
