import * as T from './tokens.js';

/** By the first character of what is no token. */
const hints: ReadonlyMap<string, string> = new Map([
  ['=', 'to compare, write =='],
  ['&', 'and is written &&'],
  ['|', 'or is written ||'],
  ['$', 'CEL has no variables with $; to put values into text, write "a" + b'],
  ['`', 'backquotes go around field names: letters, digits, _ . - / and spaces'],
  ['“', 'write straight quotes: "text"'],
  ['”', 'write straight quotes: "text"'],
  ['‘', "write straight quotes: 'text'"],
  ['’', "write straight quotes: 'text'"],
  ['#', 'comments begin with //'],
  [';', 'a CEL expression is one value, without ;'],
]);

/** What to write instead of text that is no token. */
export const hintForFault = (text: string): string | undefined => hints.get(text[0] ?? '') ?? quoteHint(text);

/** An escape that stops being one at its last character. */
const brokenEscape =
  /^\\(?:[xX][\da-fA-F]?[^\da-fA-F]|u[\da-fA-F]{0,3}[^\da-fA-F]|U[\da-fA-F]{0,7}[^\da-fA-F]|[0-3][0-7]?[^0-7]|[^xXuU0-3])$/;

function quoteHint(text: string): string | undefined {
  const quote = text[0];
  if (quote !== '"' && quote !== "'") return undefined;
  const escape = text.lastIndexOf('\\');
  return escape !== -1 && brokenEscape.test(text.slice(escape, escape + 12))
    ? `write \\\\ for a backslash, or a raw string: r${quote}…`
    : 'the string has no closing quote';
}

const words: ReadonlyMap<string, string> = new Map([
  ['and', 'and is written &&'],
  ['or', 'or is written ||'],
  ['not', 'not is written !'],
  ['is', 'to compare, write =='],
  ['eq', 'to compare, write =='],
  ['if', 'a choice is written condition ? this : that'],
  ['then', 'a choice is written condition ? this : that'],
  ['else', 'a choice is written condition ? this : that'],
]);

/** Where a token stands that cannot stand there. */
interface Misplaced {
  readonly text: string;
  readonly source: string;
  readonly at: number;
}

/** About a token that stands where no operand or operator can be. */
export function hintForToken({text, source, at}: Misplaced): string | undefined {
  const known = words.get(text.toLowerCase());
  if (known !== undefined) return known;
  const before = source[at - 1];
  if (before === '"' || before === "'") {
    return `a quote within a string ends it: write \\${before}, or put the string between the other quotes`;
  }
  if (before === '[' && (text === ']' || text === '*')) {
    return 'to look at every element, write list.all(x, …) or list.exists(x, …)';
  }
  if (before === '?' && text === '?') return 'a default is written a.?b.orValue(c)';
  if (before === '<' && text === '>') return 'to compare, write !=';
  if (text === '}' && source.lastIndexOf('{{', at) !== -1) {
    return '{{…}} belongs to the classic policies; in CEL write the expression itself';
  }
  return undefined;
}

/** About a sign before what has one already. */
export const nestedUnary = (kind: number): string | undefined =>
  kind === T.NOT || kind === T.MINUS ? 'put parentheses around the inner operation: !(-x)' : undefined;

/** About a token behind a dot that is no name. */
export function fieldHint(kind: number, text: string): string | undefined {
  switch (kind) {
    case T.STRING:
      return `write [${text}] for a field whose name is no plain word`;
    case T.IN:
    case T.TRUE:
    case T.FALSE:
    case T.NULL:
      return `${text} is a word of the language; write ["${text}"]`;
    case T.STAR:
      return 'to look at every element, write list.all(x, …) or list.exists(x, …)';
    case T.LBRACKET:
      return 'write the bracket right behind the value, without the dot';
    default:
      return undefined;
  }
}
