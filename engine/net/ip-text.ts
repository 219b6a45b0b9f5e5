import {goQuote} from '../values/go-quote.js';

/** An IP address and a zone, as Go's `netip.Addr`: 4 or 16 bytes, IPv4 inside IPv6 kept as it is. */
export interface IpText {
  readonly bytes: readonly number[];
  readonly zone: string;
}

/** Why a text is no address, in Go's words. No `Error`, since asking is routine and stacks are dear. */
export class IpSyntaxError {
  readonly message: string;

  constructor(input: string, why: string, at = '') {
    this.message = `ParseAddr(${goQuote(input)}): ${why}${at === '' ? '' : ` (at ${goQuote(at)})`}`;
  }
}

/** Reads an address as Go's `netip.ParseAddr`. Throws IpSyntaxError. */
export function readIp(text: string): IpText {
  for (const char of text) {
    if (char === '.') return {bytes: readV4(text, text), zone: ''};
    if (char === ':') return readV6(text);
    if (char === '%') throw new IpSyntaxError(text, 'missing IPv6 address');
  }
  throw new IpSyntaxError(text, 'unable to parse IP');
}

function readV4(input: string, text: string): number[] {
  const fields: number[] = [];
  let value = 0;
  let digits = 0;
  for (let index = 0; index < text.length; index++) {
    const char = text[index]!;
    if (char >= '0' && char <= '9') {
      if (digits === 1 && value === 0) throw new IpSyntaxError(input, 'IPv4 field has octet with leading zero');
      value = value * 10 + Number(char);
      digits++;
      if (value > 255) throw new IpSyntaxError(input, 'IPv4 field has value >255');
    } else if (char === '.') {
      if (index === 0 || index === text.length - 1 || text[index - 1] === '.')
        throw new IpSyntaxError(input, 'IPv4 field must have at least one digit', text.slice(index));
      if (fields.length === 3) throw new IpSyntaxError(input, 'IPv4 address too long');
      fields.push(value);
      value = 0;
      digits = 0;
    } else {
      throw new IpSyntaxError(input, 'unexpected character', text.slice(index));
    }
  }
  if (fields.length < 3) throw new IpSyntaxError(input, 'IPv4 address too short');
  return [...fields, value];
}

function readV6(input: string): IpText {
  const percent = input.indexOf('%');
  const zone = percent < 0 ? '' : input.slice(percent + 1);
  if (percent >= 0 && zone === '') throw new IpSyntaxError(input, 'zone must be a non-empty string');
  const reader = new V6Reader(input, percent < 0 ? input : input.slice(0, percent));
  return {bytes: reader.read(), zone};
}

class V6Reader {
  #rest: string;
  /** Position of `::` in the bytes. */
  #gap = -1;
  readonly #bytes: number[] = [];

  constructor(
    readonly input: string,
    text: string,
  ) {
    this.#rest = text;
  }

  read(): number[] {
    if (this.#rest.startsWith('::')) {
      this.#gap = 0;
      this.#rest = this.#rest.slice(2);
      if (this.#rest === '') return new Array<number>(16).fill(0);
    }
    while (this.#bytes.length < 16 && this.#group());
    if (this.#rest !== '') throw this.#fault('trailing garbage after address', this.#rest);
    return this.#filled();
  }

  /** One group and the colon behind it; false at the end of the text. */
  #group(): boolean {
    const digits = /^[0-9A-Fa-f]*/.exec(this.#rest)![0].length;
    if (digits > 4) throw this.#fault('each group must have 4 or less digits', this.#rest);
    if (digits === 0) throw this.#fault('each colon-separated field must have at least one digit', this.#rest);
    if (this.#rest[digits] === '.') return this.#embedded();
    const value = Number.parseInt(this.#rest.slice(0, digits), 16);
    this.#bytes.push(value >> 8, value & 255);
    this.#rest = this.#rest.slice(digits);
    return this.#rest !== '' && this.#colon();
  }

  #embedded(): false {
    const at = this.#bytes.length;
    if (this.#gap < 0 && at !== 12)
      throw this.#fault('embedded IPv4 address must replace the final 2 fields of the address', this.#rest);
    if (at + 4 > 16)
      throw this.#fault('too many hex fields to fit an embedded IPv4 at the end of the address', this.#rest);
    this.#bytes.push(...readV4(this.input, this.#rest));
    this.#rest = '';
    return false;
  }

  #colon(): boolean {
    if (this.#rest[0] !== ':') throw this.#fault('unexpected character, want colon', this.#rest);
    if (this.#rest.length === 1) throw this.#fault('colon must be followed by more characters', this.#rest);
    this.#rest = this.#rest.slice(1);
    if (this.#rest[0] !== ':') return true;
    if (this.#gap >= 0) throw this.#fault('multiple :: in address', this.#rest);
    this.#gap = this.#bytes.length;
    this.#rest = this.#rest.slice(1);
    return this.#rest !== '';
  }

  #filled(): number[] {
    const missing = 16 - this.#bytes.length;
    if (missing === 0) {
      if (this.#gap >= 0) throw this.#fault('the :: must expand to at least one field of zeros');
      return this.#bytes;
    }
    if (this.#gap < 0) throw this.#fault('address string too short');
    return this.#bytes.toSpliced(this.#gap, 0, ...new Array<number>(missing).fill(0));
  }

  #fault(why: string, at?: string): IpSyntaxError {
    return new IpSyntaxError(this.input, why, at);
  }
}

/** True for `::ffff:1.2.3.4` and its like. */
export function isMapped(bytes: readonly number[]): boolean {
  return bytes.length === 16 && bytes[10] === 255 && bytes[11] === 255 && bytes.slice(0, 10).every(byte => byte === 0);
}
