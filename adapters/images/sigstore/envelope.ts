import {parseJsonBytes} from '../../../engine/json/parse.js';
import {isObject, type Json, type JsonObject, own} from '../../../engine/json/types.js';
import {textOf} from '../../../engine/json/text.js';
import {unverified} from '../notary/refuse.js';
import {bytesField, listField, objectsOf, textField} from './fields.js';
import type {Signed} from './signed.js';

const inToto = 'application/vnd.in-toto+json';
const maxSignatures = 10;

/** A DSSE envelope; `bytes` are its JSON. */
export function readEnvelope(json: JsonObject, bytes: Buffer): Pick<Signed, 'content' | 'signatures'> {
  const signatures = objectsOf(listField(json, 'signatures'));
  if (signatures.length === 0 || signatures.length > maxSignatures) throw unverified('the envelope has no signature, or too many');
  return {
    content: {kind: 'dsse', payload: bytesField(json, 'payload'), payloadType: textField(json, 'payloadType'), envelope: bytes},
    signatures: signatures.map(signature => bytesField(signature, 'sig')),
  };
}

export function readJsonObject(bytes: Uint8Array, what: string): JsonObject {
  let json: Json;
  try {
    json = parseJsonBytes(bytes);
  } catch (cause) {
    throw unverified(`${what} is no JSON`, {cause});
  }
  if (!isObject(json)) throw unverified(`${what} is no object`);
  return json;
}

/** An in-toto statement. */
export interface Statement {
  readonly json: JsonObject;
  readonly predicateType: string;
  readonly subjects: readonly JsonObject[];
}

export function readStatement({content}: Pick<Signed, 'content'>): Statement {
  if (content.kind !== 'dsse' || content.payloadType !== inToto) throw unverified('what is signed is no in-toto statement');
  const json = readJsonObject(content.payload, 'the statement');
  const type = textOf(own(json, '_type'));
  if (!/^https:\/\/in-toto\.io\/Statement\/v(0\.1|1)$/.test(type)) throw unverified('what is signed is no in-toto statement');
  return {json, predicateType: textOf(own(json, 'predicateType')), subjects: objectsOf(listField(json, 'subject'))};
}

/** The statement's subjects with this digest; throws when there is none. */
export function subjectsOf(statement: Statement, digest: string): readonly JsonObject[] {
  const [algorithm = '', hex] = digest.split(':');
  const found = statement.subjects.filter(subject => {
    const digests = own(subject, 'digest');
    return isObject(digests) && own(digests, algorithm) === hex;
  });
  if (found.length === 0) throw unverified('the statement is about another image');
  return found;
}
