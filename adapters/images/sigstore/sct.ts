import {children, context, type DerNode, objectId, readOne, tags} from '../../../engine/x509/der.js';
import type {Certificate} from '../notary/certificate.js';
import {unverified} from '../notary/refuse.js';
import {isSignedBy, sha256, spkiOf} from './keys.js';
import {holdsAt, type Log} from './trust.js';

const sctList = '1.3.6.1.4.1.11129.2.4.2';
const maxTimestamps = 16;
const hashNames: Readonly<Record<number, string>> = {4: 'sha256', 5: 'sha384', 6: 'sha512'};

/**
 * Proves that a trusted certificate log has promised to publish the certificate (RFC 6962, 3): at least one timestamp
 * inside it holds. Throws an `ImageVerificationError`.
 */
export function checkSct(certificate: Certificate, issuer: Certificate, logs: readonly Log[]): void {
  const extension = certificate.extensions.get(sctList);
  if (extension === undefined) throw unverified('the certificate carries no proof of its publication (SCT)');
  const head = Buffer.concat([sha256(spkiOf(issuer.x509.publicKey)), withLength(withoutSct(certificate.x509.raw), 3)]);
  let known = false;
  for (const sct of readList(Buffer.from(readOne(extension.value).content))) {
    const found = logs.filter(log => log.id.equals(sct.logId) && holdsAt(log.validFor, sct.time));
    known ||= found.length > 0;
    const signed = Buffer.concat([sct.before, head, withLength(sct.extensions, 2)]);
    const hashes = sct.hash === undefined ? [] : [sct.hash];
    if (found.some(({key}) => isSignedBy(key, signed, {signature: sct.signature, hashes}))) return;
  }
  throw unverified(known ? 'the proof of publication in the certificate (SCT) does not hold' : 'the certificate was published in no trusted log (SCT)');
}

interface Timestamp {
  readonly logId: Buffer;
  /** Milliseconds. */
  readonly time: number;
  /** What is signed in front of the certificate: version, kind, time, kind of entry. */
  readonly before: Buffer;
  readonly extensions: Buffer;
  readonly hash: string | undefined;
  readonly signature: Buffer;
}

function readList(bytes: Buffer): Timestamp[] {
  try {
    const list = take(bytes, 0, 2);
    if (list.end !== bytes.length) throw new RangeError('trailing bytes');
    const found: Timestamp[] = [];
    for (let at = 0; at < list.content.length && found.length < maxTimestamps; ) {
      const one = take(list.content, at, 2);
      found.push(readTimestamp(one.content));
      at = one.end;
    }
    return found;
  } catch (cause) {
    throw unverified('the proof of publication in the certificate (SCT) is malformed', {cause});
  }
}

function readTimestamp(bytes: Buffer): Timestamp {
  if (bytes[0] !== 0) throw new RangeError('unknown version');
  const extensions = take(bytes, 41, 2);
  const signature = take(bytes, extensions.end + 2, 2);
  return {
    logId: bytes.subarray(1, 33),
    time: Number(bytes.readBigUInt64BE(33)),
    before: Buffer.concat([Buffer.of(0, 0), bytes.subarray(33, 41), Buffer.of(0, 1)]),
    extensions: extensions.content,
    hash: hashNames[bytes.readUInt8(extensions.end)],
    signature: signature.content,
  };
}

/** Content behind a length of so many bytes; throws a RangeError beyond the end. */
function take(bytes: Buffer, at: number, size: number): {readonly content: Buffer; readonly end: number} {
  const start = at + size;
  const end = start + bytes.readUIntBE(at, size);
  if (end > bytes.length) throw new RangeError('truncated');
  return {content: bytes.subarray(start, end), end};
}

function withLength(content: Uint8Array, size: number): Buffer {
  const head = Buffer.alloc(size);
  head.writeUIntBE(content.length, 0, size);
  return Buffer.concat([head, content]);
}

/** The part of a certificate that is signed, as it was before the timestamps came in. */
function withoutSct(der: Uint8Array): Uint8Array {
  const [body] = children(readOne(der), tags.sequence);
  return element(
    tags.sequence,
    children(body, tags.sequence).map(field => (field.tag === context(3) ? element(field.tag, [strip(readOne(field.content))]) : field.raw)),
  );
}

function strip(list: DerNode): Uint8Array {
  const kept = children(list, tags.sequence).filter(each => objectId(children(each, tags.sequence)[0]).join('.') !== sctList);
  return element(list.tag, kept.map(({raw}) => raw));
}

function element(tag: number, parts: readonly Uint8Array[]): Uint8Array {
  const content = Buffer.concat(parts);
  const {length} = content;
  if (length < 0x80) return Buffer.concat([Buffer.of(tag, length), content]);
  const size = Math.ceil(length.toString(16).length / 2);
  const head = Buffer.alloc(2 + size);
  head[0] = tag;
  head[1] = 0x80 | size;
  head.writeUIntBE(length, 2, size);
  return Buffer.concat([head, content]);
}
