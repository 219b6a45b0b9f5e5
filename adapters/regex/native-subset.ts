/**
 * A native form of a pattern, for patterns where both engines agree on every text and backtracking is bounded:
 * no flags, no Unicode classes, no repetition of anything that itself varies.
 */
export interface NativePattern {
  readonly regex: RegExp;
  /** Longest text (UTF-16 units) for which the worst case stays below about a million steps. */
  readonly maxLength: number;
  /**
   * A search looks no further than its match and the length of the pattern: the only unbounded repetition, if there is
   * one, ends the pattern, so that going on with it makes the match longer.
   */
  readonly settles: boolean;
}

const worstSteps = 1_000_000;
const maxVariants = 256;
const syntaxCharacters = new Set('^$\\.*+?()[]{}|/');
const controls: Readonly<Record<string, string>> = {t: '\\t', n: '\\n', r: '\\r', f: '\\f', v: '\\v'};
const classes: Readonly<Record<string, string>> = {d: '0-9', w: '0-9A-Za-z_', s: '\\t\\n\\f\\r '};

class NotNative extends Error {}

interface Part {
  readonly source: string;
  /** Number of unbounded repetitions inside. */
  readonly unbounded: number;
  /** Product of the choices inside: alternatives, optional parts, bounded repetitions. */
  readonly variants: number;
  /** The only unbounded repetition inside stands at the end, and has to be there. */
  readonly endsInLoop?: true;
}

/** `undefined` when the pattern lies outside the subset. The pattern must be valid RE2. */
export function nativeSubset(pattern: string): NativePattern | undefined {
  try {
    const reader = new Reader(pattern);
    const part = reader.alternation();
    if (!reader.atEnd()) return undefined;
    const degree = part.unbounded + (reader.anchored ? 0 : 1);
    const longest = degree === 0 ? Number.POSITIVE_INFINITY : (worstSteps / part.variants) ** (1 / degree);
    const settles = !pattern.includes('{') && (part.unbounded === 0 || part.endsInLoop === true);
    return {regex: new RegExp(part.source, 'u'), maxLength: Math.floor(longest), settles};
  } catch (error) {
    if (error instanceof NotNative || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

class Reader {
  anchored = false;
  #at = 0;
  #depth = 0;
  readonly #chars: readonly string[];

  constructor(pattern: string) {
    this.#chars = [...pattern];
    if (this.#chars.length > 1_000) throw new NotNative();
    this.anchored = pattern.startsWith('^') || pattern.startsWith('\\A');
  }

  atEnd(): boolean {
    return this.#at >= this.#chars.length;
  }

  alternation(): Part {
    const branches = [this.#sequence()];
    while (this.#take('|')) branches.push(this.#sequence());
    if (branches.length === 1) return branches[0]!;
    if (this.#depth === 0) this.anchored = false;
    return {
      source: branches.map(branch => branch.source).join('|'),
      unbounded: Math.max(...branches.map(branch => branch.unbounded)),
      variants: limit(branches.reduce((sum, branch) => sum + branch.variants, 0)),
    };
  }

  #sequence(): Part {
    let source = '';
    let unbounded = 0;
    let variants = 1;
    let last: Part | undefined;
    while (!this.atEnd() && this.#peek() !== '|' && this.#peek() !== ')') {
      const part = this.#repeated(this.#atom());
      last = part;
      source += part.source;
      unbounded += part.unbounded;
      variants = limit(variants * part.variants);
    }
    const sequence = {source, unbounded, variants};
    return unbounded === 1 && last?.endsInLoop ? {...sequence, endsInLoop: true} : sequence;
  }

  #atom(): Part {
    const char = this.#next();
    if (char === '(') return this.#group();
    if (char === '[') return fixed(this.#characterClass());
    if (char === '.') return fixed('[^\\n]');
    if (char === '^' || char === '$') return fixed(char);
    if (char === '\\') return fixed(this.#escape());
    if ('*+?{'.includes(char)) throw new NotNative();
    return fixed(literal(char));
  }

  #group(): Part {
    if (this.#take('?') && !this.#take(':')) throw new NotNative();
    if (++this.#depth > 20) throw new NotNative();
    const inner = this.alternation();
    this.#depth--;
    if (!this.#take(')')) throw new NotNative();
    return {...inner, source: `(?:${inner.source})`};
  }

  #repeated(atom: Part): Part {
    const quantifier = this.#quantifier();
    if (!quantifier) return atom;
    const {source, least, most} = quantifier;
    const repeated = atom.source + source;
    if (/^[\^$]|^\\b/i.test(atom.source)) throw new NotNative();
    if (least === 0 && most === 1)
      return {source: repeated, unbounded: atom.unbounded, variants: limit(atom.variants + 1)};
    if (atom.unbounded > 0 || atom.variants > 1) throw new NotNative();
    if (most === Number.POSITIVE_INFINITY) return {source: repeated, unbounded: 1, variants: 1, endsInLoop: true};
    return {source: repeated, unbounded: 0, variants: limit(most - least + 1)};
  }

  #quantifier(): {source: string; least: number; most: number} | undefined {
    let source = '';
    let bounds: readonly [number, number];
    if (this.#take('*')) [source, bounds] = ['*', [0, Number.POSITIVE_INFINITY]];
    else if (this.#take('+')) [source, bounds] = ['+', [1, Number.POSITIVE_INFINITY]];
    else if (this.#take('?')) [source, bounds] = ['?', [0, 1]];
    else if (this.#take('{')) {
      while (!this.atEnd() && this.#peek() !== '}') source += this.#next();
      const found = /^(\d+)(,(\d*))?$/.exec(source);
      if (!this.#take('}') || !found) throw new NotNative();
      const least = Number(found[1]);
      const most = found[2] === undefined ? least : found[3] ? Number(found[3]) : Number.POSITIVE_INFINITY;
      source = `{${source}}`;
      bounds = [least, most];
    } else return undefined;
    if (this.#take('?')) source += '?';
    return {source, least: bounds[0], most: bounds[1]};
  }

  #escape(): string {
    const char = this.#next();
    if (char === 'A') return '^';
    if (char === 'z') return '$';
    if (char === 'b') return '\\b';
    if (Object.hasOwn(controls, char)) return controls[char]!;
    if (Object.hasOwn(classes, char)) return `[${classes[char]}]`;
    if (Object.hasOwn(classes, char.toLowerCase())) return `[^${classes[char.toLowerCase()]}]`;
    if (/[0-9A-Za-z]/.test(char) || char > '\u007f') throw new NotNative();
    return literal(char);
  }

  #characterClass(): string {
    let source = this.#take('^') ? '[^' : '[';
    if (this.#peek() === ']') throw new NotNative();
    while (!this.#take(']')) {
      const low = this.#classMember();
      source += low;
      if (this.#peek() === '-' && this.#chars[this.#at + 1] !== ']') {
        this.#next();
        const high = this.#classMember();
        if (low.length > 2 || high.length > 2) throw new NotNative();
        source += `-${high}`;
      }
    }
    return `${source}]`;
  }

  #classMember(): string {
    const char = this.#next();
    if (char === '[') throw new NotNative();
    if (char !== '\\') return '\\]^-'.includes(char) ? `\\${char}` : char;
    const escaped = this.#next();
    if (Object.hasOwn(controls, escaped)) return controls[escaped]!;
    if (Object.hasOwn(classes, escaped)) return classes[escaped]!;
    if (/[0-9A-Za-z]/.test(escaped) || escaped > '\u007f') throw new NotNative();
    return syntaxCharacters.has(escaped) || escaped === '-' ? `\\${escaped}` : escaped;
  }

  #peek(): string {
    return this.#chars[this.#at] ?? '';
  }

  #next(): string {
    const char = this.#chars[this.#at++];
    if (char === undefined) throw new NotNative();
    return char;
  }

  #take(char: string): boolean {
    if (this.#chars[this.#at] !== char) return false;
    this.#at++;
    return true;
  }
}

function fixed(source: string): Part {
  return {source, unbounded: 0, variants: 1};
}

function literal(char: string): string {
  if (char >= '\ud800' && char <= '\udfff' && char.length === 1) throw new NotNative();
  return syntaxCharacters.has(char) ? `\\${char}` : char;
}

function limit(variants: number): number {
  if (variants > maxVariants) throw new NotNative();
  return variants;
}
