/** One element of a DER text. */
export interface DerNode {
  /** Identifier octet: class and constructed bits with the tag number. */
  readonly tag: number;
  /** The element with its header. */
  readonly raw: Uint8Array;
  readonly content: Uint8Array;
}

/** Bytes that are no DER, or not of the expected shape. */
export class DerError extends Error {
  override readonly name = 'DerError';
}

export const tags = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  null: 0x05,
  oid: 0x06,
  utf8String: 0x0c,
  sequence: 0x30,
  set: 0x31,
  printableString: 0x13,
  t61String: 0x14,
  ia5String: 0x16,
  utcTime: 0x17,
  generalizedTime: 0x18,
  bmpString: 0x1e,
} as const;

/** `[n]`, constructed. */
export const context = (number: number): number => 0xa0 + number;
/** `[n]`, primitive. */
export const contextPrimitive = (number: number): number => 0x80 + number;

/** The elements that fill `bytes`. */
export function readAll(bytes: Uint8Array): DerNode[] {
  const nodes: DerNode[] = [];
  let at = 0;
  while (at < bytes.length) {
    const node = readAt(bytes, at);
    nodes.push(node);
    at += node.raw.length;
  }
  return nodes;
}

/** The one element that `bytes` hold. */
export function readOne(bytes: Uint8Array): DerNode {
  const node = readAt(bytes, 0);
  if (node.raw.length !== bytes.length) throw new DerError('trailing data');
  return node;
}

function readAt(bytes: Uint8Array, start: number): DerNode {
  const tag = bytes[start];
  const first = bytes[start + 1];
  if (tag === undefined || first === undefined) throw new DerError('truncated element');
  if ((tag & 0x1f) === 0x1f) throw new DerError('long tags are not supported');
  let length = first;
  let header = 2;
  if (first >= 0x80) {
    const count = first & 0x7f;
    if (count === 0 || count > 4) throw new DerError('unsupported length');
    length = 0;
    for (let i = 0; i < count; i++) length = length * 256 + (bytes[start + 2 + i] ?? 0);
    header += count;
  }
  const end = start + header + length;
  if (end > bytes.length) throw new DerError('truncated element');
  return {tag, raw: bytes.subarray(start, end), content: bytes.subarray(start + header, end)};
}

/** Children of a constructed element with the given tag. */
export function children(node: DerNode | undefined, tag: number): DerNode[] {
  return readAll(contentOf(node, tag));
}

export function contentOf(node: DerNode | undefined, tag: number): Uint8Array {
  if (!node) throw new DerError('missing element');
  if (node.tag !== tag) throw new DerError(`unexpected tag ${node.tag}, expected ${tag}`);
  return node.content;
}

/** A two's-complement integer of any size. */
export function integer(node: DerNode | undefined, tag: number = tags.integer): bigint {
  const content = contentOf(node, tag);
  if (content.length === 0) throw new DerError('empty integer');
  let value = 0n;
  for (const byte of content) value = (value << 8n) | BigInt(byte);
  return content[0]! >= 0x80 ? value - (1n << BigInt(content.length * 8)) : value;
}

/** The arcs of an object identifier. */
export function objectId(node: DerNode | undefined, tag: number = tags.oid): number[] {
  const arcs: number[] = [];
  let value = 0;
  for (const byte of contentOf(node, tag)) {
    value = value * 128 + (byte & 0x7f);
    if (!Number.isSafeInteger(value)) throw new DerError('object identifier out of range');
    if (byte >= 0x80) continue;
    if (arcs.length > 0) arcs.push(value);
    else arcs.push(Math.min(2, Math.floor(value / 40)), value < 80 ? value % 40 : value - 80);
    value = 0;
  }
  return arcs;
}

export interface BitString {
  readonly bytes: Uint8Array;
  /** Number of meaningful bits. */
  readonly bits: number;
}

export function bitString(node: DerNode | undefined): BitString {
  const content = contentOf(node, tags.bitString);
  const unused = content[0];
  if (unused === undefined || unused > 7) throw new DerError('bad bit string');
  const bytes = content.subarray(1);
  return {bytes, bits: bytes.length * 8 - unused};
}
