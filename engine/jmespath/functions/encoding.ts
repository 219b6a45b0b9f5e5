import {Buffer} from 'node:buffer';
import {createHash} from 'node:crypto';
import {EvalError} from '../../diagnostic.js';
import {parseJson} from '../../json/parse.js';
import type {FunctionEnv} from '../types.js';
import {chargeText} from './charge.js';
import {define, type FunctionDefinition} from './define.js';

/** Standard alphabet, padding required; line breaks are skipped. Bytes that are no UTF-8 become U+FFFD. */
function decodeBase64(text: string, env: FunctionEnv): string {
  chargeText(env, text.length);
  const compact = text.replace(/[\r\n]/g, '');
  const foreign = compact.search(/[^A-Za-z0-9+/=]/);
  const padding = compact.indexOf('=');
  const body = padding < 0 ? compact : compact.slice(0, padding);
  const tail = compact.slice(body.length);
  const fits = compact.length % 4 === 0 && (tail === '' || tail === '=' || tail === '==');
  if (foreign >= 0 || !fits) {
    const place = foreign >= 0 ? foreign : padding >= 0 ? padding : compact.length;
    throw new EvalError(`illegal base64 data at input byte ${place}`);
  }
  return Buffer.from(compact, 'base64').toString('utf8');
}

function encodeBase64(text: string, env: FunctionEnv): string {
  chargeText(env, Math.ceil(text.length / 3) * 4);
  return Buffer.from(text, 'utf8').toString('base64');
}

const hash = (name: string, algorithm: string): FunctionDefinition =>
  define(name, ['string'], ([text], env) => {
    chargeText(env, 64);
    env.budget.step(text.length >>> 5);
    return createHash(algorithm).update(text, 'utf8').digest('hex');
  });

export const encodingFunctions: readonly FunctionDefinition[] = [
  define('base64_decode', ['string'], ([text], env) => decodeBase64(text, env)),
  define('base64_encode', ['string'], ([text], env) => encodeBase64(text, env)),
  hash('sha256', 'sha256'),
  hash('sha1', 'sha1'),
  hash('md5', 'md5'),
  define('parse_json', ['string'], ([text], env) => {
    chargeText(env, text.length);
    try {
      return parseJson(text);
    } catch (error) {
      if (error instanceof SyntaxError) throw new EvalError(error.message);
      throw error;
    }
  }),
];
