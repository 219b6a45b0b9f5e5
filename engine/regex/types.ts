/** RE2 semantics, linear time. Implemented by `adapters/regex`; the engine only knows this interface. */
export interface RegexEngine {
  /** Throws `EvalError` with RE2's text (`error parsing regexp: …`) when the pattern is not valid. Cached by the implementation. */
  compile(pattern: string): CompiledRegex;
}

export interface CompiledRegex {
  /** Number of capturing groups, the whole match not counted. */
  readonly groupCount: number;
  /** Unanchored. */
  test(text: string): boolean;
  /** The leftmost match, with its groups. */
  find(text: string): RegexMatch | undefined;
  /** All matches that do not overlap, from left to right; no empty one right behind another. */
  findAll(text: string, options?: FindAllOptions): RegexMatch[];
  /** Text of `find`: of the whole match alone, so cheaper. */
  findText(text: string): string | undefined;
  /** Texts of `findAll`. */
  findAllTexts(text: string, options?: FindAllOptions): string[];
  /** Replaces every match; `$1`, `${name}` expand as in Go. */
  replaceAll(text: string, replacement: string): string;
  /** Replaces every match by the text as it is. */
  replaceAllLiteral(text: string, replacement: string): string;
}

export interface FindAllOptions {
  /** Most matches wanted. */
  readonly limit?: number;
  /**
   * Told of each search for a next match how much of the text it may have to walk: a pattern that looks far ahead before
   * it settles for a short match takes quadratic work in all. Throws to end it.
   */
  readonly onSearch?: (length: number) => void;
}

/** Positions are UTF-16 offsets. */
export interface RegexMatch {
  readonly start: number;
  readonly end: number;
  /** The whole match, then each group; `undefined` for a group that took no part. */
  readonly groups: ReadonlyArray<string | undefined>;
}
