import {readFile, stat} from 'node:fs/promises';
import {createReadStream} from 'node:fs';

/** A file that is not read, with a text that follows its path. */
export class UnreadableFileError extends Error {
  override readonly name = 'UnreadableFileError';
}

/** What a shell hands over as a path (`<(…)`, `/dev/stdin`): whoever named it also writes to it. */
const handedOver = /^\/(dev\/(stdin|null|fd\/\d+)|proc\/self\/fd\/\d+)$/;

/**
 * Bytes of a file of at most `maxBytes`. Folders, named pipes (nobody may ever write to one), devices and sockets throw
 * `UnreadableFileError`; errors of the file system come as they are.
 */
export async function readBounded(path: string, maxBytes: number): Promise<Uint8Array> {
  const info = await stat(path);
  if (info.isDirectory()) throw new UnreadableFileError('is a directory');
  if (info.size > maxBytes) throw tooLarge(maxBytes);
  if (info.isFile()) {
    const bytes = await readFile(path);
    if (bytes.length > maxBytes) throw tooLarge(maxBytes);
    return bytes;
  }
  if (!handedOver.test(path)) throw new UnreadableFileError('is not a regular file; pipe what it gives into "-"');
  return collect(createReadStream(path), maxBytes);
}

/** All that a stream gives; more than `maxBytes` throws `UnreadableFileError` at once. */
export async function collect(stream: AsyncIterable<unknown>, maxBytes: number): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of stream) {
    const bytes = Buffer.from(chunk as Uint8Array | string);
    length += bytes.length;
    if (length > maxBytes) throw tooLarge(maxBytes);
    chunks.push(bytes);
  }
  return Buffer.concat(chunks);
}

function tooLarge(maxBytes: number): UnreadableFileError {
  return new UnreadableFileError(`larger than ${maxBytes} bytes`);
}

/** Throws `UnreadableFileError` for bytes that are no UTF-8. */
export function utf8Text(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', {fatal: true}).decode(bytes);
  } catch {
    const [first, second] = bytes;
    const utf16 = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
    throw new UnreadableFileError(`not valid UTF-8${utf16 ? ' but UTF-16; save it as UTF-8' : ''}`);
  }
}
