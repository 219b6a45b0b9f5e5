import {createHash} from 'node:crypto';
import type {FunctionDeclaration, Library} from '../library/library.js';
import {stringType} from '../types/type.js';
import {declare} from './declare.js';

function hash(algorithm: 'sha1' | 'sha256' | 'md5'): FunctionDeclaration[] {
  return declare(
    'hash',
    [algorithm, `hash.${algorithm}`],
    [
      {
        id: 'string',
        receiver: false,
        params: [stringType],
        result: stringType,
        call: (text: string) => createHash(algorithm).update(text, 'utf8').digest('hex'),
        cost: (text: string) => text.length >>> 6,
      },
    ],
  );
}

/** Digests of a text's UTF-8 bytes, in lower-case hexadecimal. */
export const hashLibrary: Library = {
  name: 'kyverno.hash',
  functions: [...hash('sha1'), ...hash('sha256'), ...hash('md5')],
};
