/** Levels of nesting a JSON or YAML value may have; far above real objects, far below the stack. */
export const maxDepth = 512;

export interface ScanResult {
  /** A number token loses something when read as a double: long integers, integral doubles, exponents. */
  readonly exact: boolean;
  /** Deepest nesting; meaningless for text that is no JSON. */
  readonly depth: number;
}

const quote = 34;
const backslash = 92;

/** Index of the closing quote of the string that opens at `start`; the text's length when it never closes. */
export function stringEnd(text: string, start: number): number {
  let from = start + 1;
  for (;;) {
    const end = text.indexOf('"', from);
    if (end < 0) return text.length;
    let slashes = 0;
    while (text.charCodeAt(end - 1 - slashes) === backslash) slashes++;
    if (slashes % 2 === 0) return end;
    from = end + 1;
  }
}

/**
 * One pass over the tokens of a JSON text, strings skipped by native search: says whether the native reader keeps every
 * number and how deep the text nests. About a third of the native reader's own time.
 */
export function scanJson(text: string): ScanResult {
  let depth = 0;
  let deepest = 0;
  let exact = false;
  const length = text.length;
  for (let i = 0; i < length; i++) {
    const code = text.charCodeAt(i);
    if (code === quote) {
      i = stringEnd(text, i);
    } else if (code === 123 || code === 91) {
      if (++depth > deepest) deepest = depth;
    } else if (code === 125 || code === 93) {
      depth--;
    } else if (code >= 45 && code <= 57 && !exact) {
      const start = i;
      let special = false;
      let zeroFraction = false;
      for (;;) {
        const next = text.charCodeAt(++i);
        if (next >= 48 && next <= 57) {
          if (next !== 48) zeroFraction = false;
        } else if (next === 46) {
          zeroFraction = true;
        } else if (next === 101 || next === 69 || next === 43 || next === 45) {
          special = true;
        } else {
          break;
        }
      }
      const minusZero = code === 45 && i - start === 2 && text.charCodeAt(start + 1) === 48;
      exact = special || zeroFraction || minusZero || i - start > 15;
      i--;
    }
  }
  return {exact, depth: deepest};
}
