import {createPrivateKey, generateKeyPair, type KeyObject} from 'node:crypto';

export type KeyAlgorithm = 'RSA' | 'ECDSA' | 'Ed25519';

export interface KeyPair {
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
}

/** RSA 2048, P-256 or Ed25519; made in the thread pool, since an RSA key takes a tenth of a second. */
export function newKeyPair(algorithm: KeyAlgorithm): Promise<KeyPair> {
  return new Promise((resolve, reject) => {
    const done = (error: Error | null, publicKey: KeyObject, privateKey: KeyObject) =>
      error === null ? resolve({privateKey, publicKey}) : reject(error);
    if (algorithm === 'RSA') generateKeyPair('rsa', {modulusLength: 2048}, done);
    else if (algorithm === 'ECDSA') generateKeyPair('ec', {namedCurve: 'P-256'}, done);
    else generateKeyPair('ed25519', undefined, done);
  });
}

/** Case-insensitive, as the flag is; `undefined` for other names. */
export function parseKeyAlgorithm(text: string): KeyAlgorithm | undefined {
  return (['RSA', 'ECDSA', 'Ed25519'] as const).find(name => name.toLowerCase() === text.toLowerCase());
}

/** Of PKCS#8, SEC1 and PKCS#1 keys. Throws when the text holds none or one of another sort. */
export function keyAlgorithmOf(key: KeyObject): KeyAlgorithm {
  const type = key.asymmetricKeyType;
  if (type === 'rsa') return 'RSA';
  if (type === 'ec') return 'ECDSA';
  if (type === 'ed25519') return 'Ed25519';
  throw new Error(`unsupported key type ${type ?? 'unknown'}`);
}

export function readPrivateKey(pem: string): KeyObject {
  return createPrivateKey(pem);
}

/** PKCS#8 PEM. */
export function writePrivateKey(key: KeyObject): string {
  return key.export({type: 'pkcs8', format: 'pem'}).toString();
}
