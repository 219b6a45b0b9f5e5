/** Splits an RFC 6901 pointer that starts with `/` into unescaped tokens. */
export function pointerTokens(pointer: string): string[] {
  return pointer
    .slice(1)
    .split('/')
    .map(token => (token.includes('~') ? token.replaceAll('~1', '/').replaceAll('~0', '~') : token));
}

/** One token of an RFC 6901 pointer, escaped. */
export function escapeToken(token: string): string {
  return token.includes('~') || token.includes('/') ? token.replaceAll('~', '~0').replaceAll('/', '~1') : token;
}
