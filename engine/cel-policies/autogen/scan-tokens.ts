/** A piece of an expression, as far as rewriting needs to know it. */
export interface Token {
  readonly kind: 'name' | 'text' | 'mark';
  /** Of a name and a mark as written; of a text what stands between its quotes. */
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

const nameStart = /[A-Za-z_]/;
const namePart = /[A-Za-z0-9_]/;

/** Names, string literals and single characters of a CEL expression; blanks and comments are left out. Never throws. */
export function scanTokens(source: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  while (at < source.length) {
    const character = source[at]!;
    if (/\s/.test(character)) {
      at += 1;
    } else if (source.startsWith('//', at)) {
      const end = source.indexOf('\n', at);
      at = end === -1 ? source.length : end;
    } else if (character === '"' || character === "'") {
      const end = endOfText(source, at, false);
      tokens.push(textToken(source, at, at, end));
      at = end;
    } else if (nameStart.test(character)) {
      let end = at + 1;
      while (end < source.length && namePart.test(source[end]!)) end += 1;
      const name = source.slice(at, end);
      const quote = source[end];
      if ((quote === '"' || quote === "'") && /^(?:[rR][bB]?|[bB][rR]?)$/.test(name)) {
        const stop = endOfText(source, end, /r/i.test(name));
        tokens.push(textToken(source, at, end, stop));
        at = stop;
      } else {
        tokens.push({kind: 'name', text: name, start: at, end});
        at = end;
      }
    } else {
      tokens.push({kind: 'mark', text: character, start: at, end: at + 1});
      at += 1;
    }
  }
  return tokens;
}

function textToken(source: string, start: number, quoteAt: number, end: number): Token {
  const width = isTriple(source, quoteAt) ? 3 : 1;
  return {kind: 'text', text: source.slice(quoteAt + width, Math.max(quoteAt + width, end - width)), start, end};
}

function isTriple(source: string, at: number): boolean {
  const quote = source[at]!;
  return source.startsWith(quote.repeat(3), at);
}

function endOfText(source: string, quoteAt: number, raw: boolean): number {
  const quote = source[quoteAt]!;
  const close = isTriple(source, quoteAt) ? quote.repeat(3) : quote;
  let at = quoteAt + close.length;
  while (at < source.length) {
    if (source.startsWith(close, at)) return at + close.length;
    at += !raw && source[at] === '\\' ? 2 : 1;
  }
  return source.length;
}
