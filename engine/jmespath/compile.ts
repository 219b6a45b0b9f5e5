import {EvalError} from '../diagnostic.js';
import {isNumber, isObject, type Json, type JsonObject, setOwn} from '../json/types.js';
import type {Ast, AstOf, ComparatorOperator} from './ast.js';
import type {Closure, Current} from './closure.js';
import {callError, functionError, isAbsorbable, UnknownKeyError} from './errors.js';
import {arityFault, checkArguments, parameterAt, typeText} from './functions/check.js';
import type {Argument, FunctionDefinition, ParameterType} from './functions/define.js';
import {filtered, flattened, indexed, projected, projectedValues, sliced} from './projections.js';
import {type FunctionEnv, LazyRoot} from './types.js';
import {compareNumbers, equalValues, isFalsy} from './values.js';

export type FunctionTable = ReadonlyMap<string, FunctionDefinition>;

export interface CompiledAst {
  readonly run: Closure;
  readonly roots: ReadonlySet<string>;
  readonly functions: ReadonlySet<string>;
}

/** Turns a parsed query into closures. Throws `CompileError` (`jmespath-function`) for calls that can never work. */
export function compileAst(ast: Ast, expression: string, table: FunctionTable): CompiledAst {
  const compiler = new Compiler(expression, table);
  return {run: compiler.compile(ast, 'strict', true), roots: compiler.roots, functions: compiler.functions};
}

/** What a missing map key is: an error, or null where the language absorbs it. */
type Mode = 'strict' | 'lenient';

class Compiler {
  readonly roots = new Set<string>();
  readonly functions = new Set<string>();
  readonly #expression: string;
  readonly #table: FunctionTable;

  constructor(expression: string, table: FunctionTable) {
    this.#expression = expression;
    this.#table = table;
  }

  compile(node: Ast, mode: Mode, atRoot: boolean): Closure {
    switch (node.kind) {
      case 'literal': {
        const {value} = node;
        return () => value;
      }
      case 'current':
        return this.#current(atRoot);
      case 'field':
      case 'sub':
        return this.#path(node, mode, atRoot);
      case 'index':
        if (atRoot) this.roots.add('@');
        return indexed(node.index);
      case 'slice':
        if (atRoot) this.roots.add('@');
        return sliced(node);
      case 'pipe': {
        const left = this.#lenient(node.left, atRoot);
        const right = this.#lenient(node.right, atRoot && node.left.kind === 'current');
        if (node.left.kind === 'current') return right;
        return (current, env) => right(left(current, env), env);
      }
      case 'or':
        return this.#or(node, atRoot);
      case 'and':
        return this.#and(node, mode, atRoot);
      case 'not': {
        const operand = this.#lenient(node.operand, atRoot);
        return (current, env) => isFalsy(operand(current, env));
      }
      case 'compare':
        return this.#compare(node, atRoot);
      case 'list': {
        const items = node.items.map(item => this.#lenient(item, atRoot));
        return (current, env) => (current === null ? null : items.map(item => item(current, env)));
      }
      case 'hash':
        return this.#hash(node, atRoot);
      case 'call':
        return this.#call(node, atRoot);
      case 'flatten':
        return flattened(this.#source(node.source, atRoot));
      case 'project':
        return projected(this.#lenient(node.source, atRoot), this.#item(node.item));
      case 'values':
        return projectedValues(this.#source(node.source, atRoot), this.#item(node.item));
      case 'filter':
        return filtered(this.#source(node.source, atRoot), this.#lenient(node.condition, false), this.#item(node.item));
      case 'reference':
        throw callError(
          this.#expression,
          node.position,
          'An expression reference (&) is no value: only some functions take one',
        );
    }
  }

  #current(atRoot: boolean): Closure {
    if (!atRoot) return item;
    this.roots.add('@');
    return current => (current instanceof LazyRoot ? current.toJson() : current);
  }

  /** `undefined` for `@`, which needs no work per element. */
  #item(node: Ast): Closure | undefined {
    return node.kind === 'current' ? undefined : this.#lenient(node, false);
  }

  /** Missing keys anywhere inside give null for the whole of `node`. */
  #lenient(node: Ast, atRoot: boolean): Closure {
    if (!needsCatch(node)) return this.compile(node, 'lenient', atRoot);
    // A part after the missing key would still run on null, so the strict form has to be cut short.
    const strict = this.compile(node, 'strict', atRoot);
    return (current, env) => {
      try {
        return strict(current, env);
      } catch (error) {
        if (error instanceof UnknownKeyError) return null;
        throw error;
      }
    };
  }

  /** The source of a filter, flatten or value projection: whatever the query itself gets wrong gives null. */
  #source(node: Ast, atRoot: boolean): Closure {
    const source = this.#lenient(node, atRoot);
    if (!mayFail(node)) return source;
    return (current, env) => {
      try {
        return source(current, env);
      } catch (error) {
        if (isAbsorbable(error)) return null;
        throw error;
      }
    };
  }

  /** A chain `base.a.b.c`: its trailing fields are walked in one loop. */
  #path(node: AstOf<'field'> | AstOf<'sub'>, mode: Mode, atRoot: boolean): Closure {
    const names: string[] = [];
    let base: Ast = node;
    while (base.kind === 'sub' && base.right.kind === 'field') {
      names.unshift(base.right.name);
      base = base.left;
    }
    if (base.kind === 'field') {
      names.unshift(base.name);
      return atRoot ? this.#rootPath(names, mode) : (current, _env) => walk(asItem(current), names, mode);
    }
    if (base.kind === 'current') {
      if (names.length === 0) return this.#current(atRoot);
      return atRoot ? this.#rootPath(names, mode) : (current, _env) => walk(asItem(current), names, mode);
    }
    const start = base.kind === 'sub' ? this.#sub(base, mode, atRoot) : this.compile(base, mode, atRoot);
    if (names.length === 0) return start;
    return (current, env) => walk(start(current, env), names, mode);
  }

  #rootPath(names: readonly string[], mode: Mode): Closure {
    const [first = '', ...rest] = names;
    this.roots.add(first);
    if (rest.length === 0) return current => rootField(current, first, mode);
    return current => walk(rootField(current, first, mode), rest, mode);
  }

  /** `left.right` whose right side is no field: `a[0]`, `a.[b, c]`, `a.f(@)`. */
  #sub(node: AstOf<'sub'>, mode: Mode, atRoot: boolean): Closure {
    if (node.left.kind === 'current') return this.compile(node.right, mode, atRoot);
    const left = this.compile(node.left, mode, atRoot);
    const right = this.compile(node.right, mode, false);
    return (current, env) => right(left(current, env), env);
  }

  #or(node: AstOf<'or'>, atRoot: boolean): Closure {
    const constant = constantOf(node.left);
    if (constant !== undefined) return isFalsy(constant) ? this.#lenient(node.right, atRoot) : () => constant;
    const left = this.#lenient(node.left, atRoot);
    const right = this.#lenient(node.right, atRoot);
    return (current, env) => {
      const value = left(current, env);
      return isFalsy(value) ? right(current, env) : value;
    };
  }

  #and(node: AstOf<'and'>, mode: Mode, atRoot: boolean): Closure {
    const right = this.compile(node.right, mode, atRoot);
    const constant = constantOf(node.left);
    if (constant !== undefined) return isFalsy(constant) ? () => constant : right;
    const left = this.#lenient(node.left, atRoot);
    return (current, env) => {
      const value = left(current, env);
      return isFalsy(value) ? value : right(current, env);
    };
  }

  #compare({operator, left: leftNode, right: rightNode}: AstOf<'compare'>, atRoot: boolean): Closure {
    const left = this.#lenient(leftNode, atRoot);
    const right = this.#lenient(rightNode, atRoot);
    if (operator === '==' || operator === '!=') {
      const wanted = operator === '==';
      const constant = constantOf(rightNode);
      if (typeof constant === 'string' || typeof constant === 'boolean' || constant === null) {
        return (current, env) => (left(current, env) === constant) === wanted;
      }
      return (current, env) => equalValues(left(current, env), right(current, env), env.budget) === wanted;
    }
    const holds = orderings[operator];
    return (current, env) => {
      const a = left(current, env);
      const b = right(current, env);
      return isNumber(a) && isNumber(b) ? holds(compareNumbers(a, b)) : null;
    };
  }

  #hash(node: AstOf<'hash'>, atRoot: boolean): Closure {
    const entries = node.entries.map(([key, value]) => [key, this.#lenient(value, atRoot)] as const);
    return (current, env) => {
      if (current === null) return null;
      const result: JsonObject = {};
      for (const [key, value] of entries) setOwn(result, key, value(current, env));
      return result;
    };
  }

  #call(node: AstOf<'call'>, atRoot: boolean): Closure {
    const {name, args, position} = node;
    const definition = this.#table.get(name);
    if (!definition) throw callError(this.#expression, position, `unknown function: ${name}`);
    const arity = arityFault(definition, args.length);
    if (arity) throw callError(this.#expression, position, arity);
    this.functions.add(name);
    const types = args.map((_, index) => parameterAt(definition, index));
    const values = args.map((arg, index) => this.#argument(arg, types[index]!, atRoot));
    return (current, env) => {
      env.budget.step();
      const given = values.map(value => value(current, env));
      try {
        checkArguments(types, given, env);
        return definition.call(given, env);
      } catch (error) {
        throw error instanceof EvalError ? functionError(name, error) : error;
      }
    };
  }

  #argument(node: Ast, type: ParameterType, atRoot: boolean): (current: Current, env: FunctionEnv) => Argument {
    if ((type === 'expref') !== (node.kind === 'reference')) {
      const text = node.kind === 'reference' ? 'an expression reference (&)' : `a ${node.kind}`;
      throw callError(this.#expression, node.position, typeText(text, type));
    }
    if (node.kind !== 'reference') return this.#lenient(node, atRoot);
    const closure = this.#lenient(node.operand, false);
    return (_current, env) => value => closure(value, env);
  }
}

/** Closures below the root see JSON values only. */
function asItem(current: Current): Json {
  return current as Json;
}

function item(current: Current): Json {
  return asItem(current);
}

function rootField(current: Current, name: string, mode: Mode): Json {
  if (!(current instanceof LazyRoot)) return field(current, name, mode);
  let value: Json | undefined;
  try {
    value = current.get(name);
  } catch (error) {
    // A key missing while the root makes this field is that field's failure, not a missing key of this path.
    throw error instanceof UnknownKeyError ? new EvalError(error.message, error.code) : error;
  }
  if (value === undefined && mode === 'strict') throw new UnknownKeyError(name);
  return value ?? null;
}

function field(value: Json, name: string, mode: Mode): Json {
  if (!isObject(value)) return null;
  const member = Object.hasOwn(value, name) ? value[name] : undefined;
  if (member === undefined && mode === 'strict') throw new UnknownKeyError(name);
  return member ?? null;
}

function walk(start: Json, names: readonly string[], mode: Mode): Json {
  let value = start;
  for (const name of names) {
    if (value === null) return null;
    value = field(value, name, mode);
  }
  return value;
}

const orderings: Readonly<Record<Exclude<ComparatorOperator, '==' | '!='>, (order: number) => boolean>> = {
  '<': order => order < 0,
  '<=': order => order <= 0,
  '>': order => order > 0,
  '>=': order => order >= 0,
};

/** The value of a node that depends on nothing. */
function constantOf(node: Ast): Json | undefined {
  if (node.kind === 'literal') return node.value;
  if (node.kind === 'not') {
    const operand = constantOf(node.operand);
    return operand === undefined ? undefined : isFalsy(operand);
  }
  return undefined;
}

/** True when the lenient form of a chain could go on after its missing key: a call sees null where it never ran. */
function needsCatch(node: Ast): boolean {
  if (node.kind === 'and') return needsCatch(node.right);
  if (node.kind !== 'sub') return false;
  return needsCatch(node.left) || (node.left.kind !== 'current' && !keepsNull(node.right));
}

/** True when the node gives null on null, so that a chain may run on after a missing key. */
function keepsNull(node: Ast): boolean {
  if (node.kind === 'sub') return keepsNull(node.left) && keepsNull(node.right);
  if (node.kind === 'project' || node.kind === 'values' || node.kind === 'flatten') return keepsNull(node.source);
  return nullKeeping.has(node.kind);
}

const nullKeeping: ReadonlySet<Ast['kind']> = new Set(['current', 'field', 'index', 'slice', 'list', 'hash']);

/** True when evaluation may raise an error of the query's own. */
function mayFail(node: Ast): boolean {
  if (node.kind === 'sub') return mayFail(node.left) || mayFail(node.right);
  return node.kind !== 'field' && node.kind !== 'current' && node.kind !== 'literal' && node.kind !== 'index';
}
