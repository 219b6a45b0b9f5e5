import {CelError} from '../errors.js';
import type {Call, Expr} from '../syntax/ast.js';
import type {SimpleKind, Type} from '../types/type.js';
import {runtimeName} from '../values/index.js';
import {type Clause, misfit, readFormat, type Verb} from './format-clauses.js';

/** A fault of a format text or of an argument, and the part of the call it is at. */
export interface FormatFault {
  readonly message: string;
  readonly at: Expr;
}

type Kind = SimpleKind | 'list' | 'map' | 'type';

const integers: readonly Kind[] = ['int', 'uint'];
const doubles: readonly Kind[] = ['double', 'string'];
const hexable: readonly Kind[] = [...integers, 'string', 'bytes'];
const accepted: Readonly<Record<Verb, readonly Kind[]>> = {
  s: ['list', 'map', 'int', 'uint', 'double', 'bool', 'string', 'timestamp', 'bytes', 'duration', 'type', 'null'],
  d: integers,
  // "NaN" and "Infinity" are texts.
  f: doubles,
  e: doubles,
  b: [...integers, 'bool'],
  x: hexable,
  X: hexable,
  o: integers,
};

/**
 * Checks a call `"…".format([…])` whose text and list are literals; for every other call there is nothing to say before
 * it runs. `typeOf` gives what the checker found.
 */
export function checkFormatCall(call: Call, typeOf: (node: Expr) => Type): FormatFault | undefined {
  const {target, args} = call;
  const [list] = args;
  if (target?.kind !== 'literal' || target.type !== 'string' || args.length !== 1 || list?.kind !== 'list') {
    return undefined;
  }
  const items = list.items.map(item => item.value);
  let fault: FormatFault | undefined;
  try {
    const wanted = readFormat(String(target.value), {
      argument(index, first) {
        if (!first && index >= items.length) throw new CelError(`index ${index} out of range`);
      },
      literal: () => {},
      clause({verb}: Clause, index) {
        const bad = misfitIn(items[index]!, verb, typeOf);
        if (!bad) return;
        fault = {message: misfit(verb, runtimeName(typeOf(bad))), at: bad};
        throw new CelError(fault.message);
      },
    });
    if (items.length <= wanted) return undefined;
    const message = `too many arguments supplied to string.format (expected ${wanted}, got ${items.length})`;
    return {message, at: call};
  } catch (error) {
    if (!(error instanceof CelError)) throw error;
    return fault ?? {message: error.message, at: call};
  }
}

function misfitIn(node: Expr, verb: Verb, typeOf: (node: Expr) => Type): Expr | undefined {
  const {kind} = typeOf(node);
  if (kind === 'dyn' || kind === 'error') return undefined;
  if (!(accepted[verb] as readonly string[]).includes(kind)) return node;
  if (verb !== 's') return undefined;
  for (const part of partsOf(node)) {
    const bad = misfitIn(part, verb, typeOf);
    if (bad) return bad;
  }
  return undefined;
}

function partsOf(node: Expr): Expr[] {
  if (node.kind === 'list') return node.items.map(item => item.value);
  if (node.kind === 'map') return node.entries.flatMap(entry => [entry.key, entry.value]);
  return [];
}
