import type {JsonObject} from '../json/types.js';
import {bitString, children, DerError, type DerNode, integer, objectId, readOne, tags} from './der.js';

const rsaEncryption = '1.2.840.113549.1.1.1';

/** Go's numbers for signature algorithms, by object identifier. */
const signatureAlgorithms: ReadonlyMap<string, number> = new Map([
  ['1.2.840.113549.1.1.2', 1],
  ['1.2.840.113549.1.1.4', 2],
  ['1.2.840.113549.1.1.5', 3],
  ['1.3.14.3.2.29', 3],
  ['1.2.840.113549.1.1.11', 4],
  ['1.2.840.113549.1.1.12', 5],
  ['1.2.840.113549.1.1.13', 6],
  ['1.2.840.10040.4.3', 7],
  ['2.16.840.1.101.3.4.3.2', 8],
  ['1.2.840.10045.4.1', 9],
  ['1.2.840.10045.4.3.2', 10],
  ['1.2.840.10045.4.3.3', 11],
  ['1.2.840.10045.4.3.4', 12],
  ['1.3.101.112', 16],
]);
/** RSA-PSS by its hash. */
const pssAlgorithms: ReadonlyMap<string, number> = new Map([
  ['2.16.840.1.101.3.4.2.1', 13],
  ['2.16.840.1.101.3.4.2.2', 14],
  ['2.16.840.1.101.3.4.2.3', 15],
]);
const rsaPss = '1.2.840.113549.1.1.10';

/** Go's `x509.SignatureAlgorithm`; 0 when unknown. */
export function signatureAlgorithm(node: DerNode | undefined): number {
  const [id, parameters] = children(node, tags.sequence);
  const name = objectId(id).join('.');
  if (name !== rsaPss) return signatureAlgorithms.get(name) ?? 0;
  const hash = parameters?.tag === tags.sequence ? children(parameters, tags.sequence)[0] : undefined;
  if (!hash) return 0;
  const [hashId] = children(readOne(hash.content), tags.sequence);
  return pssAlgorithms.get(objectId(hashId).join('.')) ?? 0;
}

/** `{N, E}` of an RSA key, the modulus in decimal. Other keys are refused. */
export function rsaPublicKey(node: DerNode | undefined): JsonObject {
  const [algorithm, key] = children(node, tags.sequence);
  const [id] = children(algorithm, tags.sequence);
  if (objectId(id).join('.') !== rsaEncryption) throw new DerError('only RSA public keys are supported');
  const [modulus, exponent] = children(readOne(bitString(key).bytes), tags.sequence);
  return {N: integer(modulus).toString(), E: Number(integer(exponent))};
}
