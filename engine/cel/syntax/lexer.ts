import type {CelIssue} from '../errors.js';
import {isDigit, isHexDigit, isNamePart, isNameStart, isQuotable, isSpace} from './characters.js';
import {hintForFault} from './hints.js';
import {issueOf} from './issue.js';
import {limits} from './limits.js';
import {scanQuoted} from './quoted.js';
import * as T from './tokens.js';

/** Tokens of single characters that begin no longer token. */
const singles = new Uint8Array(128);
for (const [character, kind] of [
  ['[', T.LBRACKET],
  [']', T.RBRACKET],
  ['{', T.LBRACE],
  ['}', T.RBRACE],
  ['(', T.LPAREN],
  [')', T.RPAREN],
  [',', T.COMMA],
  [':', T.COLON],
  ['?', T.QUESTION],
  ['+', T.PLUS],
  ['-', T.MINUS],
  ['*', T.STAR],
  ['%', T.PERCENT],
] as const) {
  singles[character.charCodeAt(0)] = kind;
}

const keywords: ReadonlyMap<string, number> = new Map([
  ['in', T.IN],
  ['true', T.TRUE],
  ['false', T.FALSE],
  ['null', T.NULL],
]);

/**
 * One pass over the code units. What is no token becomes an issue and is left out, as cel-go's lexer does, so that the
 * parser can go on.
 */
export function tokenize(source: string): {readonly tokens: T.Tokens; readonly issues: readonly CelIssue[]} {
  const lexer = new Lexer(source);
  lexer.run();
  return {tokens: lexer, issues: lexer.issues};
}

class Lexer implements T.Tokens {
  readonly kinds: number[] = [];
  readonly starts: number[] = [];
  readonly ends: number[] = [];
  readonly issues: CelIssue[] = [];

  constructor(private readonly source: string) {}

  run(): void {
    const {source} = this;
    const length = source.length;
    let at = 0;
    while (at < length) {
      const code = source.charCodeAt(at);
      if (isSpace(code)) {
        at++;
        continue;
      }
      at = isNameStart(code) ? this.word(at, code) : this.other(at, code);
    }
    this.push(T.EOF, length, length);
  }

  private push(kind: number, start: number, end: number): number {
    this.kinds.push(kind);
    this.starts.push(start);
    this.ends.push(end);
    return end;
  }

  /** `end`: of what could have begun a token; the code point there is the one that does not fit. Goes on behind it. */
  private fault(start: number, end: number): number {
    const {source} = this;
    const next = end + (end < source.length && source.codePointAt(end)! > 0xffff ? 2 : 1);
    if (this.issues.length < limits.issues) {
      const text = source.slice(start, next);
      this.issues.push(issueOf(`Syntax error: token recognition error at: '${text}'`, start, hintForFault(text)));
    }
    return next;
  }

  private word(start: number, first: number): number {
    const {source} = this;
    const second = source.charCodeAt(start + 1);
    const quoted = this.prefixedQuote(start, first, second);
    if (quoted !== undefined) return quoted;
    let end = start + 1;
    while (isNamePart(source.charCodeAt(end))) end++;
    const length = end - start;
    const kind = length === 2 || length === 4 || length === 5 ? keywords.get(source.slice(start, end)) : undefined;
    return this.push(kind ?? T.IDENT, start, end);
  }

  /** `r"…"`, `b"…"`, `br"…"`; `undefined`: a name. */
  private prefixedQuote(start: number, first: number, second: number): number | undefined {
    const lower = first | 32;
    if (lower === 114 /* r */ && isQuote(second)) return this.prefixed(start, start + 1, true, T.STRING);
    if (lower !== 98 /* b */) return undefined;
    if (isQuote(second)) return this.prefixed(start, start + 1, false, T.BYTES);
    if ((second | 32) === 114 && isQuote(this.source.charCodeAt(start + 2))) {
      return this.prefixed(start, start + 2, true, T.BYTES);
    }
    return undefined;
  }

  /** Where the string is not closed, the prefix is a name before a faulty string. */
  private prefixed(start: number, quote: number, raw: boolean, kind: number): number | undefined {
    const scanned = scanQuoted(this.source, quote, raw);
    return scanned.closed ? this.push(kind, start, scanned.end) : undefined;
  }

  private quoted(start: number): number {
    const scanned = scanQuoted(this.source, start, false);
    return scanned.closed ? this.push(T.STRING, start, scanned.end) : this.fault(start, scanned.end);
  }

  private other(start: number, code: number): number {
    const {source} = this;
    const single = code < 128 ? singles[code]! : 0;
    if (single !== 0) return this.push(single, start, start + 1);
    if (isQuote(code)) return this.quoted(start);
    if (isDigit(code)) return this.number(start);
    const next = source.charCodeAt(start + 1);
    switch (code) {
      case 46 /* . */:
        return isDigit(next) ? this.fraction(start, start) : this.push(T.DOT, start, start + 1);
      case 61 /* = */:
        return next === 61 ? this.push(T.EQUALS, start, start + 2) : this.fault(start, start + 1);
      case 33 /* ! */:
        return next === 61 ? this.push(T.NOT_EQUALS, start, start + 2) : this.push(T.NOT, start, start + 1);
      case 60 /* < */:
        return next === 61 ? this.push(T.LESS_EQUALS, start, start + 2) : this.push(T.LESS, start, start + 1);
      case 62 /* > */:
        return next === 61 ? this.push(T.GREATER_EQUALS, start, start + 2) : this.push(T.GREATER, start, start + 1);
      case 38 /* & */:
        return next === 38 ? this.push(T.AND, start, start + 2) : this.fault(start, start + 1);
      case 124 /* | */:
        return next === 124 ? this.push(T.OR, start, start + 2) : this.fault(start, start + 1);
      case 47 /* / */:
        return next === 47 ? this.comment(start) : this.push(T.SLASH, start, start + 1);
      case 96 /* ` */:
        return this.backquoted(start);
      default:
        return this.fault(start, start);
    }
  }

  private comment(start: number): number {
    const end = this.source.indexOf('\n', start);
    return end === -1 ? this.source.length : end;
  }

  private backquoted(start: number): number {
    let end = start + 1;
    while (isQuotable(this.source.charCodeAt(end))) end++;
    if (this.source.charCodeAt(end) !== 96 || end === start + 1) return this.fault(start, end);
    return this.push(T.QUOTED_IDENT, start, end + 1);
  }

  private digits(from: number): number {
    let end = from;
    while (isDigit(this.source.charCodeAt(end))) end++;
    return end;
  }

  private number(start: number): number {
    const {source} = this;
    if (source.charCodeAt(start) === 48 && source.charCodeAt(start + 1) === 120 /* 0x */) {
      let end = start + 2;
      while (isHexDigit(source.charCodeAt(end))) end++;
      if (end > start + 2) return this.integer(start, end);
    }
    const end = this.digits(start);
    const next = source.charCodeAt(end);
    if (next === 46 && isDigit(source.charCodeAt(end + 1))) return this.fraction(start, end);
    const exponent = this.exponent(end);
    return exponent > end ? this.push(T.DOUBLE, start, exponent) : this.integer(start, end);
  }

  private integer(start: number, end: number): number {
    return (this.source.charCodeAt(end) | 32) === 117 /* u */
      ? this.push(T.UINT, start, end + 1)
      : this.push(T.INT, start, end);
  }

  private fraction(start: number, dot: number): number {
    return this.push(T.DOUBLE, start, this.exponent(this.digits(dot + 1)));
  }

  /** End of the exponent at `from`, or `from` where there is none. */
  private exponent(from: number): number {
    const {source} = this;
    if ((source.charCodeAt(from) | 32) !== 101 /* e */) return from;
    const sign = source.charCodeAt(from + 1);
    const first = from + (sign === 43 || sign === 45 ? 2 : 1);
    const end = this.digits(first);
    return end > first ? end : from;
  }
}

const isQuote = (code: number): boolean => code === 34 || code === 39;
