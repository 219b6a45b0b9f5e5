import {constants, type KeyObject, verify} from 'node:crypto';
import {type Certificate, nameOf} from './certificate.js';
import type {NotaryAlgorithm} from './envelope.js';
import {unverified} from './refuse.js';

const forCurve: Readonly<Record<string, NotaryAlgorithm>> = {prime256v1: 'ES256', secp384r1: 'ES384', secp521r1: 'ES512'};
const forModulus: Readonly<Record<number, NotaryAlgorithm>> = {2048: 'PS256', 3072: 'PS384', 4096: 'PS512'};

/** The one algorithm that the specification allows for the key of a certificate. */
export function keyAlgorithm(certificate: Certificate): NotaryAlgorithm {
  const {asymmetricKeyType, asymmetricKeyDetails} = certificate.x509.publicKey;
  const {namedCurve = '', modulusLength = 0} = asymmetricKeyDetails ?? {};
  const found = asymmetricKeyType === 'ec' ? forCurve[namedCurve] : asymmetricKeyType === 'rsa' ? forModulus[modulusLength] : undefined;
  if (found !== undefined) return found;
  const size = asymmetricKeyType === 'rsa' ? ` of ${modulusLength} bits` : '';
  throw unverified(`certificate ${nameOf(certificate)} has a key of type ${asymmetricKeyType}${size}, which is not supported`);
}

/** Name of the hash for node:crypto. */
export function hashOf(algorithm: NotaryAlgorithm): string {
  return `sha${algorithm.slice(2)}`;
}

/** Whether `signature` over `data` is the key's. ECDSA signatures are two numbers of equal length, as in JWS and COSE. */
export function holds(algorithm: NotaryAlgorithm, key: KeyObject, data: Uint8Array, signature: Uint8Array): boolean {
  const options = algorithm.startsWith('PS')
    ? {key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST}
    : {key, dsaEncoding: 'ieee-p1363' as const};
  return verify(hashOf(algorithm), data, options, signature);
}
