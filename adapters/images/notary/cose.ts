import {decode, encode, Tagged} from 'cborg';
import {attributes, checkCritical, maxCertificates, type NotaryAlgorithm, type NotaryEnvelope, timeAttribute, unsigned} from './envelope.js';
import {unverified} from './refuse.js';

/** COSE's numbers of algorithms (RFC 9053). */
const algorithms: ReadonlyMap<unknown, NotaryAlgorithm> = new Map([
  [-37, 'PS256'],
  [-38, 'PS384'],
  [-39, 'PS512'],
  [-7, 'ES256'],
  [-35, 'ES384'],
  [-36, 'ES512'],
]);
const labels = {algorithm: 1, critical: 2, contentType: 3, certificates: 33} as const;
const sign1Tag = 18;
const epochTag = 1;

type Headers = ReadonlyMap<unknown, unknown>;

/** A tagged COSE_Sign1 envelope (RFC 9052). Throws an `ImageVerificationError` that says what is malformed. */
export function readCose(bytes: Uint8Array): NotaryEnvelope {
  const message = read(bytes, 'the envelope');
  if (!(message instanceof Tagged) || message.tag !== sign1Tag) throw unverified('the envelope is no tagged COSE_Sign1 message');
  const parts: unknown = message.value;
  if (!Array.isArray(parts) || parts.length !== 4) throw unverified('a COSE_Sign1 message has four parts');
  const [protectedBytes, header, payload, signature] = parts as readonly unknown[];
  const signed = headers(read(byteString(protectedBytes, 'protected header'), 'the protected header'));
  const {scheme, name: timeName} = timeAttribute(signed.get(attributes.scheme));
  checkCritical(signed.get(labels.critical), new Set(signed.keys()), scheme);
  const algorithm = algorithms.get(signed.get(labels.algorithm));
  if (algorithm === undefined) throw unverified(`signature algorithm ${String(signed.get(labels.algorithm))} is not supported`);
  const contentType = signed.get(labels.contentType);
  if (typeof contentType !== 'string') throw unverified('the envelope has no content type');
  const content = byteString(payload, 'payload');
  const others = headers(header);
  const token = others.get(unsigned.timestamp);
  return {
    algorithm,
    contentType,
    payload: content,
    scheme,
    signingTime: time(signed, timeName),
    expiry: signed.has(attributes.expiry) ? time(signed, attributes.expiry) : undefined,
    chain: certificates(others.get(labels.certificates)),
    signature: byteString(signature, 'signature'),
    signedBytes: encode(['Signature1', protectedBytes, new Uint8Array(), content]),
    timestampToken: token === undefined ? undefined : byteString(token, unsigned.timestamp),
  };
}

function read(bytes: Uint8Array, what: string): unknown {
  try {
    const tags = Tagged.preserve(sign1Tag, epochTag);
    return decode(bytes, {useMaps: true, rejectDuplicateMapKeys: true, allowIndefinite: false, tags});
  } catch (cause) {
    throw unverified(`${what} is no CBOR that is understood`, {cause});
  }
}

function headers(value: unknown): Headers {
  if (!(value instanceof Map)) throw unverified('a header is no CBOR map');
  return value;
}

function byteString(value: unknown, name: string): Uint8Array {
  if (!(value instanceof Uint8Array) || value.length === 0) throw unverified(`the envelope has no ${name}`);
  return value;
}

function certificates(list: unknown): Uint8Array[] {
  // RFC 9360 writes a chain of one without a list.
  const all: readonly unknown[] = Array.isArray(list) ? list : [list];
  if (all.length > maxCertificates) throw unverified(`the envelope has more than ${maxCertificates} certificates`);
  if (all.length === 0) throw unverified('the envelope has no certificates');
  return all.map(each => byteString(each, 'certificates'));
}

function time(signed: Headers, name: string): Date {
  const value = signed.get(name);
  const seconds: unknown = value instanceof Tagged && value.tag === epochTag ? value.value : undefined;
  if (typeof seconds !== 'number' || Number.isNaN(new Date(seconds * 1000).getTime())) throw unverified(`${name} is no time`);
  return new Date(seconds * 1000);
}
