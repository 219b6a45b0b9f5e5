import type {CelIssue} from '../errors.js';
import {hintForToken} from './hints.js';
import {issueOf} from './issue.js';
import {limits} from './limits.js';
import * as T from './tokens.js';

/** Ends the parse; its issue is reported already. */
export const stop = Symbol('stop');

/** A place in the tokens, what was wrong up to it, and the height of the node made last (so that trees stay walkable). */
export class Reader {
  readonly issues: CelIssue[] = [];
  /** Kind of the token at hand. */
  kind: number;
  /** Levels of the node made last. */
  height = 0;
  /** Brackets open around the place. */
  open = 0;
  private index = 0;
  private nesting = 0;

  constructor(
    readonly source: string,
    private readonly tokens: T.Tokens,
  ) {
    this.kind = tokens.kinds[0]!;
  }

  /** Adds an issue that does not keep the text from being read on. */
  fault(message: string, at: number, hint?: string): void {
    if (this.issues.length < limits.issues) this.issues.push(issueOf(message, at, hint));
  }

  stop(message: string, at: number, hint?: string): never {
    this.fault(message, at, hint);
    throw stop;
  }

  get at(): number {
    return this.tokens.starts[this.index]!;
  }

  advance(): void {
    if (this.index < this.tokens.kinds.length - 1) this.index++;
    this.kind = this.tokens.kinds[this.index]!;
  }

  /** Kind of a token further on; 0 (`EOF`) behind the end. */
  ahead(by: number): number {
    return this.tokens.kinds[this.index + by] ?? T.EOF;
  }

  text(by = 0): string {
    const index = this.index + by;
    return this.ahead(by) === T.EOF ? '<EOF>' : this.source.slice(this.tokens.starts[index], this.tokens.ends[index]);
  }

  /** The token does not fit. Where the next one does (`skip`), it is left out; else nothing more can be read. */
  unexpected(expected: string, skip: boolean, meant?: string): void {
    const hint = meant ?? this.hint();
    const message = `Syntax error: ${skip ? 'extraneous' : 'mismatched'} input '${this.text()}' expecting ${expected}`;
    if (!skip) this.stop(message, this.at, hint);
    this.fault(message, this.at, hint);
    this.advance();
  }

  private hint(): string | undefined {
    return this.kind === T.EOF ? undefined : hintForToken({text: this.text(), source: this.source, at: this.at});
  }

  /** No rule of the grammar goes on with the token at hand after `before`. */
  noAlternative(before: string, hint?: string): never {
    const text = this.kind === T.EOF ? '' : this.text();
    return this.stop(`Syntax error: no viable alternative at input '${before}${text}'`, this.at, hint);
  }

  /** A node over nodes of this height was made. */
  grow(height: number): void {
    this.height = height + 1;
    if (this.height > limits.depth) this.stop(`max recursion depth exceeded: ${limits.depth}`, this.at);
  }

  enter(): void {
    if (++this.nesting > limits.depth) this.stop(`expression recursion limit exceeded: ${limits.depth}`, this.at);
  }

  leave(): void {
    this.nesting--;
  }

  /** Reads the opening bracket. */
  begin(): void {
    this.open++;
    this.advance();
  }

  /** Reads the closing bracket. */
  close(kind: number, expected: string): void {
    if (this.kind !== kind) this.unexpected(expected, this.ahead(1) === kind);
    this.advance();
    this.open--;
  }

  /** Reads the colon; `hint`: what may have been meant where there is none. */
  colon(hint?: string): void {
    if (this.kind !== T.COLON && startsOperand(this.kind)) {
      this.fault(`Syntax error: missing ':' at '${this.text()}'`, this.at);
      return;
    }
    if (this.kind !== T.COLON) this.unexpected("':'", this.ahead(1) === T.COLON, hint);
    this.advance();
  }

  /** A plain or backquoted name; `undefined` (and nothing read) for anything else. */
  fieldName(): string | undefined {
    if (this.kind !== T.IDENT && this.kind !== T.QUOTED_IDENT) return undefined;
    const text = this.text();
    const name = this.kind === T.IDENT ? text : text.slice(1, -1);
    this.advance();
    return name;
  }

  /** The token at hand must be able to begin an operand. */
  operandAhead(expected: string, closing?: number): void {
    if (startsOperand(this.kind)) return;
    const next = this.ahead(1);
    this.unexpected(expected, startsOperand(next) || (closing !== undefined && next === closing));
  }
}

/** Tokens that begin a member: everything an operand may be, but for its unary operators. */
export function startsMember(kind: number): boolean {
  switch (kind) {
    case T.IDENT:
    case T.INT:
    case T.UINT:
    case T.DOUBLE:
    case T.STRING:
    case T.BYTES:
    case T.TRUE:
    case T.FALSE:
    case T.NULL:
    case T.LPAREN:
    case T.LBRACKET:
    case T.LBRACE:
    case T.DOT:
      return true;
    default:
      return false;
  }
}

export const startsOperand = (kind: number): boolean => kind === T.NOT || kind === T.MINUS || startsMember(kind);
