/** A scalar of a template: text with CEL in `(( … ))`. */
export type TemplatePart = string | {readonly expression: string};

export type SplitText = {readonly parts: readonly TemplatePart[]} | {readonly error: string};

/**
 * Splits a scalar at its placeholders. Parentheses inside them nest, those in quoted text do not count; `\((` is a plain
 * `((`. A part is text as it is, or an expression without its blanks around.
 */
export function splitPlaceholders(text: string): SplitText {
  const parts: TemplatePart[] = [];
  let literal = '';
  let at = 0;
  while (at < text.length) {
    if (text.startsWith('\\((', at)) {
      literal += '((';
      at += 3;
    } else if (text.startsWith('((', at)) {
      const end = endOf(text, at + 2);
      if (end === undefined) return {error: `placeholder ${JSON.stringify(text.slice(at, at + 40))} is not closed by "))"`};
      const expression = text.slice(at + 2, end).trim();
      if (expression === '') return {error: 'a placeholder holds no expression'};
      if (literal !== '') parts.push(literal);
      literal = '';
      parts.push({expression});
      at = end + 2;
    } else {
      literal += text[at];
      at += 1;
    }
  }
  if (literal !== '') parts.push(literal);
  return {parts};
}

/** Where the `))` stands that closes a placeholder whose text begins at `from`. */
function endOf(text: string, from: number): number | undefined {
  let depth = 0;
  let at = from;
  while (at < text.length) {
    const char = text[at]!;
    if (char === '"' || char === "'") at = afterQuoted(text, at);
    else if (char === '(' || char === '[' || char === '{') {
      depth += 1;
      at += 1;
    } else if (char === ')' && depth === 0) return text[at + 1] === ')' ? at : undefined;
    else {
      if (char === ')' || char === ']' || char === '}') depth -= 1;
      at += 1;
    }
  }
  return undefined;
}

/** Behind a CEL string that begins at `from`; raw and triple-quoted ones, too. */
function afterQuoted(text: string, from: number): number {
  const quote = text[from]!;
  const long = quote.repeat(3);
  const mark = text.startsWith(long, from) ? long : quote;
  const isRaw = /(?:^|[^\w])[bB]?[rR]$/.test(text.slice(Math.max(0, from - 3), from));
  let at = from + mark.length;
  while (at < text.length) {
    if (!isRaw && text[at] === '\\') at += 2;
    else if (text.startsWith(mark, at)) return at + mark.length;
    else at += 1;
  }
  return text.length;
}
