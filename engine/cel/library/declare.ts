import type {Type} from '../types/type.js';
import type {FunctionDeclaration, Overload} from './library.js';

type Call = Overload['call'];
type Cost = NonNullable<Overload['cost']>;

/** Types of the parameters, then the result's. */
export type Signature = readonly [params: readonly Type[], result: Type];

/** An overload that is called as `a.f(b)`; the receiver is the first parameter. */
export function method(id: string, [params, result]: Signature, call: Call, cost?: Cost): Overload {
  return overload({id, receiver: true, params, result, call}, cost);
}

/** An overload that is called as `f(a, b)`. */
export function global(id: string, [params, result]: Signature, call: Call, cost?: Cost): Overload {
  return overload({id, receiver: false, params, result, call}, cost);
}

/** The same, with the host as first argument of `call`. */
export function hosted(base: Overload): Overload {
  return {...base, host: true};
}

export function fn(name: string, ...overloads: readonly Overload[]): FunctionDeclaration {
  return {name, overloads};
}

function overload(base: Omit<Overload, 'cost'>, cost: Cost | undefined): Overload {
  return cost ? {...base, cost} : base;
}

/** Cost of walking a text once, as Kubernetes counts it: a tenth of its length. */
export function walk(text: {readonly length: number}): number {
  return Math.ceil(text.length / 10);
}

/** Cost of looking for a part in a text: at the worst it is compared at every place. */
export function search(text: {readonly length: number}, part: {readonly length: number}): number {
  return walk(text) + Math.floor((text.length * part.length) / 256);
}
