/** A glob that is not closed, with what is wrong. */
export class GlobError extends Error {
  override readonly name = 'GlobError';
}

const special = /[\\^$.*+?()[\]{}|]/;

/**
 * The globs of image references as an RE2 pattern for the whole text. `*` and `**` are any run, slashes in it or not; `?`
 * is one character, `[abc]`, `[a-z]` and `[!a]` one of a class, `{a,b}` one of several; a backslash takes a character as it
 * is. Throws GlobError.
 */
export function globPattern(glob: string): string {
  const reader = new GlobReader([...glob]);
  return `^(?s:${reader.sequence(false)})$`;
}

class GlobReader {
  readonly #characters: readonly string[];
  #at = 0;

  constructor(characters: readonly string[]) {
    this.#characters = characters;
  }

  sequence(inBraces: boolean): string {
    let pattern = '';
    while (this.#at < this.#characters.length) {
      const character = this.#characters[this.#at]!;
      if (inBraces && (character === ',' || character === '}')) return pattern;
      this.#at += 1;
      pattern += this.#part(character);
    }
    if (inBraces) throw new GlobError('a { is not closed');
    return pattern;
  }

  #part(character: string): string {
    switch (character) {
      case '*':
        while (this.#characters[this.#at] === '*') this.#at += 1;
        return '.*';
      case '?':
        return '.';
      case '[':
        return this.#class();
      case '{':
        return this.#choice();
      case '\\':
        return literal(this.#next('a backslash stands at the end'));
      default:
        return literal(character);
    }
  }

  #choice(): string {
    const choices: string[] = [];
    do choices.push(this.sequence(true));
    while (this.#next('a { is not closed') === ',');
    return `(?:${choices.join('|')})`;
  }

  #class(): string {
    const unclosed = 'a [ is not closed';
    const isNegated = this.#characters[this.#at] === '!';
    if (isNegated) this.#at += 1;
    let members = '';
    for (;;) {
      const character = this.#next(unclosed);
      if (character === ']') break;
      members += character === '-' ? '-' : inClass(character === '\\' ? this.#next(unclosed) : character);
    }
    if (members === '') throw new GlobError('a [] holds nothing');
    return `[${isNegated ? '^' : ''}${members}]`;
  }

  #next(missing: string): string {
    const character = this.#characters[this.#at];
    if (character === undefined) throw new GlobError(missing);
    this.#at += 1;
    return character;
  }
}

function literal(character: string): string {
  return special.test(character) ? `\\${character}` : character;
}

function inClass(character: string): string {
  return /[\\^\]&[~-]/.test(character) ? `\\${character}` : character;
}
