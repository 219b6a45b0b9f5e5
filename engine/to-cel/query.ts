import {isObject, type Json} from '../json/types.js';
import type {Ast} from '../jmespath/ast.js';
import {parseQuery} from '../jmespath/parser.js';
import {all, any, not, quoted, relation, Unconvertible} from './code.js';
import {functions} from './functions.js';
import {
  atom,
  listText,
  literalValue,
  orElse,
  pathValue,
  select,
  testValue,
  textOf,
  truth,
  type Value,
  type ValueKind,
  value,
} from './value.js';

/** Names that queries may begin with. */
export interface QueryScope {
  /** `undefined`: it is not known here. */
  root(name: string): Value | undefined;
  /** Values of variables that stand inside of a query, by number; see `outerCall`. */
  readonly outer?: readonly Value[];
}

/** How a query speaks of a variable that was filled into its text before it was read. */
export function outerCall(index: number): string {
  return `outer_variable_${index}()`;
}

/** A JMESPath query as a CEL expression. Throws `Unconvertible` at `path`. */
export function queryValue(text: string, path: string, scope: QueryScope, current?: Value): Value {
  let ast: Ast;
  try {
    ast = parseQuery(text);
  } catch {
    throw new Unconvertible(path, `the query ${JSON.stringify(text)} cannot be read`);
  }
  return new Translator(path, scope, text).value(ast, current, 0);
}

class Translator {
  readonly #path: string;
  readonly #scope: QueryScope;
  readonly #text: string;

  constructor(path: string, scope: QueryScope, text: string) {
    this.#path = path;
    this.#scope = scope;
    this.#text = text;
  }

  /** `current` is what the node is evaluated on; `undefined` at the root. */
  value(ast: Ast, current: Value | undefined, depth: number): Value {
    switch (ast.kind) {
      case 'current':
        if (current === undefined) throw this.#cannot('@ at the root');
        return current;
      case 'literal': {
        const literal = literalValue(ast.value);
        if (literal === undefined) throw this.#cannot('a literal of this form');
        return literal;
      }
      case 'field':
        return this.#field(ast.name, current);
      case 'index':
        if (current === undefined) throw this.#cannot('an index at the root');
        return this.#index(current, ast.index);
      case 'sub':
      case 'pipe': {
        const left = this.value(ast.left, current, depth);
        return this.value(ast.right, left, depth);
      }
      case 'or':
        return this.#or(this.value(ast.left, current, depth), this.value(ast.right, current, depth));
      case 'and': {
        const [left, right] = [this.value(ast.left, current, depth), this.value(ast.right, current, depth)];
        return testValue(all(truth(left), truth(right)));
      }
      case 'not':
        return testValue(not(truth(this.value(ast.operand, current, depth))));
      case 'compare': {
        const [left, right] = [this.value(ast.left, current, depth), this.value(ast.right, current, depth)];
        return testValue(relation(`${operand(left)} ${ast.operator} ${operand(right)}`));
      }
      case 'list': {
        const items = ast.items.map(item => this.value(item, current, depth));
        return value(`[${items.map(item => `dyn(${item.text})`).join(', ')}]`, 'list', {items} as Partial<Value>);
      }
      case 'call':
        return this.#call(ast, current, depth);
      case 'flatten':
        return this.#flatten(ast.source, current, depth);
      case 'project': {
        const source = ast.source.kind === 'flatten' ? this.#flatten(ast.source.source, current, depth) : this.value(ast.source, current, depth);
        return this.#project(source, ast.item, depth);
      }
      case 'filter': {
        const source = this.value(ast.source, current, depth);
        const name = nameAt(depth);
        const element = value(name, source.elements ?? 'any');
        const condition = truth(this.value(ast.condition, element, depth + 1));
        const text = `${atom(listText(source))}.filter(${name}, ${condition.text})`;
        return this.#project(value(text, 'list', elementsOf(source)), ast.item, depth);
      }
      case 'values': {
        const source = this.value(ast.source, current, depth);
        const [name, map] = [nameAt(depth), atom(orElse(source, '{}'))];
        return this.#project(value(`${map}.map(${name}, ${map}[${name}])`, 'list'), ast.item, depth);
      }
      default:
        throw this.#cannot(`${ast.kind} in a query`);
    }
  }

  #field(name: string, current: Value | undefined): Value {
    if (current === undefined) {
      const found = this.#scope.root(name);
      if (found === undefined) throw this.#cannot(`the variable ${name}`);
      return found;
    }
    const fields = rootFields.get(current);
    if (fields !== undefined) {
      const found = fields(name);
      if (found === undefined) throw this.#cannot(`the field ${name} of ${current.text}`);
      return found;
    }
    return select(current, name);
  }

  #index(list: Value, index: number): Value {
    const at = index < 0 ? `size(${listText(list)}) - ${-index}` : String(index);
    const text = `${atom(listText(list))}[?${at}].orValue(null)`;
    return {text, kind: list.elements ?? 'any', nullable: true, path: {holder: `${atom(listText(list))}[?${at}]`, keys: []}};
  }

  /** A default only counts where the left side is missing or empty; an empty default is the same as none. */
  #or(left: Value, right: Value): Value {
    if (left.kind === 'bool' && right.kind === 'bool') return testValue(any(truth(left), truth(right)));
    if (left.nullable === false && left.kind === 'text' && left.text === 'request.operation') return left;
    if (isEmptyLiteral(right)) {
      if (!left.nullable) return left;
      return {...value(orElse(left, right.text), left.kind === 'any' ? 'any' : left.kind), default: right} as Value;
    }
    return {
      text: `(${truth(left).text} ? dyn(${left.text}) : dyn(${right.text}))`,
      kind: left.kind === right.kind ? left.kind : 'any',
      nullable: right.nullable,
    };
  }

  #flatten(sourceAst: Ast, current: Value | undefined, depth: number): Value {
    const source = this.value(sourceAst, current, depth);
    const items = (source as {items?: readonly Value[]}).items;
    if (items !== undefined) {
      if (items.every(({kind}) => kind === 'any' || kind === 'list')) {
        return value(items.map(item => atom(listText(item))).join(' + '), 'list');
      }
      throw this.#cannot('a list of values that are no lists');
    }
    if (source.kind === 'list' && source.elements !== undefined && source.elements !== 'list' && source.elements !== 'any') return source;
    // What an object holds is taken for a list of values; what a projection gives may be a list of lists.
    if (source.path !== undefined || source.kind === 'any') return value(listText(source), 'list');
    return value(`${atom(source.text)}.flatten()`, 'list');
  }

  /** The item of each element; what comes to null is left out. */
  #project(source: Value, item: Ast, depth: number): Value {
    if (item.kind === 'current') return source.kind === 'list' ? source : value(listText(source), 'list', elementsOf(source));
    const name = nameAt(depth);
    const made = this.value(item, value(name, source.elements ?? 'any'), depth + 1);
    const list = atom(listText(source));
    if (made.path?.holder === name && made.path.keys.length === 1) {
      const key = made.path.keys[0]!;
      const filter = /^[A-Za-z_]\w*$/.test(key) ? `has(${name}.${key})` : `${quoted(key)} in ${name}`;
      const access = /^[A-Za-z_]\w*$/.test(key) ? `${name}.${key}` : `${name}[${quoted(key)}]`;
      return value(`${list}.filter(${name}, ${filter}).map(${name}, ${access})`, 'list');
    }
    const mapped = `${list}.map(${name}, ${made.text})`;
    const elements = made.kind === 'any' ? {} : {elements: made.kind};
    if (!made.nullable) return value(mapped, 'list', elements);
    return value(`${mapped}.filter(${name}, ${name} != null)`, 'list', elements);
  }

  #call(ast: Extract<Ast, {kind: 'call'}>, current: Value | undefined, depth: number): Value {
    const outer = /^outer_variable_(\d+)$/.exec(ast.name);
    const filled = outer === null ? undefined : this.#scope.outer?.[Number(outer[1])];
    if (filled !== undefined) return value(textOf(filled), 'text');
    const translate = functions.get(ast.name);
    if (translate === undefined) throw this.#cannot(`the function ${ast.name}`);
    const args = ast.args.map(arg => this.value(arg, current, depth));
    const made = translate(args, nameAt(depth));
    if (made === undefined) throw this.#cannot(`the function ${ast.name} on these arguments`);
    return made;
  }

  #cannot(what: string): Unconvertible {
    return new Unconvertible(this.#path, `${what} (in ${JSON.stringify(this.#text)}) has no counterpart in CEL that is known here`);
  }
}

function elementsOf({elements}: Value): Partial<Value> {
  return elements === undefined ? {} : {elements};
}

function operand(from: Value): string {
  return from.test === undefined ? from.text : `(${from.text})`;
}

function isEmptyLiteral({literal}: Value): boolean {
  if (literal === undefined) return false;
  return literal === '' || literal === null || literal === false || (Array.isArray(literal) && literal.length === 0) || (isObject(literal as Json) && Object.keys(literal as object).length === 0);
}

function nameAt(depth: number): string {
  return ['x', 'y', 'z', 'u', 'v', 'w'][depth] ?? `x${depth}`;
}

type Fields = (name: string) => Value | undefined;
const rootFields = new WeakMap<Value, Fields>();

function fielded(text: string, fields: Fields): Value {
  const made = value(text, 'map');
  rootFields.set(made, fields);
  return made;
}

const requestTexts: ReadonlySet<string> = new Set(['operation']);
const optionalTexts: ReadonlySet<string> = new Set(['name', 'namespace', 'subResource', 'uid']);
const kinds: Readonly<Record<string, readonly string[]>> = {
  kind: ['group', 'version', 'kind'],
  resource: ['group', 'version', 'resource'],
};

/** `request` of classic policies, as far as CEL policies see the same. */
export function requestRoot(): Value {
  return fielded('request', name => {
    if (name === 'object' || name === 'oldObject') return {text: name, kind: 'map', nullable: false, path: {holder: name, keys: []}};
    if (requestTexts.has(name)) return value(`request.${name}`, 'text');
    if (optionalTexts.has(name)) return pathValue({holder: 'request', keys: [name]}, 'text');
    if (name === 'dryRun') return value('request.dryRun', 'bool');
    if (name === 'userInfo') return fielded('request.userInfo', userField);
    const parts = Object.hasOwn(kinds, name) ? kinds[name]! : undefined;
    return parts && fielded(`request.${name}`, part => (parts.includes(part) ? value(`request.${name}.${part}`, 'text') : undefined));
  });
}

function userField(name: string): Value | undefined {
  if (name === 'username' || name === 'uid') return pathValue({holder: 'request.userInfo', keys: [name]}, 'text');
  if (name === 'groups') return {...pathValue({holder: 'request.userInfo', keys: ['groups']}, 'list'), elements: 'text' as ValueKind};
  return undefined;
}

