/**
 * Wildcards of the policy language: `*` any run (also empty), `?` exactly one character (code point). No escapes, no
 * classes; the empty pattern matches the empty text alone.
 */
export type TextTest = (text: string) => boolean;

/** Where a match accounts for its work; a `Budget` fits. */
export interface StepCounter {
  step(count?: number): void;
}

export function hasWildcard(text: string): boolean {
  return text.includes('*') || text.includes('?');
}

/** Compiles one glob; common shapes (`*`, `?*`, `a*`, `*a`, `*a*`, `a*b`) become single string operations. */
export function compileGlob(pattern: string): TextTest {
  if (!hasWildcard(pattern)) return text => text === pattern;
  if (/^\*+$/.test(pattern)) return () => true;
  if (/^\*+\?\**$|^\?\*+$/.test(pattern)) return text => text.length > 0;
  if (pattern.includes('?')) return text => scan(pattern, text, undefined);
  const segments = pattern.split(/\*+/);
  const prefix = segments[0] ?? '';
  const suffix = segments[segments.length - 1] ?? '';
  const inner = segments.slice(1, -1);
  const fixed = prefix.length + suffix.length;
  if (inner.length === 0) {
    if (suffix === '') return text => text.startsWith(prefix);
    if (prefix === '') return text => text.endsWith(suffix);
    return text => text.length >= fixed && text.startsWith(prefix) && text.endsWith(suffix);
  }
  const [only = ''] = inner;
  if (inner.length === 1 && fixed === 0) return text => text.includes(only);
  return text => {
    if (text.length < fixed || !text.startsWith(prefix) || !text.endsWith(suffix)) return false;
    const end = text.length - suffix.length;
    let from = prefix.length;
    for (const segment of inner) {
      const at = text.indexOf(segment, from);
      if (at < 0) return false;
      from = at + segment.length;
      if (from > end) return false;
    }
    return true;
  };
}

/** One match without compiling, at most |pattern| × |text| steps, which are counted where a counter is given. */
export function globMatch(pattern: string, text: string, counter?: StepCounter): boolean {
  return scan(pattern, text, counter);
}

/** Some pattern matches: exact names sit in a Set, only real wildcards are tried in turn. */
export function compileGlobs(patterns: readonly string[]): TextTest {
  const exact = new Set<string>();
  const wild: TextTest[] = [];
  for (const pattern of new Set(patterns)) {
    if (hasWildcard(pattern)) wild.push(compileGlob(pattern));
    else exact.add(pattern);
  }
  if (wild.length === 0) {
    if (exact.size === 0) return () => false;
    if (exact.size === 1) {
      const [name] = exact;
      return text => text === name;
    }
    return text => exact.has(text);
  }
  const [first] = wild;
  if (wild.length === 1 && exact.size === 0 && first) return first;
  return text => {
    if (exact.has(text)) return true;
    for (const test of wild) if (test(text)) return true;
    return false;
  };
}

/**
 * Two pointers: on a mismatch only the last `*` takes one character more. Leftmost placement of what stands before it
 * is never worse, so earlier stars need no second try.
 */
function scan(pattern: string, text: string, counter: StepCounter | undefined): boolean {
  let p = 0;
  let t = 0;
  let star = -1;
  let resume = 0;
  while (t < text.length) {
    counter?.step();
    const code = p < pattern.length ? pattern.charCodeAt(p) : -1;
    if (code === 42) {
      star = p;
      p += 1;
      resume = t;
    } else if (code === 63) {
      p += 1;
      t += characterWidth(text, t);
    } else if (code === text.charCodeAt(t)) {
      p += 1;
      t += 1;
    } else if (star >= 0) {
      p = star + 1;
      resume += characterWidth(text, resume);
      t = resume;
    } else {
      return false;
    }
  }
  while (p < pattern.length && pattern.charCodeAt(p) === 42) p += 1;
  return p === pattern.length;
}

/** UTF-16 units of the code point at `index`. */
function characterWidth(text: string, index: number): number {
  const code = text.charCodeAt(index);
  if (code < 0xd800 || code > 0xdbff) return 1;
  const next = text.charCodeAt(index + 1);
  return next >= 0xdc00 && next <= 0xdfff ? 2 : 1;
}
