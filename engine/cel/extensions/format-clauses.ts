import {CelError} from '../errors.js';

export type Verb = 's' | 'd' | 'f' | 'e' | 'b' | 'x' | 'X' | 'o';

export interface Clause {
  readonly verb: Verb;
  /** Of `%.3f`. */
  readonly precision: number | undefined;
}

export interface FormatReader {
  /** Throws when there is no such argument. Asked before the clause is read (`first`) and again behind the `%`. */
  argument(index: number, first: boolean): void;
  literal(text: string): void;
  clause(clause: Clause, index: number): void;
}

/**
 * Reads a format text of `string.format`: literal pieces and clauses in order. Returns the number of arguments it takes.
 * Throws CelError in cel-go's words.
 */
export function readFormat(format: string, reader: FormatReader): number {
  let index = 0;
  let from = 0;
  for (let at = format.indexOf('%'); at >= 0; at = format.indexOf('%', from)) {
    if (at > from) reader.literal(format.slice(from, at));
    if (format[at + 1] === '%') {
      reader.literal('%');
      from = at + 2;
      continue;
    }
    reader.argument(index, true);
    if (at + 1 >= format.length) throw new CelError('unexpected end of string');
    reader.argument(index, false);
    const {clause, end} = readClause(format, at + 1);
    reader.clause(clause, index);
    index++;
    from = end;
  }
  if (from < format.length) reader.literal(format.slice(from));
  return index;
}

function readClause(format: string, start: number): {clause: Clause; end: number} {
  let at = start;
  let precision: number | undefined;
  if (format[at] === '.') {
    at++;
    while (isDigit(format.charCodeAt(at))) at++;
    if (at >= format.length)
      throw unreadable('error while parsing precision: could not find end of precision specifier');
    precision = precisionOf(format.slice(start + 1, at));
  }
  const verb = format[at]!;
  if (!isVerb(verb)) throw unreadable(`unrecognized formatting clause "${firstByte(format, at)}"`);
  return {clause: {verb, precision}, end: at + 1};
}

function isVerb(char: string): char is Verb {
  return char.length === 1 && 'sdfebxXo'.includes(char);
}

function isDigit(unit: number): boolean {
  return unit >= 48 && unit <= 57;
}

function precisionOf(digits: string): number {
  const fault = digits === '' ? 'invalid syntax' : BigInt(digits) > 2n ** 63n - 1n ? 'value out of range' : undefined;
  if (fault === undefined) return Number(digits);
  throw unreadable(
    `error while parsing precision: error while converting precision to integer: strconv.Atoi: parsing "${digits}": ${fault}`,
  );
}

/** cel-go reads the clause as a byte, and shows that. */
function firstByte(format: string, at: number): string {
  const code = format.codePointAt(at)!;
  if (code < 0x80) return String.fromCharCode(code);
  if (code < 0x800) return String.fromCharCode(0xc0 | (code >> 6));
  return String.fromCharCode(code < 0x10000 ? 0xe0 | (code >> 12) : 0xf0 | (code >> 18));
}

function unreadable(why: string): CelError {
  return new CelError(`could not parse formatting clause: ${why}`);
}

const needs: Readonly<Record<Verb, string>> = {
  s: 'string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps',
  d: 'decimal clause can only be used on integers',
  f: 'fixed-point clause can only be used on doubles',
  e: 'scientific clause can only be used on doubles',
  b: 'only integers and bools can be formatted as binary',
  x: 'only integers, byte buffers, and strings can be formatted as hex',
  X: 'only integers, byte buffers, and strings can be formatted as hex',
  o: 'octal clause can only be used on integers',
};

/** What a clause says about an argument that it cannot print. */
export function misfit(verb: Verb, typeName: string): string {
  return `error during formatting: ${needs[verb]}, was given ${typeName}`;
}
