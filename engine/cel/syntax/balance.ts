import type {Expr} from './ast.js';

/** Terms of a chain with the places of the operators between them. */
interface Chain {
  readonly name: string;
  readonly terms: readonly Expr[];
  readonly places: readonly number[];
}

/** The chain as a tree of least height, in order; cel-go splits it at the same places. */
export function balance(chain: Chain, low = 0, high = chain.places.length - 1): Expr {
  const {name, terms, places} = chain;
  const middle = (low + high + 1) >> 1;
  const left = middle === low ? terms[middle]! : balance(chain, low, middle - 1);
  const right = middle === high ? terms[middle + 1]! : balance(chain, middle + 1, high);
  return {kind: 'call', name, target: undefined, args: [left, right], at: places[middle]!};
}
