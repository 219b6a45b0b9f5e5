import {blanks, type CharSet, complement, digits, namedClasses, printable, union, wordCharacters} from './char-set.js';

/** A regular expression as a plan for making texts that match it. */
export type RegexTree =
  | {readonly kind: 'set'; readonly set: CharSet}
  | {readonly kind: 'sequence'; readonly items: readonly RegexTree[]}
  | {readonly kind: 'choice'; readonly options: readonly RegexTree[]}
  | {readonly kind: 'repeat'; readonly item: RegexTree; readonly min: number; readonly max: number};

/** What the reader does not know, although it may be a valid expression. */
export class UnsupportedRegexError extends Error {
  override readonly name = 'UnsupportedRegexError';
}

/** Repetitions that an open-ended quantifier adds to its minimum, at most. */
const openEnded = 10;
const maxDepth = 200;

/**
 * Reads an expression that the regex engine has accepted. Anchors and flags make nothing; Unicode classes and word
 * boundaries are refused, since a text for them cannot be made by looking at one part alone.
 */
export function parseRegexTree(pattern: string): RegexTree {
  const reader = new Reader(pattern);
  return reader.readAll();
}

class Reader {
  readonly #chars: readonly string[];
  #at = 0;
  #depth = 0;

  constructor(pattern: string) {
    this.#chars = Array.from(pattern);
  }

  readAll(): RegexTree {
    const tree = this.#choice();
    if (this.#at < this.#chars.length) throw new UnsupportedRegexError(`unexpected ${this.#peek()}`);
    return tree;
  }

  #peek(ahead = 0): string {
    return this.#chars[this.#at + ahead] ?? '';
  }

  #next(): string {
    const char = this.#peek();
    if (char === '') throw new UnsupportedRegexError('unexpected end of pattern');
    this.#at++;
    return char;
  }

  #take(text: string): boolean {
    for (const [index, char] of Array.from(text).entries()) if (this.#peek(index) !== char) return false;
    this.#at += text.length;
    return true;
  }

  #choice(): RegexTree {
    if (++this.#depth > maxDepth) throw new UnsupportedRegexError('groups nested too deep');
    const options = [this.#sequence()];
    while (this.#take('|')) options.push(this.#sequence());
    this.#depth--;
    return options.length === 1 ? options[0]! : {kind: 'choice', options};
  }

  #sequence(): RegexTree {
    const items: RegexTree[] = [];
    while (this.#at < this.#chars.length && this.#peek() !== '|' && this.#peek() !== ')') {
      const atom = this.#atom();
      if (atom) items.push(this.#repeated(atom));
    }
    return items.length === 1 ? items[0]! : {kind: 'sequence', items};
  }

  #repeated(item: RegexTree): RegexTree {
    const bounds = this.#quantifier();
    if (!bounds) return item;
    this.#take('?');
    return {kind: 'repeat', item, ...bounds};
  }

  #quantifier(): {min: number; max: number} | undefined {
    if (this.#take('*')) return {min: 0, max: openEnded};
    if (this.#take('+')) return {min: 1, max: 1 + openEnded};
    if (this.#take('?')) return {min: 0, max: 1};
    const match = /^\{(\d+)(?:(,)(\d*))?\}/.exec(this.#chars.slice(this.#at, this.#at + 16).join(''));
    if (!match) return undefined;
    this.#at += match[0].length;
    const min = Number(match[1]);
    if (match[2] === undefined) return {min, max: min};
    return {min, max: match[3] ? Number(match[3]) : min + openEnded};
  }

  /** `undefined` for what makes no text: anchors, flags. */
  #atom(): RegexTree | undefined {
    const char = this.#next();
    if (char === '^' || char === '$') return undefined;
    if (char === '.') return {kind: 'set', set: printable};
    if (char === '[') return {kind: 'set', set: this.#class()};
    if (char === '(') return this.#group();
    if (char === '\\') return this.#escape();
    return one(char);
  }

  #group(): RegexTree | undefined {
    if (this.#take('?')) {
      const head = /^(?:P?<\w+>|[imsU-]*:)/.exec(this.#chars.slice(this.#at, this.#at + 256).join(''))?.[0];
      if (head === undefined) return this.#flags();
      this.#at += head.length;
    }
    const inner = this.#choice();
    if (!this.#take(')')) throw new UnsupportedRegexError('missing )');
    return inner;
  }

  #flags(): undefined {
    while (this.#next() !== ')');
    return undefined;
  }

  #escape(): RegexTree | undefined {
    const char = this.#next();
    if (char === 'A' || char === 'z') return undefined;
    if (char === 'Q') return this.#quoted();
    const set = this.#escapedSet(char);
    return {kind: 'set', set};
  }

  #quoted(): RegexTree {
    const items: RegexTree[] = [];
    while (this.#at < this.#chars.length && !this.#take('\\E')) items.push(one(this.#next()));
    return {kind: 'sequence', items};
  }

  #escapedSet(char: string): CharSet {
    switch (char) {
      case 'd':
        return digits;
      case 'D':
        return complement(digits);
      case 'w':
        return wordCharacters;
      case 'W':
        return complement(wordCharacters);
      case 's':
        return blanks;
      case 'S':
        return complement(blanks);
      case 'p':
      case 'P':
      case 'b':
      case 'B':
      case 'C':
        throw new UnsupportedRegexError(`\\${char} cannot be generated`);
      default: {
        const code = this.#escapedCode(char);
        return [[code, code]];
      }
    }
  }

  #escapedCode(char: string): number {
    const controls = 'a\x07f\x0ct\x09n\x0ar\x0dv\x0b';
    const control = controls.indexOf(char);
    if (control >= 0 && control % 2 === 0) return controls.charCodeAt(control + 1);
    if (char === 'x') return this.#hex();
    if (/[0-7]/.test(char)) {
      let octal = char;
      while (octal.length < 3 && /[0-7]/.test(this.#peek())) octal += this.#next();
      return Number.parseInt(octal, 8);
    }
    return char.codePointAt(0)!;
  }

  #hex(): number {
    let hex = '';
    if (this.#take('{')) {
      while (!this.#take('}')) hex += this.#next();
    } else {
      hex = this.#next() + this.#next();
    }
    const code = Number.parseInt(hex, 16);
    if (!(code <= 0x10ffff)) throw new UnsupportedRegexError('code point out of range');
    return code;
  }

  /** After `[`. */
  #class(): CharSet {
    const negated = this.#take('^');
    const parts: CharSet[] = [];
    let first = true;
    while (first || this.#peek() !== ']') {
      first = false;
      parts.push(this.#classPart());
    }
    this.#next();
    const set = negated ? complement(union(parts)) : union(parts);
    if (set.length === 0) throw new UnsupportedRegexError('character class without characters');
    return set;
  }

  #classPart(): CharSet {
    const posix = /^\[:(\^?)(\w+):\]/.exec(this.#chars.slice(this.#at, this.#at + 16).join(''));
    const named = posix ? namedClasses.get(posix[2]!) : undefined;
    if (posix && named) {
      this.#at += posix[0].length;
      return posix[1] ? complement(named) : named;
    }
    const char = this.#next();
    const low = char === '\\' ? this.#escapedSet(this.#next()) : single(char);
    const [range] = low;
    const isSingle = low.length === 1 && range![0] === range![1];
    if (!isSingle || this.#peek() !== '-' || this.#peek(1) === ']') return low;
    this.#next();
    const end = this.#next();
    const high = end === '\\' ? this.#escapedSet(this.#next()) : single(end);
    return [[range![0], high[0]![1]]];
  }
}

function single(char: string): CharSet {
  const code = char.codePointAt(0)!;
  return [[code, code]];
}

function one(char: string): RegexTree {
  return {kind: 'set', set: single(char)};
}
