/** RE2 semantics, linear time. Implemented by `adapters/regex`; the engine only knows this interface. */
export interface RegexEngine {
  /** Throws `EvalError` with RE2's text (`error parsing regexp: …`) when the pattern is not valid. Cached by the implementation. */
  compile(pattern: string): CompiledRegex;
}

export interface CompiledRegex {
  /** Unanchored. */
  test(text: string): boolean;
  /** Replaces every match; `$1`, `${name}` expand as in Go. */
  replaceAll(text: string, replacement: string): string;
  /** Replaces every match by the text as it is. */
  replaceAllLiteral(text: string, replacement: string): string;
}
