import {EvalError} from '../../diagnostic.js';
import type {Json, JsonObject} from '../../json/types.js';
import {certificateJson, requestJson} from '../../x509/certificate.js';
import {DerError} from '../../x509/der.js';
import {firstPemBlock} from '../../x509/pem.js';
import type {FunctionEnv} from '../types.js';
import {chargeText} from './charge.js';
import {define, type FunctionDefinition} from './define.js';

function decode(text: string): JsonObject {
  const block = firstPemBlock(text);
  if (!block) throw new EvalError('failed to decode PEM block containing the certificate');
  try {
    if (block.type === 'CERTIFICATE') return certificateJson(block.bytes);
    if (block.type === 'CERTIFICATE REQUEST') return requestJson(block.bytes);
  } catch (error) {
    if (error instanceof DerError) throw new EvalError(`certificate cannot be read: ${error.message}`);
    throw error;
  }
  throw new EvalError(`PEM block is neither a certificate nor a certificate request: ${block.type}`);
}

function decodeCharged(text: string, env: FunctionEnv): Json {
  // Raw parts come out about three times: whole, body, key and names.
  chargeText(env, text.length * 4);
  return decode(text);
}

export const x509Functions: readonly FunctionDefinition[] = [
  define('x509_decode', ['string'], ([text], env) => decodeCharged(text, env)),
];
