import {parseJson} from '../json/parse.js';
import type {Json} from '../json/types.js';
import type {Ast, ComparatorOperator} from './ast.js';
import {syntaxError} from './errors.js';
import {type Token, type TokenKind, tokenize} from './lexer.js';

/** Longer texts are no queries; real ones stay below a few kilobytes, embedded certificates included. */
export const maxExpressionLength = 65_536;
/** Levels of nesting, brackets and chains alike: far above real queries, far below the stack. */
export const maxExpressionDepth = 400;

const bindingPowers: ReadonlyMap<TokenKind, number> = new Map([
  ['|', 1],
  ['||', 2],
  ['&&', 3],
  ['==', 5],
  ['!=', 5],
  ['<', 5],
  ['<=', 5],
  ['>', 5],
  ['>=', 5],
  ['[]', 9],
  ['*', 20],
  ['[?', 21],
  ['.', 40],
  ['!', 45],
  ['{', 50],
  ['[', 55],
  ['(', 60],
]);
/** Operators weaker than this end a projection: what follows sees the whole list. */
const projectionStop = 10;

/** Parses a query. Throws `CompileError` (`jmespath-syntax`) with a caret under the place. */
export function parseQuery(expression: string): Ast {
  if (expression.length > maxExpressionLength) {
    throw syntaxError('', 0, `Expression is longer than ${maxExpressionLength} characters`);
  }
  return new Parser(expression).parse();
}

type Shape<T> = T extends unknown ? Omit<T, 'depth' | 'position'> : never;

class Parser {
  readonly #expression: string;
  readonly #tokens: readonly Token[];
  #at = 0;
  #level = 0;

  constructor(expression: string) {
    this.#expression = expression;
    this.#tokens = tokenize(expression);
  }

  parse(): Ast {
    const node = this.#parseExpression(0);
    if (this.#kind() !== 'end') throw this.#fault(`Unexpected token at the end of the expression: ${this.#kind()}`);
    return node;
  }

  get #token(): Token {
    return this.#tokens[this.#at]!;
  }

  #kind(): TokenKind {
    return this.#token.kind;
  }

  #lookahead(): TokenKind {
    return this.#tokens[this.#at + 1]?.kind ?? 'end';
  }

  #advance(): Token {
    const token = this.#token;
    if (token.kind !== 'end') this.#at++;
    return token;
  }

  #match(kind: TokenKind): Token {
    if (this.#kind() !== kind) throw this.#fault(`Expected ${kind}, received: ${this.#kind()}`);
    return this.#advance();
  }

  /** Between arguments and between pairs of a map the field's policies leave commas out, and upstream lets them. */
  #optionalComma(): void {
    if (this.#kind() === ',') this.#advance();
  }

  #fault(message: string, token: Token = this.#token): Error {
    return syntaxError(this.#expression, token.position, message);
  }

  #node(shape: Shape<Ast>, position: number, ...children: readonly Ast[]): Ast {
    let depth = 1;
    for (const child of children) depth = Math.max(depth, child.depth + 1);
    if (depth > maxExpressionDepth) throw this.#tooDeep();
    return {...shape, depth, position} as Ast;
  }

  #tooDeep(): Error {
    return this.#fault(`Expression is nested deeper than ${maxExpressionDepth} levels`);
  }

  #current(position: number): Ast {
    return this.#node({kind: 'current'}, position);
  }

  #parseExpression(bindingPower: number): Ast {
    if (++this.#level > maxExpressionDepth) throw this.#tooDeep();
    let left = this.#prefix(this.#advance());
    while (bindingPower < (bindingPowers.get(this.#kind()) ?? 0)) left = this.#infix(this.#advance(), left);
    this.#level--;
    return left;
  }

  /** A token that starts an expression. */
  #prefix(token: Token): Ast {
    const {kind, position, text} = token;
    switch (kind) {
      case 'literal':
        return this.#node({kind: 'literal', value: this.#json(token)}, position);
      case 'raw':
        return this.#node({kind: 'literal', value: text}, position);
      case 'identifier':
        return this.#node({kind: 'field', name: text}, position);
      case 'quoted':
        if (this.#kind() === '(') throw this.#fault("Can't have quoted identifier as function name.", token);
        return this.#node({kind: 'field', name: text}, position);
      case '*':
        return this.#values(this.#current(position), position, this.#kind() === ']');
      case '[?':
        return this.#filter(this.#current(position), position);
      case '{':
        return this.#hash(position);
      case '[]':
        return this.#flatten(this.#current(position), position);
      case '[':
        if (this.#kind() === 'number' || this.#kind() === ':') return this.#index(this.#current(position), position);
        if (this.#kind() === '*' && this.#lookahead() === ']') return this.#star(this.#current(position), position);
        return this.#list(position);
      case '@':
        return this.#current(position);
      case '&': {
        const operand = this.#parseExpression(0);
        return this.#node({kind: 'reference', operand}, position, operand);
      }
      case '!': {
        const operand = this.#parseExpression(bindingPowers.get('!')!);
        return this.#node({kind: 'not', operand}, position, operand);
      }
      case '(': {
        const inner = this.#parseExpression(0);
        this.#match(')');
        return inner;
      }
      case 'end':
        throw this.#fault('Incomplete expression', token);
      default:
        throw this.#fault(`Invalid token: ${kind}`, token);
    }
  }

  /** A token that continues the expression `left`. */
  #infix(token: Token, left: Ast): Ast {
    const {kind, position} = token;
    switch (kind) {
      case '.': {
        if (this.#kind() === '*') {
          this.#advance();
          return this.#values(left, position, false);
        }
        const right = this.#dotRight(bindingPowers.get('.')!);
        return this.#node({kind: 'sub', left, right}, position, left, right);
      }
      case '|':
        return this.#binary('pipe', left, position, 1);
      case '||':
        return this.#binary('or', left, position, 2);
      case '&&':
        return this.#binary('and', left, position, 3);
      case '(':
        return this.#call(left, token);
      case '[?':
        return this.#filter(left, position);
      case '[]':
        return this.#flatten(left, position);
      case '==':
      case '!=':
      case '<':
      case '<=':
      case '>':
      case '>=':
        return this.#compare(kind, left, position);
      case '[':
        if (this.#kind() === 'number' || this.#kind() === ':') return this.#index(left, position);
        return this.#star(left, position);
      default:
        throw this.#fault(`Unexpected token: ${kind}`, token);
    }
  }

  #json(token: Token): Json {
    try {
      return parseJson(token.text);
    } catch (error) {
      throw this.#fault(`Invalid JSON literal: ${error instanceof Error ? error.message : ''}`, token);
    }
  }

  #binary(kind: 'pipe' | 'or' | 'and', left: Ast, position: number, bindingPower: number): Ast {
    const right = this.#parseExpression(bindingPower);
    return this.#node({kind, left, right}, position, left, right);
  }

  #compare(operator: ComparatorOperator, left: Ast, position: number): Ast {
    const right = this.#parseExpression(bindingPowers.get(operator)!);
    return this.#node({kind: 'compare', operator, left, right}, position, left, right);
  }

  #call(callee: Ast, open: Token): Ast {
    const name = this.#tokens[this.#at - 2];
    if (callee.kind !== 'field' || name?.kind !== 'identifier') {
      throw this.#fault('Only a name can be called as a function', open);
    }
    const args: Ast[] = [];
    while (this.#kind() !== ')') {
      args.push(this.#parseExpression(0));
      this.#optionalComma();
    }
    this.#match(')');
    return this.#node({kind: 'call', name: callee.name, args}, callee.position, ...args);
  }

  #values(source: Ast, position: number, bare: boolean): Ast {
    const item = bare ? this.#current(position) : this.#projectionRight(bindingPowers.get('*')!);
    return this.#node({kind: 'values', source, item}, position, source, item);
  }

  #star(source: Ast, position: number): Ast {
    this.#match('*');
    this.#match(']');
    const item = this.#projectionRight(bindingPowers.get('*')!);
    return this.#node({kind: 'project', source, item}, position, source, item);
  }

  #flatten(inner: Ast, position: number): Ast {
    const source = this.#node({kind: 'flatten', source: inner}, position, inner);
    const item = this.#projectionRight(bindingPowers.get('[]')!);
    return this.#node({kind: 'project', source, item}, position, source, item);
  }

  #filter(source: Ast, position: number): Ast {
    const condition = this.#parseExpression(0);
    this.#match(']');
    const item = this.#kind() === '[]' ? this.#current(position) : this.#projectionRight(bindingPowers.get('[?')!);
    return this.#node({kind: 'filter', source, condition, item}, position, source, condition, item);
  }

  /** After `[` where an index or a slice stands. */
  #index(source: Ast, position: number): Ast {
    if (this.#kind() !== ':' && this.#lookahead() !== ':') {
      const index = this.#integer();
      this.#match(']');
      const right = this.#node({kind: 'index', index}, position);
      return this.#node({kind: 'sub', left: source, right}, position, source, right);
    }
    const slice = this.#slice(position);
    const sliced = this.#node({kind: 'sub', left: source, right: slice}, position, source, slice);
    const item = this.#projectionRight(bindingPowers.get('*')!);
    return this.#node({kind: 'project', source: sliced, item}, position, sliced, item);
  }

  #slice(position: number): Ast {
    const parts: (number | undefined)[] = [undefined, undefined, undefined];
    let part = 0;
    while (this.#kind() !== ']' && part < 3) {
      if (this.#kind() === ':') {
        part++;
        this.#advance();
      } else if (this.#kind() === 'number' && parts[part] === undefined) {
        parts[part] = this.#integer();
      } else {
        throw this.#fault(`Expected : or number, received: ${this.#kind()}`);
      }
    }
    this.#match(']');
    const [start, stop, step = 1] = parts;
    if (step === 0) throw syntaxError(this.#expression, position, 'Invalid slice, step cannot be 0');
    const bounds = {...(start === undefined ? {} : {start}), ...(stop === undefined ? {} : {stop})};
    return this.#node({kind: 'slice', step, ...bounds}, position);
  }

  #integer(): number {
    const token = this.#match('number');
    const value = Number(token.text) + 0;
    if (!Number.isSafeInteger(value)) throw this.#fault(`Number out of range: ${token.text}`, token);
    return value;
  }

  #list(position: number): Ast {
    const items: Ast[] = [];
    for (;;) {
      items.push(this.#parseExpression(0));
      if (this.#kind() === ']') break;
      this.#match(',');
    }
    this.#match(']');
    return this.#node({kind: 'list', items}, position, ...items);
  }

  #hash(position: number): Ast {
    const entries: [string, Ast][] = [];
    for (;;) {
      if (this.#kind() !== 'identifier' && this.#kind() !== 'quoted') {
        throw this.#fault(`Expected an identifier, received: ${this.#kind()}`);
      }
      const key = this.#advance().text;
      this.#match(':');
      entries.push([key, this.#parseExpression(0)]);
      if (this.#kind() === '}') break;
      this.#optionalComma();
    }
    this.#match('}');
    return this.#node({kind: 'hash', entries}, position, ...entries.map(entry => entry[1]));
  }

  #dotRight(bindingPower: number): Ast {
    const {kind, position} = this.#token;
    if (kind === 'identifier' || kind === 'quoted' || kind === '*') return this.#parseExpression(bindingPower);
    if (kind === '[') {
      this.#advance();
      return this.#list(position);
    }
    if (kind === '{') {
      this.#advance();
      return this.#hash(position);
    }
    throw this.#fault('Expected identifier, lbracket, or lbrace');
  }

  /** What a projection applies to each element; `@` when nothing follows. */
  #projectionRight(bindingPower: number): Ast {
    const {kind, position} = this.#token;
    if ((bindingPowers.get(kind) ?? 0) < projectionStop) return this.#current(position);
    if (kind === '[' || kind === '[?') return this.#parseExpression(bindingPower);
    if (kind === '.') {
      this.#advance();
      return this.#dotRight(bindingPower);
    }
    throw this.#fault(`Unexpected token: ${kind}`);
  }
}
