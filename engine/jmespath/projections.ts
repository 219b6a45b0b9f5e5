import {isObject, type Json} from '../json/types.js';
import type {AstOf} from './ast.js';
import type {Closure} from './closure.js';
import type {FunctionEnv} from './types.js';
import {isFalsy, sortedKeys} from './values.js';

export function indexed(index: number): Closure {
  return current => {
    if (!Array.isArray(current)) return null;
    return current[index < 0 ? index + current.length : index] ?? null;
  };
}

export function sliced({start, stop, step}: AstOf<'slice'>): Closure {
  return (current, env) => {
    if (!Array.isArray(current)) return null;
    const {length} = current;
    const from = bound(start, step < 0 ? length - 1 : 0, length, step);
    const to = bound(stop, step < 0 ? -1 : length, length, step);
    const result: Json[] = [];
    for (let i = from; step > 0 ? i < to : i > to; i += step) {
      env.budget.step();
      result.push(current[i]!);
    }
    return result;
  };
}

function bound(given: number | undefined, absent: number, length: number, step: number): number {
  if (given === undefined) return absent;
  const value = given < 0 ? given + length : given;
  if (value < 0) return step < 0 ? -1 : 0;
  if (value >= length) return step < 0 ? length - 1 : length;
  return value;
}

export function flattened(source: Closure): Closure {
  return (current, env) => {
    const list = source(current, env);
    if (!Array.isArray(list)) return null;
    const result: Json[] = [];
    for (const element of list) {
      env.budget.step();
      if (!Array.isArray(element)) {
        result.push(element);
        continue;
      }
      env.budget.step(element.length);
      for (const inner of element) result.push(inner);
    }
    return result;
  };
}

export function projected(source: Closure, element: Closure | undefined): Closure {
  return (current, env) => {
    const list = source(current, env);
    return Array.isArray(list) ? collect(list, element, env) : null;
  };
}

export function projectedValues(source: Closure, element: Closure | undefined): Closure {
  return (current, env) => {
    const map = source(current, env);
    if (!isObject(map)) return null;
    return collect(
      sortedKeys(map).map(key => map[key]!),
      element,
      env,
    );
  };
}

export function filtered(source: Closure, condition: Closure, element: Closure | undefined): Closure {
  return (current, env) => {
    const list = source(current, env);
    if (!Array.isArray(list)) return null;
    const kept = list.filter(value => {
      env.budget.step();
      return !isFalsy(condition(value, env));
    });
    return collect(kept, element, env);
  };
}

/** Projections drop nulls. */
function collect(list: readonly Json[], element: Closure | undefined, env: FunctionEnv): Json[] {
  const result: Json[] = [];
  for (const value of list) {
    env.budget.step();
    const out = element ? element(value, env) : value;
    if (out !== null) result.push(out);
  }
  return result;
}
