import {createHash, createPublicKey, type KeyObject, X509Certificate} from 'node:crypto';
import {isObject, type Json, type JsonObject, own, ownPath} from '../../../engine/json/types.js';
import {textOf} from '../../../engine/json/text.js';
import {unverified} from '../notary/refuse.js';
import {sha256, spkiOf} from './keys.js';
import {type LogEntry, readBody} from './log-entry.js';

/** What was signed, as logs speak of it. */
export interface LoggedContent {
  /** What the signature is over: a payload by itself, or that of an envelope. */
  readonly payload: Uint8Array;
  /** The envelope as JSON, byte by byte, when there is one. */
  readonly envelope: Uint8Array | undefined;
  /** Of the artifact, when the bundle holds its digest in place of it. */
  readonly signature: Uint8Array;
  readonly key: KeyObject;
}

const hashNames: Readonly<Record<string, string>> = {SHA2_256: 'sha256', SHA2_384: 'sha384', SHA2_512: 'sha512'};

/** Proves that a log's entry is about this signature, this content and this key. Throws an `ImageVerificationError`. */
export function checkBody(entry: LogEntry, content: LoggedContent): void {
  const body = readBody(entry);
  const kind = `${textOf(own(body, 'kind'))}/${textOf(own(body, 'apiVersion'))}`;
  const read = kinds[kind];
  if (read === undefined) throw unverified(`entries of kind ${JSON.stringify(kind.slice(0, 60))} are not supported`);
  const spec = own(body, 'spec');
  if (!isObject(spec)) throw unverified('the entry of the transparency log has no spec');
  read(spec, content);
}

const kinds: Readonly<Record<string, (spec: JsonObject, content: LoggedContent) => void>> = {
  'hashedrekord/0.0.1'(spec, content) {
    same(base64(spec, 'signature', 'content'), content.signature, 'signature');
    const algorithm = textAt(spec, 'data', 'hash', 'algorithm');
    sameDigest(Buffer.from(textAt(spec, 'data', 'hash', 'value'), 'hex'), algorithm, content.payload);
    sameKey(base64(spec, 'signature', 'publicKey', 'content'), content.key);
  },
  'hashedrekord/0.0.2'(spec, content) {
    const record = ownPath(spec, 'hashedRekordV002');
    same(base64(record, 'signature', 'content'), content.signature, 'signature');
    sameDigest(base64(record, 'data', 'digest'), hashNames[textAt(record, 'data', 'algorithm')], content.payload);
    sameVerifier(ownPath(record, 'signature', 'verifier'), content.key);
  },
  'dsse/0.0.1'(spec, content) {
    sameDigest(Buffer.from(textAt(spec, 'payloadHash', 'value'), 'hex'), textAt(spec, 'payloadHash', 'algorithm'), content.payload);
    anyOf(own(spec, 'signatures'), one => {
      same(base64(one, 'signature'), content.signature, 'signature');
      sameKey(base64(one, 'verifier'), content.key);
    });
  },
  'dsse/0.0.2'(spec, content) {
    const record = ownPath(spec, 'dsseV002');
    sameDigest(base64(record, 'payloadHash', 'digest'), hashNames[textAt(record, 'payloadHash', 'algorithm')], content.payload);
    anyOf(ownPath(record, 'signatures'), one => {
      same(base64(one, 'content'), content.signature, 'signature');
      sameVerifier(ownPath(one, 'verifier'), content.key);
    });
  },
  'intoto/0.0.1'(spec, content) {
    sameKey(base64(spec, 'publicKey'), content.key);
    const payloadHash = textAt(spec, 'content', 'payloadHash', 'value');
    if (payloadHash !== '') {
      sameDigest(Buffer.from(payloadHash, 'hex'), textAt(spec, 'content', 'payloadHash', 'algorithm'), content.payload);
      return;
    }
    const envelope = content.envelope ?? new Uint8Array();
    sameDigest(Buffer.from(textAt(spec, 'content', 'hash', 'value'), 'hex'), textAt(spec, 'content', 'hash', 'algorithm'), envelope);
  },
  'intoto/0.0.2'(spec, content) {
    sameDigest(
      Buffer.from(textAt(spec, 'content', 'payloadHash', 'value'), 'hex'),
      textAt(spec, 'content', 'payloadHash', 'algorithm'),
      content.payload,
    );
    anyOf(ownPath(spec, 'content', 'envelope', 'signatures'), one => {
      // Base64 of base64.
      same(Buffer.from(base64(one, 'sig').toString('latin1'), 'base64'), content.signature, 'signature');
      sameKey(base64(one, 'publicKey'), content.key);
    });
  },
};

function anyOf(list: Json | undefined, check: (one: Json) => void): void {
  const all = Array.isArray(list) ? list.slice(0, 10) : [];
  let failure: unknown = unverified('the entry of the transparency log has no signature');
  for (const one of all) {
    try {
      check(one);
      return;
    } catch (error) {
      failure = error;
    }
  }
  throw failure;
}

function textAt(value: Json | undefined, ...path: string[]): string {
  return textOf(ownPath(value, ...path));
}

function base64(value: Json | undefined, ...path: string[]): Buffer {
  return Buffer.from(textAt(value, ...path), 'base64');
}

function same(logged: Uint8Array, given: Uint8Array, what: string): void {
  if (logged.length > 0 && Buffer.compare(logged, given) === 0) return;
  throw unverified(`the entry of the transparency log is about another ${what}`);
}

function sameDigest(logged: Uint8Array, algorithm: string | undefined, content: Uint8Array): void {
  if (algorithm === undefined || !/^sha(256|384|512)$/.test(algorithm)) throw unverified('the entry of the transparency log uses a hash that is not supported');
  same(logged, createHash(algorithm).update(content).digest(), 'content');
}

/** PEM of a key or a certificate. */
function sameKey(pem: Uint8Array, key: KeyObject): void {
  const text = Buffer.from(pem).toString('latin1');
  sameSpki(() => (text.includes('CERTIFICATE') ? new X509Certificate(text).publicKey : createPublicKey(text)), key);
}

function sameVerifier(verifier: Json | undefined, key: KeyObject): void {
  const certificate = base64(verifier, 'x509Certificate', 'rawBytes');
  const raw = base64(verifier, 'publicKey', 'rawBytes');
  sameSpki(
    () => (certificate.length > 0 ? new X509Certificate(certificate).publicKey : createPublicKey({key: raw, format: 'der', type: 'spki'})),
    key,
  );
}

function sameSpki(read: () => KeyObject, key: KeyObject): void {
  let logged: KeyObject;
  try {
    logged = read();
  } catch (cause) {
    throw unverified('the key in the entry of the transparency log cannot be read', {cause});
  }
  same(sha256(spkiOf(logged)), sha256(spkiOf(key)), 'key');
}
