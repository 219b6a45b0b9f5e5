import {syntaxError} from './errors.js';

export type TokenKind =
  | 'identifier'
  | 'quoted'
  | 'raw'
  | 'literal'
  | 'number'
  | 'end'
  | '.'
  | '*'
  | ','
  | ':'
  | '{'
  | '}'
  | '('
  | ')'
  | '['
  | ']'
  | '[]'
  | '[?'
  | '@'
  | '&'
  | '&&'
  | '|'
  | '||'
  | '!'
  | '=='
  | '!='
  | '<'
  | '<='
  | '>'
  | '>=';

export interface Token {
  readonly kind: TokenKind;
  /** Decoded: of `"a\\"b"` the characters, of a literal its JSON text. */
  readonly text: string;
  readonly position: number;
}

const symbols: readonly TokenKind[] = ['[?', '[]', '&&', '||', '==', '!=', '<=', '>='];
const single = new Set<string>(['.', '*', ',', ':', '{', '}', '(', ')', '[', ']', '@', '&', '|', '!', '<', '>']);
const blank = /[ \t\r\n]+/y;
const identifier = /[A-Za-z_][A-Za-z0-9_]*/y;
const number = /-?[0-9]+/y;
const quoted = /"((?:[^"\\]|\\.)*)"/sy;
const literal = /`((?:[^`\\]|\\.)*)`/sy;

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text) ?? undefined;
}

/** Splits a query into tokens; the last one is `end`. Throws `CompileError` (`jmespath-syntax`). */
export function tokenize(expression: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  while (at < expression.length) {
    const space = matchAt(blank, expression, at);
    if (space) {
      at += space[0].length;
      continue;
    }
    const {token, length} = readToken(expression, at);
    tokens.push(token);
    at += length;
  }
  tokens.push({kind: 'end', text: '', position: expression.length});
  return tokens;
}

function readToken(expression: string, position: number): {token: Token; length: number} {
  const name = matchAt(identifier, expression, position);
  if (name) return {token: {kind: 'identifier', text: name[0], position}, length: name[0].length};
  const digits = matchAt(number, expression, position);
  if (digits) return {token: {kind: 'number', text: digits[0], position}, length: digits[0].length};
  const char = expression.charAt(position);
  if (char === '"') return readQuoted(expression, position);
  if (char === "'") return readRaw(expression, position);
  if (char === '`') return readLiteral(expression, position);
  for (const symbol of symbols) {
    if (expression.startsWith(symbol, position)) return {token: {kind: symbol, text: symbol, position}, length: 2};
  }
  if (single.has(char)) return {token: {kind: char as TokenKind, text: char, position}, length: 1};
  const code = expression.codePointAt(position)!;
  const hex = code.toString(16).toUpperCase().padStart(4, '0');
  throw syntaxError(expression, position, `Unknown char: U+${hex} '${String.fromCodePoint(code)}'`);
}

function readQuoted(expression: string, position: number): {token: Token; length: number} {
  const match = matchAt(quoted, expression, position);
  if (!match) throw syntaxError(expression, position, 'Unclosed delimiter: "');
  try {
    const text = JSON.parse(match[0]) as string;
    return {token: {kind: 'quoted', text, position}, length: match[0].length};
  } catch {
    throw syntaxError(expression, position, 'Invalid escape or control character in quoted identifier');
  }
}

/** Raw strings know one escape, `\'`; every other backslash is a character. */
function readRaw(expression: string, position: number): {token: Token; length: number} {
  let at = position + 1;
  let text = '';
  for (;;) {
    const end = expression.indexOf("'", at);
    if (end < 0) throw syntaxError(expression, position, "Unclosed delimiter: '");
    if (expression[end - 1] !== '\\' || end === at) {
      text += expression.slice(at, end);
      return {token: {kind: 'raw', text, position}, length: end + 1 - position};
    }
    text += `${expression.slice(at, end - 1)}'`;
    at = end + 1;
  }
}

function readLiteral(expression: string, position: number): {token: Token; length: number} {
  const match = matchAt(literal, expression, position);
  if (!match) throw syntaxError(expression, position, 'Unclosed delimiter: `');
  const text = match[1]!.replaceAll('\\`', '`');
  return {token: {kind: 'literal', text, position}, length: match[0].length};
}
