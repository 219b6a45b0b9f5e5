import {createHash, createPublicKey, type KeyObject} from 'node:crypto';
import {isObject, type Json, type JsonObject, own} from '../../../engine/json/types.js';
import {textOf} from '../../../engine/json/text.js';
import {unverified} from '../notary/refuse.js';
import {readJsonObject} from '../sigstore/envelope.js';
import {isSignedBy} from '../sigstore/keys.js';

/** A signed file of a TUF repository. */
export interface Metadata {
  readonly signed: JsonObject;
  /** Key identifier → signature. */
  readonly signatures: ReadonlyMap<string, Buffer>;
  readonly version: number;
  /** Milliseconds since the epoch. */
  readonly expires: number;
  readonly bytes: Buffer;
}

export type Role = 'root' | 'timestamp' | 'snapshot' | 'targets';

const maxSignatures = 64;

/** Reads a file of the given role; throws an `ImageVerificationError`. */
export function readMetadata(bytes: Buffer, role: Role): Metadata {
  const json = readJsonObject(bytes, `TUF ${role}`);
  const signed = own(json, 'signed');
  const list = own(json, 'signatures');
  if (!isObject(signed) || !Array.isArray(list) || list.length > maxSignatures) throw unverified(`TUF ${role} is malformed`);
  const version = own(signed, 'version');
  const expires = Date.parse(textOf(own(signed, 'expires')));
  if (textOf(own(signed, '_type')) !== role || typeof version !== 'number' || Number.isNaN(expires)) throw unverified(`TUF ${role} is malformed`);
  const signatures = new Map<string, Buffer>();
  for (const one of list) {
    const [id, signature] = isObject(one) ? [textOf(own(one, 'keyid')), textOf(own(one, 'sig'))] : ['', ''];
    if (signatures.has(id)) throw unverified(`TUF ${role} has two signatures of one key`);
    signatures.set(id, Buffer.from(signature, 'hex'));
  }
  return {signed, signatures, version, expires, bytes};
}

/** Proves that as many keys of a role as the root wants have signed the file. Throws an `ImageVerificationError`. */
export function checkRole(metadata: Metadata, role: Role, root: Metadata): void {
  const roles = own(root.signed, 'roles');
  const wanted = isObject(roles) ? own(roles, role) : undefined;
  const keys = own(root.signed, 'keys');
  const threshold = isObject(wanted) ? own(wanted, 'threshold') : undefined;
  const ids = isObject(wanted) ? own(wanted, 'keyids') : undefined;
  if (!isObject(keys) || typeof threshold !== 'number' || threshold < 1 || !Array.isArray(ids)) throw unverified(`TUF root has no role ${role}`);
  const data = Buffer.from(canonicalJson(metadata.signed));
  const signers = new Set<string>();
  for (const id of new Set(ids)) {
    const signature = typeof id === 'string' ? metadata.signatures.get(id) : undefined;
    const key = typeof id === 'string' ? keyOf(own(keys, id)) : undefined;
    // The same key under two names counts once.
    if (signature === undefined || key === undefined || !isSignedBy(key, data, {signature, hashes: ['sha256']})) continue;
    signers.add(createHash('sha256').update(key.export({type: 'spki', format: 'der'})).digest('hex'));
  }
  if (signers.size < threshold) throw unverified(`TUF ${role} is signed by ${signers.size} of its keys, ${threshold} are needed`);
}

function keyOf(json: Json | undefined): KeyObject | undefined {
  const value = isObject(json) ? own(json, 'keyval') : undefined;
  const text = isObject(value) ? textOf(own(value, 'public')) : '';
  try {
    if (text.startsWith('-----')) return createPublicKey(text);
    // A bare Ed25519 key in hexadecimal digits.
    const head = Buffer.from('302a300506032b6570032100', 'hex');
    return /^[0-9a-f]{64}$/.test(text) ? createPublicKey({key: Buffer.concat([head, Buffer.from(text, 'hex')]), format: 'der', type: 'spki'}) : undefined;
  } catch {
    // A kind of key that nothing is proven by.
    return undefined;
  }
}

/** OLPC's canonical JSON: keys in order, no space, only quotes and backslashes escaped. */
export function canonicalJson(value: Json): string {
  if (typeof value === 'string') return `"${value.replace(/[\\"]/g, '\\$&')}"`;
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (isObject(value)) {
    const keys = Object.keys(value).sort();
    return `{${keys.map(key => `${canonicalJson(key)}:${canonicalJson(value[key]!)}`).join(',')}}`;
  }
  return String(value);
}
