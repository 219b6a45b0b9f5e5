import {type Expr, parse, unparse} from '../cel/syntax/index.js';
import {amountFunctions} from './amounts.js';

/** Fields that hold quantities by name, as the schemas of Kubernetes have them. */
const holders: ReadonlySet<string> = new Set([
  'limits',
  'requests',
  'capacity',
  'allocatable',
  'hard',
  'used',
  'podFixed',
  'defaultRequest',
  'maxLimitRequestRatio',
]);
const quantityFields: ReadonlySet<string> = new Set(['sizeLimit', 'divisor']);

const options = {twoVariableMacros: true};

/** Names that stand for quantities, or for lists of them. */
interface Names {
  readonly one: ReadonlySet<string>;
  readonly many: ReadonlySet<string>;
}

const noNames: Names = {one: new Set(), many: new Set()};

/**
 * The expression with orders and products of quantity fields by amount; the text as it is when there are none, or when it
 * is no expression. `variables` names the policy's variables that are quantities.
 */
export function rewriteQuantities(source: string, variables: ReadonlySet<string> = new Set()): string {
  const {expr} = parse(source, options);
  if (expr === undefined) return source;
  const changed = new Rewriter(variables).rewrite(expr, noNames);
  return changed === expr ? source : unparse(changed);
}

/** Whether the expression is the value of a quantity field, so that a variable of it is one, too. */
export function isQuantityExpression(source: string, variables: ReadonlySet<string>): boolean {
  const {expr} = parse(source, options);
  return expr !== undefined && new Rewriter(variables).isQuantity(expr, noNames);
}

class Rewriter {
  readonly #variables: ReadonlySet<string>;

  constructor(variables: ReadonlySet<string>) {
    this.#variables = variables;
  }

  /** The same tree where nothing changed. */
  rewrite(expr: Expr, names: Names): Expr {
    switch (expr.kind) {
      case 'literal':
      case 'ident':
        return expr;
      case 'select': {
        const operand = this.rewrite(expr.operand, names);
        return operand === expr.operand ? expr : {...expr, operand};
      }
      case 'call':
        return this.#call(expr, names);
      case 'list': {
        const items = each(expr.items, item => this.#value(item, names));
        return items === expr.items ? expr : {...expr, items};
      }
      case 'map': {
        const entries = each(expr.entries, entry => this.#value(entry, names));
        return entries === expr.entries ? expr : {...expr, entries};
      }
      case 'message': {
        const fields = each(expr.fields, field => this.#value(field, names));
        return fields === expr.fields ? expr : {...expr, fields};
      }
      case 'loop':
        return this.#loop(expr, names);
      case 'bind': {
        const inner = this.#bound(names, [expr.name], this.isQuantity(expr.init, names));
        const [init, body] = [this.rewrite(expr.init, names), this.rewrite(expr.body, inner)];
        return init === expr.init && body === expr.body ? expr : {...expr, init, body};
      }
    }
  }

  #value<T extends {readonly value: Expr}>(item: T, names: Names): T {
    const value = this.rewrite(item.value, names);
    return value === item.value ? item : {...item, value};
  }

  #call(expr: Extract<Expr, {kind: 'call'}>, names: Names): Expr {
    const target = expr.target === undefined ? undefined : this.rewrite(expr.target, names);
    const args = each(expr.args, arg => this.rewrite(arg, names));
    const name = amountFunctions.get(expr.name);
    if (name !== undefined && expr.args.some(arg => this.isQuantity(arg, names))) return {...expr, name, target, args};
    return target === expr.target && args === expr.args ? expr : {...expr, target, args};
  }

  #loop(expr: Extract<Expr, {kind: 'loop'}>, names: Names): Expr {
    const element = expr.variables.at(-1);
    const inner = this.#bound(names, expr.variables, false);
    const within =
      element !== undefined && this.#isList(expr.range, names) ? this.#bound(inner, [element], true) : inner;
    const range = this.rewrite(expr.range, names);
    const filter = expr.filter === undefined ? undefined : this.rewrite(expr.filter, within);
    const body = this.rewrite(expr.body, within);
    const same = range === expr.range && filter === expr.filter && body === expr.body;
    return same ? expr : {...expr, range, filter, body};
  }

  /** Names that are bound anew stand for what they are bound to. */
  #bound(names: Names, bound: readonly string[], quantity: boolean): Names {
    const one = new Set(names.one);
    const many = new Set(names.many);
    for (const name of bound) {
      many.delete(name);
      if (quantity) one.add(name);
      else one.delete(name);
    }
    return {one, many};
  }

  isQuantity(expr: Expr, names: Names): boolean {
    switch (expr.kind) {
      case 'ident':
        return names.one.has(expr.name);
      case 'select':
        if (expr.test) return false;
        if (isVariables(expr.operand)) return this.#variables.has(expr.field);
        return quantityFields.has(expr.field) || isHolder(expr.operand);
      case 'call': {
        if ((expr.name === '_[_]' || expr.name === '_[?_]') && expr.args[0] !== undefined)
          return isHolder(expr.args[0]);
        if (expr.name === '_*_') return expr.args.some(arg => this.isQuantity(arg, names));
        if (expr.name === '_?_:_') return expr.args.slice(1).some(arg => this.isQuantity(arg, names));
        return expr.name === 'orValue' && expr.target !== undefined && this.isQuantity(expr.target, names);
      }
      default:
        return false;
    }
  }

  #isList(expr: Expr, names: Names): boolean {
    if (expr.kind === 'ident') return names.many.has(expr.name);
    if (expr.kind !== 'loop') return false;
    if (expr.name === 'filter') return this.#isList(expr.range, names);
    return (expr.name === 'map' || expr.name === 'transformList') && this.isQuantity(expr.body, names);
  }
}

function each<T>(items: readonly T[], change: (item: T) => T): readonly T[] {
  const changed = items.map(change);
  return changed.some((item, index) => item !== items[index]) ? changed : items;
}

function isVariables(expr: Expr): boolean {
  return expr.kind === 'ident' && expr.name === 'variables';
}

/** `….limits`, `….?requests`, `….requests.orValue({})`. */
function isHolder(expr: Expr): boolean {
  if (expr.kind === 'select') return !expr.test && holders.has(expr.field);
  if (expr.kind !== 'call') return false;
  if (expr.name === 'orValue') return expr.target !== undefined && isHolder(expr.target);
  const key = expr.args[1];
  return expr.name === '_[_]' && key?.kind === 'literal' && typeof key.value === 'string' && holders.has(key.value);
}
