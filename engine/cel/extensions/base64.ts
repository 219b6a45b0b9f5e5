import {Buffer} from 'node:buffer';
import {CelError} from '../errors.js';

const pad = 0x3d;

/** The standard alphabet with padding; texts without it are taken too, line breaks passed over. */
export function base64Decode(text: string): Uint8Array {
  const bytes = Buffer.from(text, 'utf8');
  if (corruptAt(bytes, true) !== undefined) {
    const at = corruptAt(bytes, false);
    if (at !== undefined) throw new CelError(`illegal base64 data at input byte ${at}`);
  }
  return new Uint8Array(Buffer.from(text, 'base64'));
}

export function base64Encode(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64');
}

/** Where Go's decoder stops, with or without padding; `undefined` when it reads all. */
function corruptAt(bytes: Uint8Array, padded: boolean): number | undefined {
  let at = 0;
  let place = 0;
  while (at < bytes.length) {
    const byte = bytes[at++]!;
    if (isDigit(byte)) place = (place + 1) % 4;
    else if (!isBreak(byte)) return padded && byte === pad ? afterPad(bytes, at, place) : at - 1;
  }
  if (place === 0 || (!padded && place > 1)) return undefined;
  return bytes.length - place;
}

/** Behind the first `=`: its twin where two are due, line breaks, nothing else. */
function afterPad(bytes: Uint8Array, start: number, place: number): number | undefined {
  let at = start;
  if (place < 2) return at - 1;
  if (place === 2) {
    while (at < bytes.length && isBreak(bytes[at]!)) at++;
    if (at === bytes.length) return bytes.length;
    if (bytes[at] !== pad) return at - 1;
    at++;
  }
  while (at < bytes.length && isBreak(bytes[at]!)) at++;
  return at < bytes.length ? at : undefined;
}

function isDigit(byte: number): boolean {
  return (
    (byte >= 0x41 && byte <= 0x5a) ||
    (byte >= 0x61 && byte <= 0x7a) ||
    (byte >= 0x30 && byte <= 0x39) ||
    byte === 0x2b ||
    byte === 0x2f
  );
}

function isBreak(byte: number): boolean {
  return byte === 0x0a || byte === 0x0d;
}
