import {createHash} from 'node:crypto';
import {parseJsonBytes} from '../../../engine/json/parse.js';
import {isObject, type Json, type JsonObject} from '../../../engine/json/types.js';
import {parseUrl, placeOf} from '../../http/pinned-request.js';
import {unverified} from '../notary/refuse.js';
import {RegistryError} from '../registry/registry-error.js';
import type {Session} from '../registry/session.js';
import type {Transport} from '../registry/transport.js';
import {bytesField, decodeBase64, integerField, listField, objectField, textField} from './fields.js';
import type {LogEntry} from './log-entry.js';
import type {Signed} from './signed.js';

export interface LogQuestion {
  /** Of the log. */
  readonly url: string;
  readonly signed: Signed;
  readonly signature: Uint8Array;
  /** PEM of the key, or of the certificate. */
  readonly verifier: string;
  readonly session: Session;
}

/** Entries that a log says are about a signature. They prove nothing until they are proven. */
export type LogSearch = (question: LogQuestion) => Promise<readonly LogEntry[]>;

const maxBytes = 1024 * 1024;
const maxEntries = 10;
const maxHashes = 64;

/**
 * Asks Rekor for the entry of a signature that came without one, as cosign does: the entry that would have been made is
 * shown, and those that are like it come back. Rejects with a `RegistryError` when the log does not answer.
 */
export function createLogSearch(transport: Transport): LogSearch {
  return async ({url, session, ...about}) => {
    const place = parseUrl(`${url.replace(/\/+$/, '')}/api/v1/log/entries/retrieve`);
    if (place === undefined) throw unverified(`${JSON.stringify(url.slice(0, 200))} is no address of a transparency log`);
    const {status, body} = await transport({
      url: place,
      method: 'POST',
      headers: {'content-type': 'application/json', accept: 'application/json'},
      body: JSON.stringify({entries: [proposed(about)]}),
      maxBytes,
      insecure: session.insecure,
      signal: session.signal,
    });
    if (status === 404) return [];
    if (status !== 200) throw new RegistryError(`${placeOf(place)}: HTTP ${status}`, status >= 500 || status === 429 ? 'unreachable' : 'denied');
    return entriesOf(body, placeOf(place));
  };
}

function proposed({signed: {content}, signature, verifier}: Omit<LogQuestion, 'url' | 'session'>): JsonObject {
  const key = Buffer.from(verifier).toString('base64');
  if (content.kind === 'dsse') {
    return {apiVersion: '0.0.1', kind: 'dsse', spec: {proposedContent: {envelope: content.envelope.toString('utf8'), verifiers: [key]}}};
  }
  const hash = {algorithm: 'sha256', value: createHash('sha256').update(content.payload).digest('hex')};
  const by = {content: Buffer.from(signature).toString('base64'), publicKey: {content: key}};
  return {apiVersion: '0.0.1', kind: 'hashedrekord', spec: {data: {hash}, signature: by}};
}

function entriesOf(body: Buffer, place: string): LogEntry[] {
  let json: Json;
  try {
    json = parseJsonBytes(body);
  } catch (cause) {
    throw new RegistryError(`${place}: no JSON`, 'malformed', {cause});
  }
  if (!Array.isArray(json)) throw new RegistryError(`${place}: no list`, 'malformed');
  const found = json.filter(isObject).flatMap(entry => Object.values(entry).filter(isObject));
  return found.slice(0, maxEntries).map(readEntry);
}

function readEntry(json: JsonObject): LogEntry {
  const verification = objectField(json, 'verification') ?? {};
  const proof = objectField(verification, 'inclusionProof');
  const promise = textField(verification, 'signedEntryTimestamp');
  const hashes = proof === undefined ? [] : listField(proof, 'hashes');
  if (hashes.length > maxHashes) throw unverified('an inclusion proof is too long');
  return {
    logId: Buffer.from(textField(json, 'logID'), 'hex'),
    index: integerField(json, 'logIndex'),
    integratedTime: integerField(json, 'integratedTime'),
    body: bytesField(json, 'body'),
    promise: promise === '' ? undefined : decodeBase64(promise, 'signedEntryTimestamp'),
    proof: proof && {
      index: integerField(proof, 'logIndex'),
      hashes: hashes.map(hash => Buffer.from(typeof hash === 'string' ? hash : '', 'hex')),
      checkpoint: textField(proof, 'checkpoint'),
    },
  };
}
