import {escapeToken} from '../../mutate/pointer.js';
import {fn, global, walk} from '../library/declare.js';
import type {Library} from '../library/library.js';
import {stringType} from '../types/type.js';

export const jsonPatchLibrary: Library = {
  name: 'kubernetes.jsonpatch',
  functions: [
    fn(
      'jsonpatch.escapeKey',
      global('string_jsonpatch_escapeKey_string', [[stringType], stringType], escapeToken, walk),
    ),
  ],
};
