import type {Grammar} from './aggregates.js';
import type {Bind, Call, Expr, Loop, LoopName, Select} from './ast.js';
import {expandExtreme} from './math-macros.js';

/** A call as it was written. */
export interface Written {
  readonly name: string;
  readonly args: readonly Expr[];
  /** Of its `(`. */
  readonly at: number;
}

type Receiver = Written & {readonly target: Expr};
type Expansion = Loop | Bind | Select | Call;
type Macro = (call: Receiver, grammar: Grammar) => Expansion;

/** `has(a.b)`; `undefined`: no macro. A macro that is written wrongly leaves an issue. */
export function expandGlobal(call: Written, grammar: Grammar): Expansion | undefined {
  if (call.name !== 'has' || call.args.length !== 1) return undefined;
  const argument = call.args[0]!;
  if (argument.kind === 'select' && !argument.test && !argument.optional) return {...argument, test: true, at: call.at};
  grammar.reader.fault('invalid argument to has() macro', argument.at, hasHint(argument));
  return undefined;
}

/** Macros of the form `target.name(…)`, found by name and number of arguments, whatever the target is. */
export function expandReceiver(call: Receiver, grammar: Grammar): Expansion | undefined {
  if (call.target.kind === 'ident' && call.target.name === 'math') return expandExtreme(call, grammar);
  const macro = macros.get(call.name)?.[call.args.length];
  if (macro === undefined) return undefined;
  if (macro.twoVariables && !grammar.options.twoVariableMacros) return undefined;
  if (macro.namespace !== undefined && (call.target.kind !== 'ident' || call.target.name !== macro.namespace)) {
    return undefined;
  }
  return macro.expand(call, grammar);
}

function hasHint(argument: Expr): string {
  if (argument.kind === 'call' && argument.name === '_[_]') return 'to look for a key, write "key" in map';
  if (argument.kind === 'select' && argument.optional) return 'write a.?b.hasValue()';
  return 'has() takes a field, as in has(object.spec)';
}

const simpleName = 'argument must be a simple name';
const identifier = 'argument is not an identifier';

interface Words {
  readonly notAName: string;
  readonly accumulator?: boolean;
}

/** Name of a variable that the macro binds; where it is none, an issue and a name that nothing refers to. */
function variable(expr: Expr, grammar: Grammar, {notAName, accumulator = true}: Words): string {
  if (expr.kind !== 'ident' || expr.name.startsWith('.')) {
    grammar.reader.fault(notAName, expr.at, 'give the element a name: list.all(x, …)');
    return '';
  }
  // Taken by cel-go's unfolded loops; the API server refuses it, so it is refused here.
  if (accumulator && (expr.name === '__result__' || expr.name === '@result')) {
    grammar.reader.fault('iteration variable overwrites accumulator variable', expr.at);
  }
  return expr.name;
}

function loopOf(name: LoopName, words: Words): Macro {
  return ({target, args, at}, grammar) => ({
    kind: 'loop',
    name,
    range: target,
    variables: [variable(args[0]!, grammar, words)],
    filter: args.length === 3 ? args[1] : undefined,
    body: args[args.length - 1]!,
    at,
  });
}

function twoVariableLoop(name: LoopName): Macro {
  return ({target, args, at}, grammar) => {
    const variables = [args[0]!, args[1]!].map(arg => variable(arg, grammar, {notAName: simpleName}));
    if (variables[0] === variables[1] && variables[0] !== '') {
      grammar.reader.fault(`duplicate variable name: ${variables[0]}`, args[1]!.at);
    }
    const filter = args.length === 4 ? args[2] : undefined;
    return {kind: 'loop', name, range: target, variables, filter, body: args[args.length - 1]!, at};
  };
}

const bind: Macro = ({args, at}, grammar) => ({
  kind: 'bind',
  name: variable(args[0]!, grammar, {
    notAName: 'cel.bind() variable names must be simple identifiers',
    accumulator: false,
  }),
  init: args[1]!,
  body: args[2]!,
  at,
});

interface Entry {
  readonly expand: Macro;
  readonly twoVariables?: true;
  readonly namespace?: string;
}

/** By name, then by number of arguments. */
const macros: ReadonlyMap<string, ReadonlyArray<Entry | undefined>> = (() => {
  const table = new Map<string, (Entry | undefined)[]>();
  const add = (name: string, count: number, entry: Entry): void => {
    const entries = table.get(name) ?? [];
    entries[count] = entry;
    table.set(name, entries);
  };
  const quantifiers: ReadonlyArray<readonly [written: string, name: LoopName, single: boolean]> = [
    ['all', 'all', true],
    ['exists', 'exists', true],
    ['exists_one', 'existsOne', true],
    ['existsOne', 'existsOne', false],
  ];
  for (const [written, name, single] of quantifiers) {
    if (single) add(written, 2, {expand: loopOf(name, {notAName: simpleName})});
    add(written, 3, {expand: twoVariableLoop(name), twoVariables: true});
  }
  for (const name of ['transformList', 'transformMap', 'transformMapEntry'] as const) {
    for (const count of [3, 4]) add(name, count, {expand: twoVariableLoop(name), twoVariables: true});
  }
  for (const count of [2, 3]) add('map', count, {expand: loopOf('map', {notAName: identifier})});
  add('filter', 2, {expand: loopOf('filter', {notAName: identifier})});
  add('sortBy', 2, {expand: loopOf('sortBy', {notAName: identifier})});
  for (const name of ['optMap', 'optFlatMap'] as const) {
    const notAName = `${name}() variable name must be a simple identifier`;
    add(name, 2, {expand: loopOf(name, {notAName, accumulator: false})});
  }
  add('bind', 3, {expand: bind, namespace: 'cel'});
  return table;
})();
