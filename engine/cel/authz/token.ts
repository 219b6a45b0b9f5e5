import {Buffer} from 'node:buffer';
import {createHmac, createPublicKey, timingSafeEqual, verify} from 'node:crypto';
import {parseJson} from '../../json/index.js';
import {isNumber, isObject, type JsonObject, own, toDouble} from '../../json/types.js';
import type {ObjectDeclaration} from '../library/library.js';
import {boolType, dynType, mapOf, objectType, stringType} from '../types/type.js';
import {ObjectValue, type Value} from '../values/value.js';

export const tokenType = objectType('jwt.Token');

const fields = {Valid: boolType, Header: mapOf(stringType, dynType), Claims: mapOf(stringType, dynType)};

/** A JSON Web Token; what one claims is only worth something when it is valid. */
export class TokenValue extends ObjectValue {
  static readonly declaration: ObjectDeclaration = {
    name: 'jwt.Token',
    field: name => (Object.hasOwn(fields, name) ? fields[name as keyof typeof fields] : undefined),
  };
  readonly typeName = 'jwt.Token';
  readonly #values: ReadonlyMap<string, Value>;

  constructor(valid: boolean, header: JsonObject, claims: JsonObject) {
    super();
    this.#values = new Map<string, Value>([
      ['Valid', valid],
      ['Header', header],
      ['Claims', claims],
    ]);
  }

  get(field: string): Value | undefined {
    return this.#values.get(field);
  }

  has(field: string): boolean {
    return this.#values.has(field);
  }
}

const digests = new Map([
  ['256', 'sha256'],
  ['384', 'sha384'],
  ['512', 'sha512'],
]);

/** Reads a token and checks its signature and its times; `now` in milliseconds. What is no token is not valid. */
export function decodeToken(token: string, key: string, now: number): TokenValue {
  const [head = '', body = '', signature = '', ...rest] = token.split('.');
  const header = part(head);
  const claims = part(body);
  if (header === undefined || claims === undefined || rest.length > 0) return new TokenValue(false, {}, {});
  const algorithm = own(header, 'alg');
  const signed =
    typeof algorithm === 'string' &&
    isSigned({algorithm, text: `${head}.${body}`, signature: Buffer.from(signature, 'base64url'), key});
  return new TokenValue(signed && isInTime(claims, now / 1000), header, claims);
}

function part(text: string): JsonObject | undefined {
  try {
    const value = parseJson(Buffer.from(text, 'base64url').toString('utf8'));
    return isObject(value) ? value : undefined;
  } catch {
    // No JSON: no token.
    return undefined;
  }
}

interface Signed {
  readonly algorithm: string;
  readonly text: string;
  readonly signature: Buffer;
  readonly key: string;
}

function isSigned({algorithm, text, signature, key}: Signed): boolean {
  const digest = digests.get(algorithm.slice(2));
  if (digest === undefined) return false;
  const isPem = key.includes('-----BEGIN');
  if (algorithm.startsWith('HS')) {
    // A public key is no secret: who knows it could sign with it.
    if (isPem) return false;
    const wanted = createHmac(digest, key).update(text).digest();
    return wanted.length === signature.length && timingSafeEqual(wanted, signature);
  }
  if (!isPem || !/^(?:RS|PS|ES)/.test(algorithm)) return false;
  try {
    const publicKey = createPublicKey(key);
    const isElliptic = algorithm.startsWith('ES');
    if (publicKey.asymmetricKeyType !== (isElliptic ? 'ec' : 'rsa')) return false;
    const padding = algorithm.startsWith('PS') ? {padding: 6, saltLength: -1} : {};
    return verify(
      digest,
      Buffer.from(text),
      {key: publicKey, ...padding, ...(isElliptic && {dsaEncoding: 'ieee-p1363'})},
      signature,
    );
  } catch {
    // No key of any kind: nothing is signed with it.
    return false;
  }
}

function isInTime(claims: JsonObject, now: number): boolean {
  const until = own(claims, 'exp');
  const from = own(claims, 'nbf');
  if (until !== undefined && !(isNumber(until) && toDouble(until) > now)) return false;
  return from === undefined || (isNumber(from) && toDouble(from) <= now);
}
