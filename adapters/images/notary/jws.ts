import {Buffer} from 'node:buffer';
import {isObject, type JsonObject, own} from '../../../engine/json/types.js';
import {attributes, checkCritical, maxCertificates, type NotaryAlgorithm, type NotaryEnvelope, timeAttribute, unsigned} from './envelope.js';
import {readFields} from './fields.js';
import {unverified} from './refuse.js';

const algorithms: ReadonlySet<unknown> = new Set<NotaryAlgorithm>(['PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512']);
const rfc3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/i;

/** A JWS envelope in flattened JSON form. Throws an `ImageVerificationError` that says what is malformed. */
export function readJws(bytes: Uint8Array): NotaryEnvelope {
  const outer = readFields(bytes, 'the envelope');
  const protectedText = text(outer, 'protected');
  const signed = readFields(decode(protectedText, 'protected'), 'the protected header');
  const {scheme, name: timeName} = timeAttribute(own(signed, attributes.scheme));
  const critical = own(signed, 'crit');
  checkCritical(critical, new Set(Object.keys(signed)), scheme);
  const algorithm = own(signed, 'alg');
  if (!algorithms.has(algorithm)) throw unverified(`signature algorithm ${JSON.stringify(algorithm) ?? 'missing'} is not supported`);
  const header = own(outer, 'header');
  if (!isObject(header)) throw unverified('the envelope has no header with certificates');
  const payload = text(outer, 'payload');
  const token = own(header, unsigned.timestamp);
  return {
    algorithm: algorithm as NotaryAlgorithm,
    contentType: text(signed, 'cty'),
    payload: decode(payload, 'payload'),
    scheme,
    signingTime: time(signed, timeName),
    expiry: own(signed, attributes.expiry) === undefined ? undefined : time(signed, attributes.expiry),
    chain: certificates(own(header, 'x5c')),
    signature: decode(text(outer, 'signature'), 'signature'),
    signedBytes: Buffer.from(`${protectedText}.${payload}`, 'latin1'),
    timestampToken: token === undefined ? undefined : decodeBase64(token, unsigned.timestamp),
  };
}

function certificates(list: unknown): Uint8Array[] {
  if (!Array.isArray(list) || list.length === 0) throw unverified('the envelope has no certificates');
  if (list.length > maxCertificates) throw unverified(`the envelope has more than ${maxCertificates} certificates`);
  return list.map(each => decodeBase64(each, 'x5c'));
}

function text(from: JsonObject, name: string): string {
  const value = own(from, name);
  if (typeof value !== 'string' || value === '') throw unverified(`the envelope has no ${name}`);
  return value;
}

function decode(value: string, name: string): Buffer {
  return exact(value, 'base64url', name);
}

function decodeBase64(value: unknown, name: string): Buffer {
  return exact(typeof value === 'string' ? value : '', 'base64', name);
}

/** Node skips what does not belong; here one text stands for one sequence of bytes. */
function exact(value: string, encoding: 'base64' | 'base64url', name: string): Buffer {
  const bytes = Buffer.from(value, encoding);
  if (value === '' || bytes.toString(encoding) !== value) throw unverified(`${name} is no ${encoding} text`);
  return bytes;
}

function time(from: JsonObject, name: string): Date {
  const value = text(from, name);
  const parsed = new Date(value);
  if (!rfc3339.test(value) || Number.isNaN(parsed.getTime())) throw unverified(`${name} is no time`);
  return parsed;
}
