/** One `{{ … }}` in a text. `start`/`end` cover the braces; `expression` is trimmed and without a leading `-`. */
export interface VariableSpan {
  readonly start: number;
  readonly end: number;
  readonly expression: string;
  /** `{{- … }}`: the result is inserted with its own `{{` escaped. */
  readonly shallow: boolean;
}

const open = 0x7b;
const close = 0x7d;
const backslash = 0x5c;

/**
 * The innermost variables of a text, left to right. One level of single braces may stand inside (JMESPath hashes); a
 * nested `{{` makes the inner one the variable. `\{{` is literal text. Linear in the text.
 */
export function findVariables(text: string): VariableSpan[] {
  const spans: VariableSpan[] = [];
  let at = text.indexOf('{{');
  while (at !== -1) {
    const end = at > 0 && text.charCodeAt(at - 1) === backslash ? -1 : variableEnd(text, at + 2);
    if (end === -1) {
      at = text.indexOf('{{', at + 1);
      continue;
    }
    const body = text.slice(at + 2, end - 2);
    const shallow = body.startsWith('-');
    spans.push({start: at, end, expression: (shallow ? body.slice(1) : body).trim(), shallow});
    at = text.indexOf('{{', end);
  }
  return spans;
}

export function hasVariable(text: string): boolean {
  return text.includes('{{') && findVariables(text).length > 0;
}

/** Index behind the closing braces of a variable whose body starts at `from`, or -1. */
function variableEnd(text: string, from: number): number {
  let at = from;
  while (at < text.length) {
    const code = text.charCodeAt(at);
    if (code === close) return text.charCodeAt(at + 1) === close ? at + 2 : -1;
    if (code === open) {
      at += 1;
      while (at < text.length && text.charCodeAt(at) !== open && text.charCodeAt(at) !== close) at += 1;
      if (text.charCodeAt(at) !== close) return -1;
    }
    at += 1;
  }
  return -1;
}
