/** Kinds of tokens. Plain numbers, since the lexer writes and the parser compares one per token. */
export const EOF = 0;
export const IDENT = 1;
export const QUOTED_IDENT = 2;
export const INT = 3;
export const UINT = 4;
export const DOUBLE = 5;
export const STRING = 6;
export const BYTES = 7;
export const TRUE = 8;
export const FALSE = 9;
export const NULL = 10;
export const IN = 11;
export const LBRACKET = 12;
export const RBRACKET = 13;
export const LBRACE = 14;
export const RBRACE = 15;
export const LPAREN = 16;
export const RPAREN = 17;
export const DOT = 18;
export const COMMA = 19;
export const COLON = 20;
export const QUESTION = 21;
export const PLUS = 22;
export const MINUS = 23;
export const STAR = 24;
export const SLASH = 25;
export const PERCENT = 26;
export const NOT = 27;
export const EQUALS = 28;
export const NOT_EQUALS = 29;
export const LESS = 30;
export const LESS_EQUALS = 31;
export const GREATER = 32;
export const GREATER_EQUALS = 33;
export const AND = 34;
export const OR = 35;

/** Tokens by index, the last one is `EOF`. Offsets are UTF-16, ends exclusive. */
export interface Tokens {
  readonly kinds: readonly number[];
  readonly starts: readonly number[];
  readonly ends: readonly number[];
}

/** Words that are names of fields and receiver functions only. */
export const reservedWords: ReadonlySet<string> = new Set(
  'as break const continue else false for function if import in let loop package namespace null return true var void while'.split(
    ' ',
  ),
);

const operand = "'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}";

/** Sets of tokens that may follow, in the grammar's order, as cel-go prints them. */
export const expecting = {
  operand: `{'[', '{', '(', '.', '-', '!', ${operand}`,
  listItem: `{'[', ']', '{', '(', '.', ',', '-', '!', '?', ${operand}`,
  mapEntry: `{'[', '{', '}', '(', '.', ',', '-', '!', '?', ${operand}`,
  argument: `{'[', '{', '(', ')', '.', '-', '!', ${operand}`,
  field: "{'}', ',', '?', IDENTIFIER, ESC_IDENTIFIER}",
  fieldName: '{IDENTIFIER, ESC_IDENTIFIER}',
  listEnd: "{']', ','}",
  mapEnd: "{'}', ','}",
  argumentsEnd: "{')', ','}",
  end: '<EOF>',
} as const;
