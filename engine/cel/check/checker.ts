import type {FunctionDeclaration} from '../library/library.js';
import type {Bind, Call, Expr, Ident, ListExpr, Literal, Loop, MapExpr, MessageExpr, Select} from '../syntax/ast.js';
import {operators} from '../syntax/operators.js';
import {qualifiedName, rootName} from '../syntax/qualified-name.js';
import {hasParameters, isDynOrError} from '../types/same.js';
import {
  boolType,
  bytesType,
  doubleType,
  dynType,
  errorType,
  intType,
  nullType,
  optionalOf,
  stringType,
  type Type,
  typeOf,
  uintType,
} from '../types/type.js';
import {typeSize, typeSizeLimit} from '../types/type-size.js';
import {moreGeneral, Unifier} from '../types/unifier.js';
import type {Reference, ResolvedCall} from './checked.js';
import {hintForCall, hintForCondition, hintForField, hintForName, hintForOverload} from './hints.js';
import {checkLoop, type LoopChecker} from './loops.js';
import {resolveOverloads} from './overloads.js';
import {Report, shortText} from './report.js';
import type {Scope} from './scope.js';

/** A name that a macro binds, and those around it. */
interface Local {
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

/** One walk over the tree; recursion is bounded by the height that the parser allows. */
export class Checker implements LoopChecker {
  readonly types = new Map<Expr, Type>();
  readonly calls = new Map<Expr, ResolvedCall>();
  readonly idents = new Map<Expr, Reference>();
  readonly report = new Report();
  readonly unifier = new Unifier();
  private locals: Local | undefined;

  constructor(private readonly scope: Scope) {}

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
        return this.ident(expr);
      case 'select':
        return this.select(expr);
      case 'call':
        return this.call(expr);
      case 'list':
        return this.list(expr);
      case 'map':
        return this.map(expr);
      case 'message':
        return this.message(expr);
      case 'loop':
        return checkLoop(expr, this);
      case 'bind':
        return this.bind(expr);
    }
  }

  /** Types that double with each level would keep the checker busy for ever. */
  private tooLarge(expr: Expr): Type {
    this.report.add('type of the expression is too large', expr.at);
    return errorType;
  }

  /** Checks `body` where the loop's or bind's names stand for values of these types. */
  within(by: Loop | Bind, types: readonly Type[], body: () => void): void {
    const outer = this.locals;
    const names = by.kind === 'loop' ? by.variables : [by.name];
    for (const [index, name] of names.entries()) {
      this.locals = {name, type: types[index] ?? dynType, by, index, outer: this.locals};
    }
    body();
    this.locals = outer;
  }

  private local(name: string): Local | undefined {
    for (let local = this.locals; local !== undefined; local = local.outer) if (local.name === name) return local;
    return undefined;
  }

  private ident(expr: Ident): Type {
    const local = this.local(expr.name);
    if (local !== undefined) {
      this.idents.set(expr, {kind: 'local', name: expr.name, by: local.by, index: local.index});
      return local.type;
    }
    const declared = this.declared(expr, expr.name);
    if (declared !== undefined) return declared;
    this.report.undeclared(expr.name, expr.at, () => hintForName(expr.name, this.scope, this.localNames()));
    return errorType;
  }

  private localNames(): string[] {
    const names: string[] = [];
    for (let local = this.locals; local !== undefined; local = local.outer) names.push(local.name);
    return names;
  }

  private declared(expr: Expr, written: string): Type | undefined {
    const name = written.startsWith('.') ? written.slice(1) : written;
    const variable = this.scope.variables.get(name);
    if (variable !== undefined) {
      this.idents.set(expr, {kind: 'variable', name});
      return variable;
    }
    const type = this.scope.types.get(name);
    if (type === undefined) return undefined;
    this.idents.set(expr, {kind: 'type', name, type});
    return typeOf(type);
  }

  private select(expr: Select): Type {
    if (!expr.test && !expr.optional) {
      const qualified = this.qualified(expr);
      if (qualified !== undefined) return qualified;
    }
    const type = this.field(expr);
    return expr.test ? boolType : this.unifier.resolve(type);
  }

  /** The selection as a name that is declared with dots. */
  private qualified(expr: Select): Type | undefined {
    const root = rootName(expr);
    if (root === undefined || this.local(root) !== undefined) return undefined;
    if (!this.scope.qualifiers.has(root.startsWith('.') ? root.slice(1) : root)) return undefined;
    const name = qualifiedName(expr);
    return name === undefined ? undefined : this.declared(expr, name);
  }

  private field(expr: Select): Type {
    const operand = this.unifier.resolve(this.check(expr.operand));
    const inside = operand.kind === 'optional' ? operand.value : operand;
    const type = this.fieldOf(inside, expr);
    return operand.kind === 'optional' || expr.optional ? optionalOf(type) : type;
  }

  private fieldOf(type: Type, expr: Select): Type {
    switch (type.kind) {
      case 'map':
        return type.value;
      case 'object':
        return this.objectField(type.name, expr.field, expr.at);
      case 'param':
        this.unifier.assignable([dynType], [type]);
        return dynType;
      default:
        if (!isDynOrError(type)) {
          const message = `type '${shortText(type)}' does not support field selection`;
          this.report.add(message, expr.at, () => hintForField(type, expr, this.scope));
        }
        return dynType;
    }
  }

  private objectField(name: string, field: string, at: number): Type {
    const object = this.scope.object(name);
    const type = object?.field(field);
    if (type !== undefined) return type;
    if (object === undefined) this.report.add(`unexpected failed resolution of '${name}'`, at);
    else
      this.report.add(`undefined field '${field}'`, at, () => hintForName(field, {names: object.fieldNames?.() ?? []}));
    return errorType;
  }

  private call(expr: Call): Type {
    const {name, target, args} = expr;
    switch (name) {
      case operators.and:
      case operators.or:
        for (const arg of args) this.expect(boolType, arg);
        this.calls.set(expr, {name, overloads: [], namespaced: false});
        return boolType;
      case operators.conditional:
        return this.conditional(expr);
    }
    const types = args.map(arg => this.check(arg));
    if (target === undefined) return this.global(expr, types);
    const prefix = qualifiedName(target);
    const qualified = prefix === undefined ? undefined : this.scope.functions.get(withoutDot(`${prefix}.${name}`));
    if (qualified !== undefined) return this.resolve(expr, qualified, types, true);
    const receiver = this.check(target);
    if (name === 'orValue' && args.length === 1 && this.scope.options.lenientOrValue) {
      this.calls.set(expr, {name, overloads: [], namespaced: false, lenient: true});
      return dynType;
    }
    const declared = this.scope.functions.get(name);
    if (declared !== undefined) return this.resolve(expr, declared, [receiver, ...types], false);
    this.report.undeclared(name, expr.at, () => hintForCall(expr, this.scope));
    return errorType;
  }

  private global(expr: Call, types: readonly Type[]): Type {
    const declared = this.scope.functions.get(withoutDot(expr.name));
    if (declared !== undefined) return this.resolve(expr, declared, types, false);
    this.report.undeclared(expr.name, expr.at, () => hintForCall(expr, this.scope));
    return errorType;
  }

  private resolve(expr: Call, declared: FunctionDeclaration, types: readonly Type[], namespaced: boolean): Type {
    const receiver = expr.target !== undefined && !namespaced;
    const found = resolveOverloads({declared, types, receiver}, this.unifier);
    if (found !== undefined) {
      this.calls.set(expr, {name: declared.name, overloads: found.overloads, namespaced});
      return found.result;
    }
    const settled = types.map(type => this.unifier.settle(type));
    const call = {name: declared.name, types: settled, receiver};
    this.report.noOverload(call, expr.at, () => hintForOverload(call, declared));
    return errorType;
  }

  private conditional(expr: Call): Type {
    const types = expr.args.map(arg => this.check(arg));
    this.calls.set(expr, {name: expr.name, overloads: [], namespaced: false});
    return this.choose(types, expr.at);
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

  /** Checks a part that must have this type. */
  expect(wanted: Type, part: Expr): void {
    const type = this.check(part);
    if (this.unifier.assignable([type], [wanted])) return;
    const settled = this.unifier.settle(type);
    this.report.mismatch({expected: wanted, found: settled}, part.at, () => hintForCondition(settled));
  }

  private list(expr: ListExpr): Type {
    let element: Type | undefined;
    for (const {value, optional} of expr.items) {
      element = this.join(element, this.element(value, optional));
    }
    return {kind: 'list', element: element ?? this.unifier.freshParameter()};
  }

  private map(expr: MapExpr): Type {
    let key: Type | undefined;
    let value: Type | undefined;
    for (const entry of expr.entries) {
      key = this.join(key, this.check(entry.key));
      value = this.join(value, this.element(entry.value, entry.optional));
    }
    return {
      kind: 'map',
      key: key ?? this.unifier.freshParameter(),
      value: value ?? this.unifier.freshParameter(),
    };
  }

  /** Type of an element; with a question mark, of what is in its optional. */
  private element(value: Expr, optional: boolean): Type {
    const type = this.check(value);
    if (!optional) return type;
    const resolved = this.unifier.resolve(type);
    if (resolved.kind === 'optional') return resolved.value;
    if (!isDynOrError(resolved)) this.report.mismatch({expected: optionalOf(resolved), found: resolved}, value.at);
    return resolved;
  }

  private join(before: Type | undefined, type: Type): Type {
    if (before === undefined) return type;
    return this.unifier.assignable([before], [type]) ? moreGeneral(before, type) : dynType;
  }

  private message(expr: MessageExpr): Type {
    const name = withoutDot(expr.name);
    const object = this.scope.object(name);
    if (object?.construct === undefined) {
      this.notAMessage(expr, name);
      return errorType;
    }
    for (const field of expr.fields) {
      const type = this.element(field.value, field.optional);
      const wanted = this.objectField(name, field.name, field.at);
      if (this.unifier.assignable([wanted], [type])) continue;
      const texts = [wanted, this.unifier.settle(type)].map(shortText);
      const message = `expected type of field '${field.name}' is '${texts[0]}' but provided type is '${texts[1]}'`;
      this.report.add(message, field.at);
    }
    return {kind: 'object', name};
  }

  private notAMessage(expr: MessageExpr, name: string): void {
    const {variables, types} = this.scope;
    if (types.has(name)) this.report.add(`'${name}' is not a message type`, expr.at);
    else if (variables.has(name)) this.report.add(`'${shortText(variables.get(name)!)}' is not a type`, expr.at);
    else this.report.undeclared(expr.name, expr.at, () => hintForName(expr.name, this.scope));
  }

  private bind(expr: Bind): Type {
    const init = this.check(expr.init);
    let type: Type = errorType;
    this.within(expr, [init], () => {
      type = this.check(expr.body);
    });
    return this.unifier.resolve(type);
  }
}

const withoutDot = (name: string): string => (name.startsWith('.') ? name.slice(1) : name);
