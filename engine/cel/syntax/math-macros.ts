import type {Grammar} from './aggregates.js';
import type {Call, Expr} from './ast.js';
import type {Written} from './macros.js';

/** What `math.greatest` and `math.least` stand for. */
export const extremes: ReadonlyMap<string, string> = new Map([
  ['greatest', 'math.@max'],
  ['least', 'math.@min'],
]);

/** `math.greatest(a, b, c)` looks for the greatest of one, of two or of a list. `undefined`: no such macro, or written wrongly. */
export function expandExtreme({name, args, at}: Written, {reader}: Grammar): Call | undefined {
  const internal = extremes.get(name);
  if (internal === undefined) return undefined;
  const [first] = args;
  if (first === undefined) {
    reader.fault(`math.${name}() requires at least one argument`, at);
    return undefined;
  }
  if (args.length === 1) {
    if (!isNumeric(first) && !isNumericList(first))
      reader.fault(`math.${name}() invalid single argument value`, first.at);
  } else {
    for (const arg of args) {
      if (!isNumeric(arg)) reader.fault(`math.${name}() simple literal arguments must be numeric`, arg.at);
    }
  }
  const list: Expr = {kind: 'list', items: args.map(value => ({value, optional: false})), at};
  return {kind: 'call', name: internal, target: undefined, args: args.length > 2 ? [list] : args, at};
}

/** Literals are seen through; of everything else the checker finds the type. */
function isNumeric(expr: Expr): boolean {
  if (expr.kind === 'literal') return expr.type === 'int' || expr.type === 'uint' || expr.type === 'double';
  return expr.kind !== 'list' && expr.kind !== 'map' && expr.kind !== 'message';
}

const isNumericList = (expr: Expr): boolean =>
  expr.kind === 'list' && expr.items.length > 0 && expr.items.every(item => isNumeric(item.value));
