import {parseJsonBytes} from '../../../engine/json/parse.js';
import {isObject, type Json, type JsonObject} from '../../../engine/json/types.js';
import {unverified} from '../notary/refuse.js';
import {checkCheckpoint} from './checkpoint.js';
import {bytesField, decodeBase64, integerField, listField, objectField, textField} from './fields.js';
import {isSignedBy} from './keys.js';
import {holdsAt, type Log} from './trust.js';

export interface InclusionProof {
  readonly index: bigint;
  readonly hashes: readonly Buffer[];
  /** Signed note with size and root of the tree. */
  readonly checkpoint: string;
}

/** An entry of a transparency log, as it came with a signature. */
export interface LogEntry {
  readonly logId: Buffer;
  readonly index: bigint;
  /** Seconds since the epoch; only a promise proves it. */
  readonly integratedTime: bigint;
  /** What was logged, canonical JSON. */
  readonly body: Buffer;
  /** Signature of the log over the fields above. */
  readonly promise: Buffer | undefined;
  readonly proof: InclusionProof | undefined;
}

const maxHashes = 64;

/** Of `tlogEntries` in a bundle. */
export function readBundleEntry(json: JsonObject): LogEntry {
  const promise = objectField(json, 'inclusionPromise');
  const proof = objectField(json, 'inclusionProof');
  const logId = objectField(json, 'logId');
  const hashes = proof === undefined ? [] : listField(proof, 'hashes');
  if (hashes.length > maxHashes) throw unverified('an inclusion proof is too long');
  const checkpoint = proof === undefined ? undefined : objectField(proof, 'checkpoint');
  return {
    logId: logId === undefined ? Buffer.alloc(0) : bytesField(logId, 'keyId'),
    index: integerField(json, 'logIndex'),
    integratedTime: integerField(json, 'integratedTime'),
    body: bytesField(json, 'canonicalizedBody'),
    promise: promise === undefined ? undefined : bytesField(promise, 'signedEntryTimestamp'),
    proof: proof && {
      index: integerField(proof, 'logIndex'),
      hashes: hashes.map(hash => decodeBase64(typeof hash === 'string' ? hash : '', 'hashes')),
      checkpoint: checkpoint === undefined ? '' : textField(checkpoint, 'envelope'),
    },
  };
}

/** Of cosign's annotation `dev.sigstore.cosign/bundle`. */
export function readOfflineEntry(text: string): LogEntry {
  let json: Json;
  try {
    json = parseJsonBytes(Buffer.from(text));
  } catch (cause) {
    throw unverified('the entry of the transparency log is no JSON', {cause});
  }
  const payload = isObject(json) ? objectField(json, 'Payload') : undefined;
  if (!isObject(json) || payload === undefined) throw unverified('the entry of the transparency log has no Payload');
  const id = textField(payload, 'logID');
  if (!/^[0-9a-f]{64}$/.test(id)) throw unverified('the entry of the transparency log names no log');
  return {
    logId: Buffer.from(id, 'hex'),
    index: integerField(payload, 'logIndex'),
    integratedTime: integerField(payload, 'integratedTime'),
    body: bytesField(payload, 'body'),
    promise: bytesField(json, 'SignedEntryTimestamp'),
    proof: undefined,
  };
}

/**
 * Proves that a trusted log has the entry: by its promise, by a proof of inclusion, by both where both are there. The time
 * (milliseconds) that the promise proves, `undefined` without one. Throws an `ImageVerificationError`.
 */
export function checkEntry(entry: LogEntry, logs: readonly Log[]): number | undefined {
  const {promise, proof, integratedTime} = entry;
  if (promise === undefined && proof === undefined) throw unverified('the entry of the transparency log proves nothing');
  const time = Number(integratedTime) * 1000;
  const known = logs.filter(log => log.id.equals(entry.logId));
  if (known.length === 0) throw unverified(`transparency log ${entry.logId.toString('hex').slice(0, 16)}… is not trusted`);
  const fitting = promise === undefined ? known : known.filter(({validFor}) => holdsAt(validFor, time));
  if (fitting.length === 0) throw unverified('the key of the transparency log did not hold when the entry was made');
  if (promise !== undefined) {
    const signed = Buffer.from(promiseText(entry));
    const holds = fitting.some(({key}) => isSignedBy(key, signed, {signature: promise, hashes: ['sha256']}));
    if (!holds) throw unverified('the signed entry timestamp of the transparency log does not hold');
  }
  if (proof !== undefined) checkCheckpoint(entry.body, proof, fitting);
  return promise === undefined ? undefined : time;
}

/** RFC 8785 of four fields whose order and form are known. */
function promiseText({body, integratedTime, logId, index}: LogEntry): string {
  return `{"body":"${body.toString('base64')}","integratedTime":${integratedTime},"logID":"${logId.toString('hex')}","logIndex":${index}}`;
}

/** What the entry says was signed, and by whom. */
export function readBody({body}: LogEntry): JsonObject {
  try {
    const json = parseJsonBytes(body);
    if (isObject(json)) return json;
  } catch {
    // Told below.
  }
  throw unverified('the entry of the transparency log holds no JSON object');
}

