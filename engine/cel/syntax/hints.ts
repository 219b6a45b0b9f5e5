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
export function hintForFault(text: string): {readonly hint?: string} {
  const hint = hints.get(text[0] ?? '') ?? quoteHint(text);
  return hint === undefined ? {} : {hint};
}

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

/** About a token that stands where no operand or operator can be; `before` is the character in front of it. */
export function hintForToken(text: string, before: string | undefined): {readonly hint?: string} {
  const known = words.get(text.toLowerCase());
  if (known !== undefined) return {hint: known};
  if (before === '"' || before === "'") {
    return {hint: `a quote within a string ends it: write \\${before}, or put the string between the other quotes`};
  }
  return {};
}
