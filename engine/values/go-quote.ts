const shown = /[\p{L}\p{M}\p{N}\p{P}\p{S} ]/u;
const special = /["\\]|[^ -~]/u;
const escapes: ReadonlyMap<string, string> = new Map([
  ['\u0007', '\\a'],
  ['\b', '\\b'],
  ['\f', '\\f'],
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
  ['\v', '\\v'],
  ['\\', '\\\\'],
  ['"', '\\"'],
]);

/** A text in double quotes as Go's `strconv.Quote` writes it: what is not printable becomes `\n`, `\x00`, `\u00a0`. */
export function goQuote(text: string): string {
  if (!special.test(text)) return `"${text}"`;
  let result = '"';
  for (const char of text) result += quoted(char);
  return `${result}"`;
}

function quoted(char: string): string {
  const escape = escapes.get(char);
  if (escape !== undefined) return escape;
  const code = char.codePointAt(0)!;
  if (code < 0x7f && code >= 0x20) return char;
  if (code < 0x80) return `\\x${code.toString(16).padStart(2, '0')}`;
  if (shown.test(char)) return char;
  return code > 0xffff ? `\\U${code.toString(16).padStart(8, '0')}` : `\\u${code.toString(16).padStart(4, '0')}`;
}
