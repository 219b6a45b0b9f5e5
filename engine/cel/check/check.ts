import type {Expr} from '../syntax/ast.js';
import {errorType, type Type} from '../types/type.js';
import {TooComplex} from '../types/unifier.js';
import type {Checked} from './checked.js';
import {Checker} from './checker.js';
import {checkLiterals} from './literals.js';
import type {Scope} from './scope.js';

/**
 * Finds the type of every part of an expression, and what its names and calls stand for. Faults are collected, all of
 * them; what a fault leaves unknown fits everywhere, so that one fault is told once.
 */
export function check(expr: Expr, scope: Scope): Checked {
  const checker = new Checker(scope);
  const {types, calls, idents, report} = checker;
  const type = run(checker, expr);
  const checked: Checked = {expr, type, types, calls, idents, issues: report.issues};
  // As in cel-go, literals are looked at once the types are right.
  if (report.issues.length === 0) checkLiterals(checked, scope, report);
  report.issues.sort((a, b) => a.at - b.at);
  return checked;
}

function run(checker: Checker, expr: Expr): Type {
  try {
    return checker.run(expr);
  } catch (error) {
    if (!(error instanceof TooComplex)) throw error;
    checker.report.add(error.message, expr.at);
    return errorType;
  }
}
