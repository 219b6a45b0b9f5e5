import {type Grammar, list, map, message} from './aggregates.js';
import type {Expr} from './ast.js';
import {balance} from './balance.js';
import {constant, number} from './constants.js';
import {fieldHint, nestedUnary} from './hints.js';
import {limits} from './limits.js';
import {expandGlobal, expandReceiver} from './macros.js';
import {binaryOperators, operators, precedences} from './operators.js';
import type {ParseOptions} from './parse.js';
import {qualifiedName} from './qualified-name.js';
import {type Reader, startsMember, stop} from './reader.js';
import * as T from './tokens.js';

/** Recursive descent with operator precedence over the tokens of a reader. */
export class Parser implements Grammar {
  /** Whether the node read last is a name, which `{` may follow. */
  private named = false;

  constructor(
    readonly reader: Reader,
    readonly options: ParseOptions,
  ) {}

  /** `undefined` where the issues of the reader made it give up. */
  run(): Expr | undefined {
    const {reader} = this;
    try {
      reader.operandAhead(T.expecting.operand);
      const expr = this.expression();
      if (reader.kind !== T.EOF) reader.unexpected(T.expecting.end, reader.ahead(1) === T.EOF);
      return expr;
    } catch (thrown) {
      if (thrown === stop) return undefined;
      throw thrown;
    }
  }

  expression(): Expr {
    const {reader} = this;
    reader.enter();
    let expr = this.or();
    if (reader.kind === T.QUESTION) {
      const at = reader.at;
      let height = reader.height;
      const hint =
        reader.ahead(1) === T.DOT && reader.source[at + 1] === '.' ? 'an optional field is written a.?b' : undefined;
      reader.advance();
      const then = this.or();
      height = Math.max(height, reader.height);
      reader.colon(hint);
      const otherwise = this.expression();
      reader.grow(Math.max(height, reader.height));
      expr = {kind: 'call', name: operators.conditional, target: undefined, args: [expr, then, otherwise], at};
    }
    reader.leave();
    return expr;
  }

  private or(): Expr {
    const first = this.and();
    return this.reader.kind === T.OR ? this.chain(first, T.OR) : first;
  }

  private and(): Expr {
    const first = this.binary(precedences.relation);
    return this.reader.kind === T.AND ? this.chain(first, T.AND) : first;
  }

  /** Chains of `||` and `&&` become balanced trees: long ones stay shallow, and the order is kept. */
  private chain(first: Expr, kind: typeof T.OR | typeof T.AND): Expr {
    const {reader} = this;
    const terms = [first];
    const places: number[] = [];
    let height = reader.height;
    while (reader.kind === kind) {
      places.push(reader.at);
      reader.advance();
      terms.push(kind === T.OR ? this.and() : this.binary(precedences.relation));
      height = Math.max(height, reader.height);
    }
    reader.grow(height + Math.ceil(Math.log2(terms.length)) - 1);
    return balance({name: kind === T.OR ? operators.or : operators.and, terms, places});
  }

  private binary(least: number): Expr {
    const {reader} = this;
    let left = this.unary();
    for (;;) {
      const operator = binaryOperators[reader.kind];
      if (operator === undefined || operator.precedence < least) return left;
      const at = reader.at;
      const height = reader.height;
      reader.advance();
      const right = this.binary(operator.precedence + 1);
      reader.grow(Math.max(height, reader.height));
      left = {kind: 'call', name: operator.name, target: undefined, args: [left, right], at};
    }
  }

  private unary(): Expr {
    const {reader} = this;
    if (reader.kind === T.NOT) return this.not();
    return reader.kind === T.MINUS ? this.negate() : this.member();
  }

  private not(): Expr {
    const {reader} = this;
    const at = reader.at;
    const odd = this.skipRun(T.NOT);
    const operand = reader.kind === T.MINUS ? this.negativeNumber('!') : this.member();
    // `!!x` is x, without a look at its type, as in cel-go.
    if (!odd) return operand;
    reader.grow(reader.height);
    return {kind: 'call', name: operators.not, target: undefined, args: [operand], at};
  }

  private negate(): Expr {
    const {reader} = this;
    const next = reader.ahead(1);
    if (next === T.INT || next === T.DOUBLE) return this.negativeNumber('');
    const at = reader.at;
    const odd = this.skipRun(T.MINUS);
    if (!startsMember(reader.kind)) reader.noAlternative('-', nestedUnary(reader.kind));
    const operand = this.member();
    if (!odd) return operand;
    reader.grow(reader.height);
    return {kind: 'call', name: operators.negate, target: undefined, args: [operand], at};
  }

  /** Reads the operator as often as it stands there; whether that is an odd number of times. */
  private skipRun(kind: number): boolean {
    let odd = false;
    for (; this.reader.kind === kind; this.reader.advance()) odd = !odd;
    return odd;
  }

  /** The sign belongs to the literal: `-9223372036854775808` is an int, `-1.abs()` is called on -1. */
  private negativeNumber(before: string): Expr {
    const {reader} = this;
    const at = reader.at;
    reader.advance();
    if (reader.kind !== T.INT && reader.kind !== T.DOUBLE) reader.noAlternative(`${before}-`, nestedUnary(T.MINUS));
    reader.height = 1;
    return this.postfix(number(reader, at, true), false);
  }

  private member(): Expr {
    this.named = false;
    const primary = this.primary();
    return this.postfix(primary, this.named && primary.kind === 'ident');
  }

  private postfix(primary: Expr, named: boolean): Expr {
    const {reader} = this;
    let expr = primary;
    let name = named;
    for (;;) {
      if (reader.kind === T.DOT) {
        const plain = reader.ahead(1) === T.IDENT;
        const called = plain && reader.ahead(2) === T.LPAREN;
        expr = called ? this.receiverCall(expr) : this.selection(expr);
        name &&= plain && !called;
      } else if (reader.kind === T.LBRACKET) {
        expr = this.subscript(expr);
        name = false;
      } else if (reader.kind === T.LBRACE && name) {
        expr = message(this, qualifiedName(expr)!);
        name = false;
      } else {
        return expr;
      }
    }
  }

  private selection(operand: Expr): Expr {
    const {reader} = this;
    const at = reader.at;
    reader.advance();
    const optional = reader.kind === T.QUESTION;
    if (optional) reader.advance();
    const field = reader.fieldName();
    if (field === undefined) {
      return reader.noAlternative(optional ? '.?' : '.', fieldHint(reader.kind, reader.text()));
    }
    reader.grow(reader.height);
    return {kind: 'select', operand, field, test: false, optional, at};
  }

  private receiverCall(target: Expr): Expr {
    const {reader} = this;
    reader.advance();
    const name = reader.text();
    reader.advance();
    const at = reader.at;
    const height = reader.height;
    const args = this.callArguments();
    reader.grow(Math.max(height, reader.height));
    return expandReceiver({name, target, args, at}, this) ?? {kind: 'call', name, target, args, at};
  }

  /** From `(` to `)`; afterwards the reader's height is the highest argument's. */
  private callArguments(): Expr[] {
    const {reader} = this;
    const args: Expr[] = [];
    let height = 0;
    reader.begin();
    if (reader.kind !== T.RPAREN) {
      reader.operandAhead(T.expecting.argument, T.RPAREN);
      while (reader.kind !== T.RPAREN) {
        args.push(this.expression());
        height = Math.max(height, reader.height);
        if (args.length > limits.arguments) reader.stop(`too many arguments: limit ${limits.arguments}`, reader.at);
        if (reader.kind !== T.COMMA) break;
        reader.advance();
        reader.operandAhead(T.expecting.operand);
      }
    }
    reader.close(T.RPAREN, T.expecting.argumentsEnd);
    reader.height = height;
    return args;
  }

  private subscript(operand: Expr): Expr {
    const {reader} = this;
    const at = reader.at;
    const height = reader.height;
    reader.begin();
    const optional = reader.kind === T.QUESTION;
    if (optional) reader.advance();
    const index = this.expression();
    reader.close(T.RBRACKET, "']'");
    reader.grow(Math.max(height, reader.height));
    const name = optional ? operators.optionalIndex : operators.index;
    return {kind: 'call', name, target: undefined, args: [operand, index], at};
  }

  private primary(): Expr {
    const {reader} = this;
    reader.operandAhead(T.expecting.operand);
    const at = reader.at;
    reader.height = 1;
    switch (reader.kind) {
      case T.IDENT:
        return this.name('', at);
      case T.DOT:
        return this.rooted(at);
      case T.LPAREN:
        return this.parenthesised();
      case T.LBRACKET:
        return list(this);
      case T.LBRACE:
        return map(this);
      // Behind a token that was left out.
      case T.NOT:
      case T.MINUS:
        return this.unary();
      default:
        return constant(reader);
    }
  }

  /** `.name`: no name that a macro binds. */
  private rooted(at: number): Expr {
    const {reader} = this;
    reader.advance();
    return reader.kind === T.IDENT ? this.name('.', at) : reader.noAlternative('.');
  }

  private parenthesised(): Expr {
    const {reader} = this;
    reader.begin();
    const expr = this.expression();
    if (reader.kind === T.EOF && reader.open === 1) reader.stop("Syntax error: missing ')' at '<EOF>'", reader.at);
    reader.close(T.RPAREN, "')'");
    this.named = false;
    return expr;
  }

  private name(dot: string, at: number): Expr {
    const {reader} = this;
    const name = reader.text();
    if (T.reservedWords.has(name)) reader.fault(`reserved identifier: ${name}`, reader.at);
    reader.advance();
    if (reader.kind !== T.LPAREN) {
      this.named = true;
      return {kind: 'ident', name: dot + name, at};
    }
    const place = reader.at;
    const args = this.callArguments();
    reader.grow(reader.height);
    this.named = false;
    const call = {name: dot + name, args, at: place};
    return expandGlobal(call, this) ?? {kind: 'call', target: undefined, ...call};
  }
}
