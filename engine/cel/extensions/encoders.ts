import {fn, global, hosted, walk} from '../library/declare.js';
import type {Library} from '../library/library.js';
import {bytesType, dynType, stringType} from '../types/type.js';
import {base64Decode, base64Encode} from './base64.js';
import {jsonEncode} from './json-encode.js';

export const encodersLibrary: Library = {
  name: 'encoders',
  functions: [
    fn('base64.decode', global('base64_decode_string', [[stringType], bytesType], base64Decode, walk)),
    fn('base64.encode', global('base64_encode_bytes', [[bytesType], stringType], base64Encode, walk)),
    fn('json.encode', hosted(global('json_encode_dyn', [[dynType], stringType], jsonEncode))),
  ],
};
