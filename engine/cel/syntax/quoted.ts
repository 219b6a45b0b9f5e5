import {isHexDigit} from './characters.js';

const backslash = 92;

/** `end`: behind the closing quote; of a string that is not closed, where it stops being one. */
interface Scanned {
  readonly closed: boolean;
  readonly end: number;
}

/** Scans a string from its opening quote on. */
export function scanQuoted(source: string, open: number, raw: boolean): Scanned {
  const quote = source.charCodeAt(open);
  const triple = source.charCodeAt(open + 1) === quote && source.charCodeAt(open + 2) === quote;
  if (!triple) return scanLine(source, open, raw, quote);
  const scanned = scanTriple(source, open + 3, raw, quote);
  // `"""abc` is an empty string with a fault behind it.
  return scanned.closed ? scanned : {closed: true, end: open + 2};
}

function scanLine(source: string, open: number, raw: boolean, quote: number): Scanned {
  let at = open + 1;
  for (;;) {
    const code = source.charCodeAt(at);
    if (code === quote) return {closed: true, end: at + 1};
    if (Number.isNaN(code) || code === 10 || code === 13) return {closed: false, end: at};
    if (code === backslash && !raw) {
      const next = escapeEnd(source, at);
      if (!next.closed) return next;
      at = next.end;
    } else {
      at++;
    }
  }
}

function scanTriple(source: string, from: number, raw: boolean, quote: number): Scanned {
  let at = from;
  for (;;) {
    const code = source.charCodeAt(at);
    if (Number.isNaN(code)) return {closed: false, end: at};
    if (code === quote && source.charCodeAt(at + 1) === quote && source.charCodeAt(at + 2) === quote) {
      return {closed: true, end: at + 3};
    }
    if (code === backslash && !raw) {
      const next = escapeEnd(source, at);
      if (!next.closed) return next;
      at = next.end;
    } else {
      at++;
    }
  }
}

/** Of the escape whose backslash is at `at`. */
function escapeEnd(source: string, at: number): Scanned {
  const code = source.charCodeAt(at + 1);
  if (code >= 48 && code <= 51) return hexRun(source, at + 2, 2, isOctalDigit);
  switch (source[at + 1]) {
    case 'x':
    case 'X':
      return hexRun(source, at + 2, 2, isHexDigit);
    case 'u':
      return hexRun(source, at + 2, 4, isHexDigit);
    case 'U':
      return hexRun(source, at + 2, 8, isHexDigit);
    case 'a':
    case 'b':
    case 'f':
    case 'n':
    case 'r':
    case 't':
    case 'v':
    case '"':
    case "'":
    case '\\':
    case '?':
    case '`':
      return {closed: true, end: at + 2};
    default:
      return {closed: false, end: at + 1};
  }
}

const isOctalDigit = (code: number): boolean => code >= 48 && code <= 55;

function hexRun(source: string, from: number, count: number, is: (code: number) => boolean): Scanned {
  for (let at = from; at < from + count; at++) {
    if (!is(source.charCodeAt(at))) return {closed: false, end: at};
  }
  return {closed: true, end: from + count};
}
