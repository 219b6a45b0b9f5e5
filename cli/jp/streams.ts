import type {Readable, Writable} from 'node:stream';
import {decodeUtf8} from '../files/documents.js';
import {FileError} from '../files/file-error.js';

/** Where a command reads and writes. */
export interface Streams {
  readonly input: Readable;
  readonly output: Writable;
}

export const processStreams: Streams = {input: process.stdin, output: process.stdout};

const maxBytes = 32 * 1024 * 1024;

/** All of the input, after the two lines that ask for it. They are shown for pipes, too: scripts know them. */
export async function ask(streams: Streams, what: string): Promise<string> {
  streams.output.write('Reading from terminal input.\n');
  streams.output.write(`Enter ${what} and hit Ctrl+D.\n`);
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of streams.input) {
    const bytes = Buffer.from(chunk);
    size += bytes.length;
    if (size > maxBytes) throw new FileError(`the input is larger than ${maxBytes} bytes`);
    chunks.push(bytes);
  }
  return decodeUtf8(Buffer.concat(chunks), 'the input');
}
