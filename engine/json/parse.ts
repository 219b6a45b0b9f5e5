import {Buffer, isUtf8} from 'node:buffer';
import {readExact} from './exact-reader.js';
import {maxDepth, scanJson} from './scan.js';
import type {Json} from './types.js';

/**
 * Reads JSON text, numbers as Kubernetes keeps them (see `Json`). Native unless a number would lose something.
 * Throws `SyntaxError` with line and column, also for nesting beyond 512 levels and numbers beyond a double.
 */
export function parseJson(text: string): Json {
  const {exact, depth} = scanJson(text);
  if (exact || depth > maxDepth) return readExact(text);
  try {
    return JSON.parse(text) as Json;
  } catch {
    // Own reader for the place of the fault: the native texts give none for most faults.
    return readExact(text);
  }
}

/** `parseJson` over UTF-8 bytes; bytes that are no UTF-8 are an error, never replaced. */
export function parseJsonBytes(bytes: Uint8Array): Json {
  if (!isUtf8(bytes)) throw new SyntaxError('JSON text is not valid UTF-8');
  return parseJson(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8'));
}
