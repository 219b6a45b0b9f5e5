import type {RegexEngine} from '../../regex/types.js';
import type {Checked} from '../check/checked.js';
import {CelError} from '../errors.js';
import type {ObjectDeclaration} from '../library/library.js';
import type {Bind, Call, Expr, Ident, Loop, MessageExpr, Select} from '../syntax/ast.js';
import {
  boolType,
  bytesType,
  doubleType,
  intType,
  nullType,
  objectType,
  stringType,
  type Type,
  typeOf,
  uintType,
} from '../types/type.js';
import {TypeValue, type Value} from '../values/value.js';
import {list, map, message} from './aggregates.js';
import {bind, boundName} from './bind.js';
import {call} from './call.js';
import {fold} from './fold.js';
import type {Frame} from './frame.js';
import {inline, lenientOrValue} from './functions.js';
import {conditional, junction} from './logic.js';
import {loop} from './loops.js';
import {constantNode, type Node, unit} from './node.js';
import {operator} from './operators.js';
import {has, select, selectOptional} from './select.js';

export interface CompileContext {
  readonly checked: Checked;
  readonly regex: RegexEngine;
  /** Position of a variable in the bindings. */
  readonly slot: (variable: string) => number;
  readonly object: (name: string) => ObjectDeclaration | undefined;
  /** Told of each part's value or error; nothing is folded then. */
  readonly observe?: Observe | undefined;
}

export type Observe = (expr: Expr, outcome: Value | CelError) => void;

const literalTypes: Readonly<Record<string, Type>> = {
  null: nullType,
  bool: boolType,
  int: intType,
  uint: uintType,
  double: doubleType,
  string: stringType,
  bytes: bytesType,
};

/** Turns a checked tree into closures: one walk, constants folded on the way up. */
export class Compiler {
  /** Slots that macros' names need. */
  slots = 0;
  readonly #context: CompileContext;
  /** First slot of a loop's names; of a bind the compiled initial value, too. */
  readonly #loops = new Map<Loop | Bind, number>();
  readonly #binds = new Map<Bind, Node>();

  constructor(context: CompileContext) {
    this.#context = context;
  }

  compile(expr: Expr): Node {
    const {observe, regex} = this.#context;
    const node = this.#node(expr);
    if (observe === undefined) return fold(node, regex);
    return node.constant === undefined ? observed(node, expr, observe) : node;
  }

  #node(expr: Expr): Node {
    switch (expr.kind) {
      case 'literal':
        return constantNode(expr.value as Value, literalTypes[expr.type]!);
      case 'ident':
        return this.#reference(expr) ?? unresolved(expr.name);
      case 'select':
        return this.#reference(expr) ?? this.#select(expr);
      case 'call':
        return this.#call(expr);
      case 'list':
        return list(expr.items.map(item => ({value: this.compile(item.value), optional: item.optional})));
      case 'map':
        return map(
          expr.entries.map(entry => ({
            key: this.compile(entry.key),
            value: this.compile(entry.value),
            optional: entry.optional,
          })),
        );
      case 'message':
        return this.#message(expr);
      case 'loop':
        return this.#loop(expr);
      case 'bind':
        return this.#bind(expr);
    }
  }

  #reference(expr: Ident | Select): Node | undefined {
    const reference = this.#context.checked.idents.get(expr);
    if (reference === undefined) return undefined;
    if (reference.kind === 'type') return constantNode(new TypeValue(reference.type), typeOf());
    if (reference.kind === 'variable') return variable(reference.name, this.#context.slot(reference.name));
    const slot = this.#loops.get(reference.by)! + reference.index;
    const {by} = reference;
    if (by.kind === 'bind') {
      const init = this.#binds.get(by)!;
      return {run: boundName(init, slot), ...(init.sure && {sure: init.sure}), pure: false, cost: unit};
    }
    return {run: (frame: Frame) => frame.locals[slot]!, pure: false, cost: unit};
  }

  #select(expr: Select): Node {
    const operand = this.compile(expr.operand);
    if (expr.test) return has(operand, expr.field);
    return expr.optional ? selectOptional(operand, expr.field) : select(operand, expr.field);
  }

  #call(expr: Call): Node {
    const {name} = expr;
    if (name === '_&&_' || name === '_||_') {
      return junction(
        operands(expr, name).map(operand => this.compile(operand)),
        name === '_||_',
      );
    }
    if (name === '_?_:_') {
      const [test, yes, no] = expr.args.map(arg => this.compile(arg));
      return conditional(test!, yes!, no!);
    }
    const resolved = this.#context.checked.calls.get(expr)!;
    const args = expr.args.map(arg => this.compile(arg));
    if (expr.target !== undefined && !resolved.namespaced) args.unshift(this.compile(expr.target));
    if (resolved.lenient) return lenientOrValue(args, this.#context.regex)!;
    return (
      operator(name, resolved.overloads, args) ??
      inline(resolved.name, resolved.overloads, args, this.#context.regex) ??
      call(resolved.name, resolved.overloads, args)
    );
  }

  #message(expr: MessageExpr): Node {
    const name = expr.name.startsWith('.') ? expr.name.slice(1) : expr.name;
    const declaration = this.#context.object(name)!;
    const fields = expr.fields.map(field => ({
      name: field.name,
      value: this.compile(field.value),
      optional: field.optional,
    }));
    return message(declaration, fields, objectType(name));
  }

  #loop(expr: Loop): Node {
    const range = this.compile(expr.range);
    const first = this.slots;
    this.slots += expr.variables.length;
    this.#loops.set(expr, first);
    const slots = expr.variables.map((_, index) => first + index);
    const filter = expr.filter && this.compile(expr.filter);
    return loop(expr.name, {range, slots, filter, body: this.compile(expr.body)});
  }

  #bind(expr: Bind): Node {
    const init = this.compile(expr.init);
    const slot = this.slots++;
    this.#loops.set(expr, slot);
    this.#binds.set(expr, init);
    return bind(init, slot, this.compile(expr.body));
  }
}

function observed({run, sure, cost}: Node, expr: Expr, observe: Observe): Node {
  const tell = (frame: Frame): Value => {
    try {
      const value = run(frame);
      observe(expr, value);
      return value;
    } catch (error) {
      if (error instanceof CelError) observe(expr, error);
      throw error;
    }
  };
  return {run: tell, ...(sure && {sure}), pure: false, cost};
}

/** Operands of a chain of the same operator, however it is nested. */
function operands(expr: Expr, name: string): Expr[] {
  if (expr.kind !== 'call' || expr.name !== name) return [expr];
  return expr.args.flatMap(arg => operands(arg, name));
}

function variable(name: string, slot: number): Node {
  const unbound = new CelError(`no such attribute(s): ${name}`);
  const run = (frame: Frame): Value => {
    const value = frame.vars[slot];
    if (value === undefined) throw unbound;
    return value;
  };
  return {run, pure: false, cost: unit};
}

function unresolved(name: string): never {
  throw new Error(`the checker left '${name}' unresolved`);
}
