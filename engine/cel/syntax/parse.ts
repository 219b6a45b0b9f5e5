import type {CelIssue} from '../errors.js';
import type {Expr} from './ast.js';
import {tokenize} from './lexer.js';
import {limits} from './limits.js';
import {Parser} from './parser.js';
import {codePoints} from './position.js';
import {Reader} from './reader.js';

export interface ParseOptions {
  /** `all(i, v, …)`, `transformList` and the like are macros. */
  readonly twoVariableMacros: boolean;
}

export type Parsed =
  | {readonly expr: Expr; readonly issues?: undefined}
  /** By place, at least one. */
  | {readonly expr?: undefined; readonly issues: readonly CelIssue[]};

/** Reads an expression; what is wrong with it is told, never thrown, however deep or long the text. */
export function parse(source: string, options: ParseOptions): Parsed {
  // Code points are never more than code units, and never fewer than half of them.
  if (source.length > limits.size) {
    const size = codePoints(source);
    if (size > limits.size) {
      return {
        issues: [{message: `expression code point size exceeds limit: size: ${size}, limit ${limits.size}`, at: 0}],
      };
    }
  }
  const {tokens, issues} = tokenize(source);
  const reader = new Reader(source, tokens);
  const expr = new Parser(reader, options).run();
  const all = [...issues, ...reader.issues];
  if (all.length === 0 && expr !== undefined) return {expr};
  return {issues: all.sort((a, b) => a.at - b.at).slice(0, limits.issues)};
}
