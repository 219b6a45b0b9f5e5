import type {Environment, TraceStep} from '../cel/environment.js';
import type {Expr} from '../cel/syntax/ast.js';
import {children} from '../cel/syntax/children.js';
import {unparse} from '../cel/syntax/unparse.js';
import {toJson, valueText} from '../cel/values/index.js';
import type {Value} from '../cel/values/value.js';
import {BudgetError, EvalError} from '../diagnostic.js';
import type {CelScope} from '../cel-policies/types.js';
import type {Json} from '../json/types.js';
import {node} from './node.js';
import type {ExplainNode, Verdict} from './types.js';

/** Parts of one expression that are shown; loops over long lists have more. */
const shownParts = 40;

export interface TracedExpression {
  readonly expression: string;
  /** `spec.validations[0].expression`. */
  readonly path: string;
  /** A name of its own, told before the expression's text. */
  readonly name?: string;
}

/** An expression with what each of its parts came to, in the order of evaluation. */
export function explainExpression(
  {expression, path, name}: TracedExpression,
  environment: Environment,
  scope: CelScope,
): ExplainNode {
  const label = name === undefined ? oneLine(expression) : `${name}: ${oneLine(expression)}`;
  const frame = {kind: 'expression', name: label, path} as const;
  let trace: ReturnType<Environment['trace']>;
  try {
    trace = environment.trace(expression, scope.bindings, scope.host);
  } catch (error) {
    if (!(error instanceof BudgetError)) throw error;
    return node({...frame, verdict: 'error', note: error.message, at: undefined, wanted: undefined, got: undefined, children: undefined});
  }
  const roots = trace === undefined ? [] : treeOf(trace.steps);
  const whole = roots.at(-1);
  if (whole === undefined) return node({...frame, ...constant(expression, environment, scope), at: undefined, wanted: undefined, children: undefined});
  return shown(whole, path, label, trace?.cut === true);
}

/** An expression of nothing but literals has no steps. */
function constant(expression: string, environment: Environment, scope: CelScope) {
  const {program} = environment.compile(expression);
  try {
    const value = program?.evaluate(scope.bindings, scope.host);
    return {verdict: verdictOf(value), got: value === undefined ? undefined : jsonOf(value), note: undefined};
  } catch (error) {
    if (!(error instanceof EvalError)) throw error;
    return {verdict: 'error' as const, got: undefined, note: error.message};
  }
}

interface Part extends TraceStep {
  readonly parts: readonly Part[];
}

/** Parts are told before what they are parts of: each takes those of its own that stand before it. */
function treeOf(steps: readonly TraceStep[]): readonly Part[] {
  const below = new Map<Expr, ReadonlySet<Expr>>();
  const stack: Part[] = [];
  for (const step of steps) {
    const own = descendants(step.expr, below);
    let from = stack.length;
    while (from > 0 && own.has(stack[from - 1]!.expr)) from--;
    stack.push({...step, parts: stack.splice(from)});
  }
  return stack;
}

function descendants(expr: Expr, known: Map<Expr, ReadonlySet<Expr>>): ReadonlySet<Expr> {
  const found = known.get(expr);
  if (found !== undefined) return found;
  const all = new Set<Expr>();
  const visit = (part: Expr) => {
    for (const child of children(part)) {
      all.add(child);
      visit(child);
    }
  };
  visit(expr);
  known.set(expr, all);
  return all;
}

function shown(part: Part, path: string, name?: string, cut = false): ExplainNode {
  const parts = part.parts.flatMap(told);
  const kept = parts.slice(0, shownParts).map(inner => shown(inner, path));
  if (parts.length > shownParts || cut)
    kept.push(more(path, cut ? 'further parts' : `${parts.length - shownParts} further parts`));
  return node({
    kind: 'expression',
    name: name ?? oneLine(unparse(part.expr)),
    path,
    at: undefined,
    verdict: part.error === undefined ? verdictOf(part.value) : 'error',
    wanted: undefined,
    got: part.value === undefined ? undefined : jsonOf(part.value),
    note: part.error,
    children: kept,
  });
}

function more(path: string, text: string): ExplainNode {
  return {kind: 'expression', name: `… ${text}`, path, verdict: 'not-reached'};
}

/** Of `a.b.c` the whole is told, not `a` and `a.b`; names alone say nothing. */
function told(part: Part): readonly Part[] {
  if (part.expr.kind === 'ident') return [];
  if (part.expr.kind !== 'select' || part.expr.test) return [part];
  const failed = part.error !== undefined && part.parts.some(inner => inner.error !== undefined);
  return [{...part, parts: failed ? part.parts : part.parts.flatMap(inner => (inner.expr.kind === 'select' ? [] : told(inner)))}];
}

function verdictOf(value: Value | undefined): Verdict {
  if (value === true) return 'yes';
  if (value === false) return 'no';
  return 'ignored';
}

function jsonOf(value: Value): Json {
  try {
    return toJson(value);
  } catch {
    // Types, durations in maps with other keys and the like: JSON has no form for them.
    return valueText(value);
  }
}

function oneLine(text: string): string {
  return text.replaceAll(/\s*\n\s*/g, ' ').trim();
}
