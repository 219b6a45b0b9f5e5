import type {Bind, Expr, Literal, Loop} from '../syntax/ast.js';
import {operators} from '../syntax/operators.js';
import {hasParameters} from '../types/same.js';
import {
  boolType,
  bytesType,
  doubleType,
  dynType,
  errorType,
  intType,
  nullType,
  stringType,
  type Type,
  uintType,
} from '../types/type.js';
import {typeSize, typeSizeLimit} from '../types/type-size.js';
import {Unifier} from '../types/unifier.js';
import {checkList, checkMap, checkMessage} from './aggregates.js';
import {checkCall} from './calls.js';
import type {Reference, ResolvedCall} from './checked.js';
import {checkSelect} from './fields.js';
import {hintForCondition, hintForOverload} from './hints.js';
import {checkBind, checkLoop} from './loops.js';
import {checkIdent} from './names.js';
import {Report} from './report.js';
import type {Scope} from './scope.js';

/** A name that a macro binds, and those around it. */
export interface Local {
  readonly name: string;
  readonly type: Type;
  readonly by: Loop | Bind;
  readonly index: number;
  readonly outer: Local | undefined;
}

const literalTypes: Readonly<Record<Literal['type'], Type>> = {
  null: nullType,
  bool: boolType,
  int: intType,
  uint: uintType,
  double: doubleType,
  string: stringType,
  bytes: bytesType,
};

/**
 * What is known while an expression is walked over, once. The rules are functions beside it, one file per kind of node;
 * their recursion is bounded by the height that the parser allows.
 */
export class Checker {
  readonly types = new Map<Expr, Type>();
  readonly calls = new Map<Expr, ResolvedCall>();
  readonly idents = new Map<Expr, Reference>();
  readonly report = new Report();
  readonly unifier = new Unifier();
  /** Names that macros bind, the innermost first. */
  locals: Local | undefined;
  /** What is being selected from or called on. */
  receiver: Expr | undefined;

  constructor(readonly scope: Scope) {}

  /** Type of the whole expression; afterwards no type holds a parameter. Throws TooComplex. */
  run(expr: Expr): Type {
    this.check(expr);
    for (const [node, type] of this.types) {
      if (hasParameters(type)) this.types.set(node, this.unifier.settle(type));
    }
    return this.types.get(expr)!;
  }

  check(expr: Expr): Type {
    const found = this.find(expr);
    const type = typeSize(found) <= typeSizeLimit ? found : this.tooLarge(expr);
    this.types.set(expr, type);
    return type;
  }

  private find(expr: Expr): Type {
    switch (expr.kind) {
      case 'literal':
        return literalTypes[expr.type];
      case 'ident':
        return checkIdent(expr, this);
      case 'select':
        return checkSelect(expr, this);
      case 'call':
        return checkCall(expr, this);
      case 'list':
        return checkList(expr, this);
      case 'map':
        return checkMap(expr, this);
      case 'message':
        return checkMessage(expr, this);
      case 'loop':
        return checkLoop(expr, this);
      case 'bind':
        return checkBind(expr, this);
    }
  }

  /** Types that double with each level would keep the checker busy for ever. */
  private tooLarge(expr: Expr): Type {
    this.report.add('type of the expression is too large', expr.at);
    return errorType;
  }

  /** What is known of a part that is selected from or called on, with a hint that fits it. */
  checkReceiver(expr: Expr): Type {
    this.receiver = expr;
    return this.unifier.resolve(this.check(expr));
  }

  /** Checks a part that must have this type. */
  expect(wanted: Type, part: Expr): void {
    const type = this.check(part);
    if (this.unifier.assignable([type], [wanted])) return;
    const found = this.unifier.settle(type);
    this.report.mismatch({expected: wanted, found}, part.at, () => hintForCondition(found));
  }

  /** Type of `condition ? then : otherwise`, from the types of the three. */
  choose(types: readonly Type[], at: number): Type {
    const result = this.unifier.freshParameter();
    if (this.unifier.assignable(types, [boolType, result, result])) return this.unifier.resolve(result);
    const settled = types.map(type => this.unifier.settle(type));
    const call = {name: operators.conditional, types: settled, receiver: false};
    this.report.noOverload(call, at, () => hintForOverload(call));
    return errorType;
  }

  /** Runs `body` where the loop's or bind's names stand for values of these types. */
  within(by: Loop | Bind, types: readonly Type[], body: () => void): void {
    const outer = this.locals;
    const names = by.kind === 'loop' ? by.variables : [by.name];
    for (const [index, name] of names.entries()) {
      this.locals = {name, type: types[index] ?? dynType, by, index, outer: this.locals};
    }
    body();
    this.locals = outer;
  }

  local(name: string): Local | undefined {
    for (let local = this.locals; local !== undefined; local = local.outer) if (local.name === name) return local;
    return undefined;
  }
}
