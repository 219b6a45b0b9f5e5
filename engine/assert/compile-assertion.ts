import {CompileError} from '../diagnostic.js';
import {equalValues} from '../jmespath/values.js';
import type {FunctionEnv} from '../jmespath/types.js';
import {stringifyJson} from '../json/stringify.js';
import {isObject, type Json, type JsonObject, own} from '../json/types.js';
import {type Bindings, compileExpression, type Expression} from './expression.js';
import {parseKey, parseText, type Statement} from './key.js';

/** Where a value differs from what the tree says of it. */
export interface AssertFault {
  /** `spec.containers[0].image`; empty for the value itself. */
  readonly path: string;
  readonly message: string;
}

export interface AssertEnv {
  readonly functions: FunctionEnv;
  /** What `$name` means where the tree itself binds no such name. */
  readonly bindings: Bindings;
}

/** An assertion tree, compiled once. Throws `EvalError` for an expression that cannot be evaluated. */
export interface CompiledAssertion {
  /** Every difference; none = the value is as the tree says. */
  check(value: Json, env: AssertEnv): readonly AssertFault[];
}

interface Visit {
  readonly path: string;
  readonly env: FunctionEnv;
  readonly bindings: Bindings;
  readonly faults: AssertFault[];
}

/** Judges `value`; `undefined` = there is no such key. */
type Node = (value: Json, visit: Visit) => void;

const deepest = 200;
const mostFaults = 100;

/**
 * Compiles a tree of wanted values: a map asks for its keys (others are free), a list for exactly its elements, anything
 * else for an equal value. A key is a name or `(expression)`; `~.` before it asks of each element, `->name` behind it
 * binds what it selects. A text `(expression)` stands for its result. `path` is the tree's place in its policy.
 */
export function compileAssertion(tree: Json, path: string): CompiledAssertion {
  const node = compileNode(tree, path, 0);
  return {
    check(value, {functions, bindings}) {
      const faults: AssertFault[] = [];
      node(value, {path: '', env: functions, bindings, faults});
      return faults;
    },
  };
}

function compileNode(tree: Json, at: string, depth: number): Node {
  if (depth > deepest)
    throw new CompileError({code: 'too-deep', message: `an assertion nests deeper than ${deepest} levels`, path: at});
  if (Array.isArray(tree)) return listNode(tree.map((item, index) => compileNode(item, `${at}[${index}]`, depth + 1)));
  if (isObject(tree)) return mapNode(tree, at, depth);
  return scalarNode(tree, at);
}

function report(visit: Visit, message: string): void {
  if (visit.faults.length < mostFaults) visit.faults.push({path: visit.path, message});
}

function scalarNode(tree: Json, at: string): Node {
  const statement = typeof tree === 'string' ? parseText(tree) : undefined;
  const expression = statement?.kind === 'expression' ? compileExpression(statement, at) : undefined;
  const constant = statement === undefined ? tree : statement.text;
  return (value, visit) => {
    visit.env.budget.step();
    const wanted = expression === undefined ? constant : expression(value, visit.bindings, visit.env);
    if (!equalValues(value, wanted, visit.env.budget)) {
      report(visit, `Invalid value: ${shown(value)}: Expected value: ${shown(wanted)}`);
    }
  };
}

function listNode(items: readonly Node[]): Node {
  return (value, visit) => {
    visit.env.budget.step(1 + items.length);
    if (!Array.isArray(value)) return report(visit, `Invalid value: ${shown(value)}: expected a list`);
    if (value.length !== items.length) {
      return report(visit, `Invalid value: ${shown(value)}: expected ${items.length} elements, found ${value.length}`);
    }
    items.forEach((item, index) => {
      item(value[index]!, {...visit, path: `${visit.path}[${index}]`});
    });
  };
}

function mapNode(tree: JsonObject, at: string, depth: number): Node {
  const entries = Object.keys(tree).map(key => compileEntry(key, own(tree, key)!, {at: `${at}.${key}`, depth}));
  if (entries.length === 0) {
    return (value, visit) => {
      if (value === null) report(visit, 'Invalid value: null: must not be null');
    };
  }
  return (value, visit) => {
    for (const entry of entries) entry(value, visit);
  };
}

function compileEntry(key: string, tree: Json, place: {readonly at: string; readonly depth: number}): Node {
  const statement = parseKey(key);
  const select = selector(statement, place.at);
  const below = compileNode(tree, place.at, place.depth + 1);
  const {each, binding, indexName} = statement;
  const label = statement.kind === 'expression' ? `(${statement.text})` : statement.text;
  return (value, outer) => {
    outer.env.budget.step();
    const visit: Visit = {...outer, path: outer.path === '' ? label : `${outer.path}.${label}`};
    const selected = select(value, visit);
    if (selected === undefined) return report(visit, 'Required value: field not found in the input object');
    const bindings = binding === undefined ? visit.bindings : bind(visit.bindings, binding, selected);
    if (!each) return below(selected, {...visit, bindings});
    const elements = elementsOf(selected);
    if (elements === undefined) return report(visit, `Invalid value: ${shown(selected)}: expected a list or map`);
    for (const [index, element] of elements) {
      visit.env.budget.step();
      below(element, {
        ...visit,
        path: `${visit.path}[${index}]`,
        bindings: indexName === undefined ? bindings : bind(bindings, indexName, index),
      });
    }
  };
}

type Selector = (value: Json, visit: Visit) => Json | undefined;

function selector(statement: Statement, at: string): Selector {
  const {kind, text} = statement;
  if (kind === 'literal') return value => (isObject(value) ? own(value, text) : undefined);
  const expression: Expression = compileExpression(statement, at);
  return (value, visit) => expression(value, visit.bindings, visit.env);
}

function bind(outer: Bindings, name: string, value: Json): Bindings {
  return wanted => (wanted === name ? value : outer(wanted));
}

function elementsOf(value: Json): ReadonlyArray<readonly [string | number, Json]> | undefined {
  if (Array.isArray(value)) return value.map((item, index) => [index, item] as const);
  return isObject(value) ? Object.keys(value).map(key => [key, own(value, key)!] as const) : undefined;
}

const shownLength = 200;

function shown(value: Json): string {
  const text = stringifyJson(value);
  return text.length > shownLength ? `${text.slice(0, shownLength)}…` : text;
}
