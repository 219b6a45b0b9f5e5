import {EvalError} from '../diagnostic.js';

const block = 512;
const maxFiles = 100;

/** Contents of the regular files of a tar archive (ustar, as POSIX has it). Throws `EvalError` for what is none. */
export function filesOfTar(archive: Uint8Array): Uint8Array[] {
  const files: Uint8Array[] = [];
  let at = 0;
  while (at + block <= archive.length) {
    const header = archive.subarray(at, at + block);
    if (header.every(byte => byte === 0)) return files;
    const size = octal(header.subarray(124, 136));
    const start = at + block;
    if (size === undefined || start + size > archive.length)
      throw new EvalError('the signed message is no tar archive');
    const type = header[156];
    if (type === 0 || type === 0x30) files.push(archive.subarray(start, start + size));
    if (files.length > maxFiles) throw new EvalError(`the signed message holds more than ${maxFiles} files`);
    at = start + Math.ceil(size / block) * block;
  }
  return files;
}

function octal(field: Uint8Array): number | undefined {
  const text = String.fromCharCode(...field)
    .replace(/[\0 ]+$/, '')
    .trim();
  return /^[0-7]{1,11}$/.test(text) ? Number.parseInt(text, 8) : undefined;
}
