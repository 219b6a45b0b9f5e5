import {Buffer} from 'node:buffer';

export interface PemBlock {
  readonly type: string;
  readonly bytes: Uint8Array;
}

const blockShape = /-----BEGIN ([A-Z0-9 ]+)-----([^-]*)-----END \1-----/;
const headerLine = /^[^\s:]+:.*$/gm;

/** The first PEM block of a text; `undefined` when there is none. */
export function firstPemBlock(text: string): PemBlock | undefined {
  const match = blockShape.exec(text);
  if (!match) return undefined;
  const body = match[2]!.replace(headerLine, '').replace(/\s+/g, '');
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(body) || body.length % 4 !== 0) return undefined;
  return {type: match[1]!, bytes: Buffer.from(body, 'base64')};
}
