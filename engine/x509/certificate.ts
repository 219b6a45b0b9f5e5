import {integerFrom} from '../json/number.js';
import type {Json, JsonObject} from '../json/types.js';
import {bitString, children, context, type DerNode, integer, objectId, readOne, tags} from './der.js';
import {base64, type Extension, extensionFields, extensionJson, extensionsOf} from './extensions.js';
import {rsaPublicKey, signatureAlgorithm} from './keys.js';
import {nameOf} from './name.js';
import {timeText} from './text.js';

/** Fields that stay at Go's zero values where nothing in a certificate says otherwise. */
const absent: JsonObject = {
  KeyUsage: 0,
  ExtraExtensions: null,
  UnhandledCriticalExtensions: null,
  ExtKeyUsage: null,
  UnknownExtKeyUsage: null,
  BasicConstraintsValid: false,
  IsCA: false,
  MaxPathLen: 0,
  MaxPathLenZero: false,
  SubjectKeyId: null,
  AuthorityKeyId: null,
  OCSPServer: null,
  IssuingCertificateURL: null,
  DNSNames: null,
  EmailAddresses: null,
  IPAddresses: null,
  URIs: null,
  PermittedDNSDomainsCritical: false,
  PermittedDNSDomains: null,
  ExcludedDNSDomains: null,
  PermittedIPRanges: null,
  ExcludedIPRanges: null,
  PermittedEmailAddresses: null,
  ExcludedEmailAddresses: null,
  PermittedURIDomains: null,
  ExcludedURIDomains: null,
  CRLDistributionPoints: null,
  PolicyIdentifiers: null,
};

function listOrNull(extensions: readonly Extension[]): Json {
  return extensions.length > 0 ? extensions.map(extensionJson) : null;
}

/** An X.509 certificate with an RSA key as Go's `x509.Certificate` in JSON. Throws `DerError`. */
export function certificateJson(der: Uint8Array): JsonObject {
  const outer = readOne(der);
  const [body, algorithm, signature] = children(outer, tags.sequence);
  const fields = children(body, tags.sequence);
  const version = fields[0]?.tag === context(0) ? Number(integer(readOne(fields.shift()!.content))) + 1 : 1;
  const [serial, , issuer, validity, subject, key, ...optional] = fields;
  const [notBefore, notAfter] = children(validity, tags.sequence);
  const list = optional.find(node => node.tag === context(3));
  const extensions = list ? extensionsOf(readOne(list.content)) : [];
  return {
    ...absent,
    Raw: base64(outer.raw),
    RawTBSCertificate: base64(rawOf(body)),
    RawSubjectPublicKeyInfo: base64(rawOf(key)),
    RawSubject: base64(rawOf(subject)),
    RawIssuer: base64(rawOf(issuer)),
    Signature: base64(bitString(signature).bytes),
    SignatureAlgorithm: signatureAlgorithm(algorithm),
    PublicKeyAlgorithm: 1,
    PublicKey: rsaPublicKey(key),
    Version: version,
    SerialNumber: serialNumber(serial),
    Issuer: nameOf(issuer),
    Subject: nameOf(subject),
    NotBefore: timeText(notBefore),
    NotAfter: timeText(notAfter),
    Extensions: listOrNull(extensions),
    ...extensionFields(extensions),
  };
}

/** Serial numbers have up to 20 bytes and stay exact. */
function serialNumber(node: DerNode | undefined): Json {
  const value = integer(node);
  const small = integerFrom(value);
  return typeof small === 'number' ? small : value;
}

function rawOf(node: DerNode | undefined): Uint8Array {
  return node?.raw ?? new Uint8Array();
}

const extensionRequest = '1.2.840.113549.1.9.14';
/** What a request shares with a certificate of what its extensions can say. */
const requestFields = ['DNSNames', 'EmailAddresses', 'IPAddresses', 'URIs'] as const;

/** A certificate signing request with an RSA key as Go's `x509.CertificateRequest` in JSON. Throws `DerError`. */
export function requestJson(der: Uint8Array): JsonObject {
  const outer = readOne(der);
  const [body, algorithm, signature] = children(outer, tags.sequence);
  const [version, subject, key, ...optional] = children(body, tags.sequence);
  const attributes = optional.find(node => node.tag === context(0));
  const extensions = attributes ? requestedExtensions(attributes) : [];
  const said = extensionFields(extensions);
  return {
    Raw: base64(outer.raw),
    RawTBSCertificateRequest: base64(rawOf(body)),
    RawSubjectPublicKeyInfo: base64(rawOf(key)),
    RawSubject: base64(rawOf(subject)),
    Version: Number(integer(version)),
    Signature: base64(bitString(signature).bytes),
    SignatureAlgorithm: signatureAlgorithm(algorithm),
    PublicKeyAlgorithm: 1,
    PublicKey: rsaPublicKey(key),
    Subject: nameOf(subject),
    Attributes: null,
    Extensions: listOrNull(extensions),
    ExtraExtensions: null,
    ...Object.fromEntries(requestFields.map(field => [field, said[field] ?? null])),
  };
}

function requestedExtensions(attributes: DerNode): Extension[] {
  return children(attributes, context(0)).flatMap(attribute => {
    const [type, values] = children(attribute, tags.sequence);
    if (!type || objectId(type).join('.') !== extensionRequest) return [];
    return children(values, tags.set).flatMap(extensionsOf);
  });
}
