/** The few DER encodings (ITU-T X.690) that a certificate needs. */
export const der = {
  sequence: (...parts: Buffer[]) => tagged(0x30, Buffer.concat(parts)),
  set: (...parts: Buffer[]) => tagged(0x31, Buffer.concat(parts)),
  /** A non-negative integer, big-endian. */
  integer: (value: Buffer) =>
    tagged(0x02, value[0] !== undefined && value[0] < 0x80 ? value : Buffer.concat([Buffer.of(0), value])),
  boolean: (value: boolean) => tagged(0x01, Buffer.of(value ? 0xff : 0)),
  bitString: (value: Buffer, unusedBits = 0) => tagged(0x03, Buffer.concat([Buffer.of(unusedBits), value])),
  octetString: (value: Buffer) => tagged(0x04, value),
  utf8: (value: string) => tagged(0x0c, Buffer.from(value)),
  time: (value: Date) => tagged(0x18, Buffer.from(`${value.toISOString().replace(/\D/g, '').slice(0, 14)}Z`)),
  oid: (value: string) => tagged(0x06, encodeOid(value)),
  /** Context-specific tag; `constructed` when the content is itself DER. */
  context: (tag: number, content: Buffer, constructed: boolean) => tagged((constructed ? 0xa0 : 0x80) | tag, content),
} as const;

function tagged(tag: number, content: Buffer): Buffer {
  const {length} = content;
  if (length < 0x80) return Buffer.concat([Buffer.of(tag, length), content]);
  const size = length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.of(tag, ...size), content]);
}

function encodeOid(value: string): Buffer {
  const [first = 0, second = 0, ...rest] = value.split('.').map(Number);
  return Buffer.from([first * 40 + second, ...rest].flatMap(base128));
}

function base128(value: number): number[] {
  const bytes = [value & 0x7f];
  for (let left = value >>> 7; left > 0; left >>>= 7) bytes.unshift((left & 0x7f) | 0x80);
  return bytes;
}
