import {formatAddress} from '../../net/address.js';
import {IpSyntaxError, isMapped, readIp} from '../../net/ip-text.js';
import {goQuote} from '../../values/go-quote.js';
import {CelError} from '../errors.js';
import {OpaqueValue} from '../values/value.js';

export class IpValue extends OpaqueValue {
  readonly typeName = 'net.IP';

  /** 4 or 16 bytes. */
  constructor(readonly bytes: readonly number[]) {
    super();
  }

  equals(other: OpaqueValue): boolean {
    return other instanceof IpValue && sameBytes(this.bytes, other.bytes);
  }

  override text(): string {
    return formatAddress(this.bytes);
  }
}

/** An address with the length of a prefix; the bits behind it are kept. */
export class CidrValue extends OpaqueValue {
  readonly typeName = 'net.CIDR';

  constructor(
    readonly bytes: readonly number[],
    readonly length: number,
  ) {
    super();
  }

  equals(other: OpaqueValue): boolean {
    return other instanceof CidrValue && this.length === other.length && sameBytes(this.bytes, other.bytes);
  }

  override text(): string {
    return `${formatAddress(this.bytes)}/${this.length}`;
  }
}

function sameBytes(a: readonly number[], b: readonly number[]): boolean {
  return a.length === b.length && a.every((byte, index) => byte === b[index]);
}

/** Throws CelError; addresses with a zone and IPv4 inside IPv6 are none. */
export function parseIp(text: string): IpValue {
  const {bytes, zone} = reading(
    () => readIp(text),
    `IP Address ${goQuote(text)} parse error during conversion from string: `,
  );
  if (zone !== '') throw new CelError(`IP address ${goQuote(text)} with zone value is not allowed`);
  if (isMapped(bytes)) throw mapped(text);
  return new IpValue(bytes);
}

export function parseCidr(text: string): CidrValue {
  const prefix = 'network address parse error during conversion from string: ';
  const fault = (why: string): CelError =>
    new CelError(`${prefix}${prefix}netip.ParsePrefix(${goQuote(text)}): ${why}`);
  const slash = text.lastIndexOf('/');
  if (slash < 0) throw fault("no '/'");
  const {bytes, zone} = reading(
    () => readIp(text.slice(0, slash)),
    `${prefix}${prefix}netip.ParsePrefix(${goQuote(text)}): `,
  );
  if (zone !== '') throw fault('IPv6 zones cannot be present in a prefix');
  const bits = text.slice(slash + 1);
  if (!/^(?:0|[1-9]\d{0,17})$/.test(bits)) throw fault(`bad bits after slash: ${goQuote(bits)}`);
  if (Number(bits) > bytes.length * 8) throw fault('prefix length out of range');
  if (isMapped(bytes)) throw new CelError(prefix + mapped(text).message);
  return new CidrValue(bytes, Number(bits));
}

function mapped(text: string): CelError {
  return new CelError(`IPv4-mapped IPv6 address ${goQuote(text)} is not allowed`);
}

function reading<T>(read: () => T, prefix: string): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof IpSyntaxError) throw new CelError(prefix + error.message);
    throw error;
  }
}

/** The address with the bits behind the prefix cleared. */
export function maskedBytes(bytes: readonly number[], length: number): number[] {
  return bytes.map((byte, index) => byte & (0xff00 >> Math.min(8, Math.max(0, length - index * 8))) & 0xff);
}

/** True when both addresses are of one family and agree in their first `length` bits. */
export function samePrefix(a: readonly number[], b: readonly number[], length: number): boolean {
  return a.length === b.length && sameBytes(maskedBytes(a, length), maskedBytes(b, length));
}
