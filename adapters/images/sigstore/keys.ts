import {constants, createHash, createPublicKey, type KeyObject, verify} from 'node:crypto';
import type {HashAlgorithm} from '../../../engine/image/verification.js';
import {unverified} from '../notary/refuse.js';

const pemBlock = /-----BEGIN ((?:RSA |EC )?PUBLIC KEY)-----[A-Za-z0-9+/=\s]+-----END \1-----/g;
const maxKeys = 20;
const curves = new Set(['prime256v1', 'secp384r1', 'secp521r1']);

/** The public keys of a PEM text; `what` names it in errors. */
export function readPublicKeys(pem: string, what: string): KeyObject[] {
  const blocks = [...pem.matchAll(pemBlock)].map(([text]) => text);
  if (blocks.length === 0) throw unverified(`${what}: no PEM public key`);
  if (blocks.length > maxKeys) throw unverified(`${what}: more than ${maxKeys} keys`);
  return blocks.map(block => {
    try {
      return checkKey(createPublicKey(block), what);
    } catch (cause) {
      throw unverified(`${what}: a public key cannot be read`, {cause});
    }
  });
}

/** Of SubjectPublicKeyInfo, or of an RSA key by itself. */
export function readDerKey(der: Uint8Array, what: string): KeyObject {
  for (const type of ['spki', 'pkcs1'] as const) {
    try {
      return checkKey(createPublicKey({key: Buffer.from(der), format: 'der', type}), what);
    } catch {
      // Perhaps it is of the other form.
    }
  }
  throw unverified(`${what}: a public key cannot be read`);
}

function checkKey(key: KeyObject, what: string): KeyObject {
  const {namedCurve = '', modulusLength = 0} = key.asymmetricKeyDetails ?? {};
  const type = key.asymmetricKeyType;
  const isSound = type === 'ed25519' || (type === 'ec' && curves.has(namedCurve)) || (type === 'rsa' && modulusLength >= 2048);
  if (isSound) return key;
  throw unverified(`${what}: keys are ECDSA on P-256, P-384 or P-521, RSA from 2048 bits, or Ed25519`);
}

/** DER of SubjectPublicKeyInfo. */
export function spkiOf(key: KeyObject): Buffer {
  return key.export({format: 'der', type: 'spki'});
}

export function sha256(...parts: readonly Uint8Array[]): Buffer {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest();
}

/** Whether the signature over `data` is the key's, by one of the hashes; Ed25519 has its own. */
export function isSignedBy(key: KeyObject, data: Uint8Array, {signature, hashes}: {readonly signature: Uint8Array; readonly hashes: readonly string[]}): boolean {
  try {
    if (key.asymmetricKeyType === 'ed25519') return verify(null, data, key, signature);
    return hashes.some(hash => verify(hash, data, key, signature) || (key.asymmetricKeyType === 'rsa' && verify(hash, data, pss(key), signature)));
  } catch {
    // A signature that is not even of the form of one.
    return false;
  }
}

function pss(key: KeyObject) {
  return {key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_AUTO};
}

/** What signers of this key hash with: what is asked for, else SHA-256 (cosign 2) or the one of the curve's size (cosign 3). */
export function hashesFor(key: KeyObject, wanted: HashAlgorithm | undefined): readonly string[] {
  if (wanted !== undefined && wanted !== 'sha256') return [wanted];
  const bySize: Readonly<Record<string, string>> = {secp384r1: 'sha384', secp521r1: 'sha512'};
  const other = bySize[key.asymmetricKeyDetails?.namedCurve ?? ''];
  return other === undefined ? ['sha256'] : ['sha256', other];
}
