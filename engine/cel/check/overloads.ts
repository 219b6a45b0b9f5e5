import type {FunctionDeclaration, Overload} from '../library/library.js';
import {hasParameters, isDyn, mapParameters, sameType} from '../types/same.js';
import {dynType, type Type} from '../types/type.js';
import type {Unifier} from '../types/unifier.js';

interface Candidate {
  readonly declared: FunctionDeclaration;
  /** Of the arguments, the receiver's first. */
  readonly types: readonly Type[];
  readonly receiver: boolean;
}

interface Resolved {
  readonly overloads: readonly Overload[];
  readonly result: Type;
}

/** All overloads that the types allow, in their order; their results' common type, or dyn. `undefined`: none. */
export function resolveOverloads({declared, types, receiver}: Candidate, unifier: Unifier): Resolved | undefined {
  const overloads: Overload[] = [];
  let result: Type | undefined;
  for (const overload of declared.overloads) {
    if (overload.receiver !== receiver || overload.params.length !== types.length) continue;
    const {params, result: own} = instantiate(overload, unifier);
    if (!unifier.assignable(types, params)) continue;
    overloads.push(overload);
    const resolved = unifier.resolve(own);
    if (result === undefined) result = resolved;
    else if (!isDyn(result) && !sameType(resolved, result)) result = dynType;
  }
  return result === undefined ? undefined : {overloads, result};
}

const generic = new WeakMap<Overload, boolean>();

function instantiate(overload: Overload, unifier: Unifier): {params: readonly Type[]; result: Type} {
  let parametric = generic.get(overload);
  if (parametric === undefined) {
    parametric = overload.params.some(hasParameters) || hasParameters(overload.result);
    generic.set(overload, parametric);
  }
  if (!parametric) return overload;
  const fresh = new Map<string, Type>();
  const replace = (parameter: Type & {kind: 'param'}): Type => {
    let type = fresh.get(parameter.name);
    if (type === undefined) fresh.set(parameter.name, (type = unifier.freshParameter()));
    return type;
  };
  return {
    params: overload.params.map(type => mapParameters(type, replace)),
    result: mapParameters(overload.result, replace),
  };
}
