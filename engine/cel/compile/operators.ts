import type {Overload} from '../library/library.js';
import {standardLibrary} from '../standard/index.js';
import type {Type} from '../types/type.js';
import {type Arithmetic, arithmetic, negation} from './arithmetic.js';
import {type Comparison, comparison} from './comparison.js';
import {equality} from './equality.js';
import {sureType} from './guard.js';
import {index, indexOptional} from './index-access.js';
import {not} from './logic.js';
import {membership} from './membership.js';
import type {Node} from './node.js';

const standard: ReadonlySet<Overload> = new Set(
  standardLibrary.functions?.filter(({name}) => /^[^a-z]/.test(name)).flatMap(declaration => declaration.overloads),
);

/** Operators on what the standard library defines them for; `undefined`: another library has a say. */
export function operator(name: string, overloads: readonly Overload[], args: readonly Node[]): Node | undefined {
  if (!overloads.every(overload => standard.has(overload))) return undefined;
  const [a, b] = args;
  if (a === undefined) return undefined;
  if (b === undefined) {
    if (name === '!_') return not(a);
    return name === '-_' ? negation(a, resultOf(overloads)) : undefined;
  }
  switch (name) {
    case '_==_':
      return equality(a, b, true);
    case '_!=_':
      return equality(a, b, false);
    case '_<_':
    case '_<=_':
    case '_>_':
    case '_>=_':
      return comparison(name satisfies Comparison, a, b);
    case '_+_':
    case '_-_':
    case '_*_':
    case '_/_':
    case '_%_':
      return arithmetic(name satisfies Arithmetic, a, b, resultOf(overloads));
    case '@in':
      return membership(a, b);
    case '_[_]':
      return index(a, b);
    case '_[?_]':
      return indexOptional(a, b);
    default:
      return undefined;
  }
}

function resultOf(overloads: readonly Overload[]): Type | undefined {
  const [first, ...others] = overloads;
  const sure = first && sureType(first.result);
  return others.every(other => other.result.kind === sure?.kind) ? sure : undefined;
}
