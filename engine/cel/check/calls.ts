import type {FunctionDeclaration} from '../library/library.js';
import type {Call} from '../syntax/ast.js';
import {operators} from '../syntax/operators.js';
import {qualifiedName, withoutDot} from '../syntax/qualified-name.js';
import {boolType, dynType, errorType, type Type} from '../types/type.js';
import type {Checker} from './checker.js';
import {hintForCall, hintForOverload} from './hints.js';
import {resolveOverloads} from './overloads.js';

/** Calls and operators. `a.b.f(x)` calls `a.b.f` where that is a function, else `f` on `a.b`. */
export function checkCall(expr: Call, checker: Checker): Type {
  const {name, target, args} = expr;
  const {functions, options} = checker.scope;
  if (name === operators.and || name === operators.or) return logical(expr, checker);
  const types = args.map(arg => checker.check(arg));
  if (name === operators.conditional) {
    checker.calls.set(expr, {name, overloads: [], namespaced: false});
    return checker.choose(types, expr.at);
  }
  if (target === undefined) {
    const declared = functions.get(withoutDot(name));
    return declared === undefined ? undeclared(expr, checker) : resolve({expr, declared, types}, checker);
  }
  const prefix = qualifiedName(target);
  const qualified = prefix === undefined ? undefined : functions.get(withoutDot(`${prefix}.${name}`));
  if (qualified !== undefined) return resolve({expr, declared: qualified, types, namespaced: true}, checker);
  const receiver = checker.checkReceiver(target);
  if (name === 'orValue' && args.length === 1 && options.lenientOrValue) {
    checker.calls.set(expr, {name, overloads: [], namespaced: false, lenient: true});
    return dynType;
  }
  const declared = functions.get(name);
  if (declared === undefined) return undeclared(expr, checker);
  return resolve({expr, declared, types: [receiver, ...types]}, checker);
}

function logical(expr: Call, checker: Checker): Type {
  for (const arg of expr.args) checker.expect(boolType, arg);
  checker.calls.set(expr, {name: expr.name, overloads: [], namespaced: false});
  return boolType;
}

function undeclared(expr: Call, {report, scope}: Checker): Type {
  report.undeclared(expr.name, expr.at, () => hintForCall(expr, scope));
  return errorType;
}

interface Candidate {
  readonly expr: Call;
  readonly declared: FunctionDeclaration;
  /** The receiver's first. */
  readonly types: readonly Type[];
  readonly namespaced?: boolean;
}

function resolve({expr, declared, types, namespaced = false}: Candidate, checker: Checker): Type {
  const receiver = expr.target !== undefined && !namespaced;
  const found = resolveOverloads({declared, types, receiver}, checker.unifier);
  if (found !== undefined) {
    checker.calls.set(expr, {name: declared.name, overloads: found.overloads, namespaced});
    return found.result;
  }
  const settled = types.map(type => checker.unifier.settle(type));
  const call = {name: declared.name, types: settled, receiver};
  checker.report.noOverload(call, expr.at, () => hintForOverload(call, declared));
  return errorType;
}
