import {Buffer, isUtf8} from 'node:buffer';
import {constants, gunzipSync, gzipSync} from 'node:zlib';
import {BudgetError} from '../../diagnostic.js';
import {CelError} from '../errors.js';
import type {CelHost, Library} from '../library/library.js';
import {bytesType, dynType, stringType} from '../types/type.js';
import type {Value} from '../values/value.js';
import {textArgument} from './arguments.js';
import {declare} from './declare.js';

/** Bytes of what comes out: a few thousand that go in can stand for gigabytes. */
const maxOutput = 2 * 1024 * 1024;

/** Compressed text, as ConfigMaps and Helm's releases hold it. */
export const gzipLibrary: Library = {
  name: 'kyverno.gzip',
  functions: [
    ...declare(
      'gzip',
      ['gzip.compress'],
      [
        {
          id: 'dyn',
          receiver: false,
          params: [dynType],
          result: bytesType,
          host: true,
          call: (host: CelHost, value: Value) =>
            compress(host, value instanceof Uint8Array ? value : textArgument(value, 0)),
        },
      ],
    ),
    ...declare(
      'gzip',
      ['gzip.decompress'],
      [
        {
          id: 'bytes',
          receiver: false,
          params: [bytesType],
          result: stringType,
          host: true,
          call: decompress,
        },
      ],
    ),
  ],
};

function compress(host: CelHost, value: string | Uint8Array): Uint8Array {
  const input = typeof value === 'string' ? Buffer.from(value, 'utf8') : value;
  host.budget.step(1 + (input.length >>> 4));
  host.budget.bytes(input.length);
  const output = gzipSync(input);
  // No time is in it; level and system are hidden too, so that the same text gives the same bytes everywhere.
  output[8] = 0;
  output[9] = 255;
  return new Uint8Array(output);
}

function decompress(host: CelHost, value: Uint8Array): string {
  host.budget.step(1 + (value.length >>> 4));
  let output: Buffer;
  try {
    output = gunzipSync(value, {maxOutputLength: maxOutput, finishFlush: constants.Z_FINISH});
  } catch (thrown) {
    const code = (thrown as NodeJS.ErrnoException).code;
    if (code === 'ERR_BUFFER_TOO_LARGE')
      throw new BudgetError(`gzip.decompress: more than ${maxOutput} bytes come out`);
    throw new CelError(`gzip.decompress: the bytes are not valid gzip${typeof code === 'string' ? ` (${code})` : ''}`);
  }
  host.budget.step(output.length >>> 6);
  host.budget.bytes(output.length);
  if (!isUtf8(output)) throw new CelError('gzip.decompress: what comes out is no UTF-8 text');
  return output.toString('utf8');
}
