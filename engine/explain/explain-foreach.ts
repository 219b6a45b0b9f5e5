import {compileList} from '../compile/compile-foreach.js';
import {compileOptionalBlock} from '../compile/condition-block.js';
import {elementVariables} from '../compile/element-variables.js';
import {compileEntries} from '../context/compile-entry.js';
import type {RuleScope} from '../context/rule-scope.js';
import {BudgetError, EvalError} from '../diagnostic.js';
import {goTypeName, isObject, type Json} from '../json/types.js';
import type {ValidateForeach} from '../policy/model.js';
import {type CheckLook, explainCheck} from './explain-check.js';
import {explainConditions} from './explain-conditions.js';
import {node} from './node.js';
import type {ExplainNode, Verdict} from './types.js';

/** Loops are joined by AND; the first element that does not pass ends the rule. */
export function explainForeach(entries: readonly ValidateForeach[], look: CheckLook): ExplainNode | undefined {
  const children: ExplainNode[] = [];
  let ended: Verdict | undefined;
  let applied = 0;
  let listFault = false;
  for (const [index, entry] of entries.entries()) {
    const path = `${look.path}.foreach[${index}]`;
    const name = `foreach ${entry.list}`;
    if (ended !== undefined) {
      children.push(node({kind: 'foreach', name, path, verdict: 'not-reached'}));
      continue;
    }
    const loop = explainLoop(entry, {name, path}, {...look, path, document: [...look.document, 'foreach', index]});
    children.push(loop.node);
    applied += loop.applied;
    listFault ||= loop.listFault;
    ended = loop.ended;
  }
  const verdict = ended ?? (applied > 0 ? 'pass' : listFault ? 'error' : 'ignored');
  return node({
    kind: 'foreach',
    name: 'foreach',
    path: `${look.path}.foreach`,
    verdict,
    note: verdict === 'ignored' ? 'no element was judged' : undefined,
    children,
  });
}

interface LoopWalk {
  readonly node: ExplainNode;
  readonly applied: number;
  readonly listFault: boolean;
  readonly ended: Verdict | undefined;
}

function explainLoop(
  entry: ValidateForeach,
  place: {readonly name: string; readonly path: string},
  look: CheckLook,
): LoopWalk {
  const {scope} = look;
  let elements: readonly Json[];
  try {
    elements = compileList(entry.list, `${place.path}.list`)(scope);
  } catch (error) {
    if (!(error instanceof EvalError) || error instanceof BudgetError) throw error;
    const listNode = node({
      kind: 'foreach',
      ...place,
      verdict: 'error',
      note: `the list cannot be evaluated: ${error.message}`,
    });
    return {node: listNode, applied: 0, listFault: true, ended: undefined};
  }
  const compiled = {
    entries: look.log.watch(compileEntries(entry.context, `${place.path}.context`), `${place.path}.context`),
    preconditions: compileOptionalBlock(entry.preconditions, `${place.path}.preconditions`),
  };
  const children: ExplainNode[] = [];
  let applied = 0;
  let ended: Verdict | undefined;
  for (const [index, element] of elements.entries()) {
    scope.env.budget.step();
    const base = {kind: 'element', name: `[${index}]`, path: place.path} as const;
    if (ended !== undefined) {
      children.push(node({...base, verdict: 'not-reached'}));
      continue;
    }
    if (element === null) {
      children.push(node({...base, verdict: 'ignored', note: 'null elements are left out'}));
      continue;
    }
    const inner = scope.child(compiled.entries, elementVariables(element, index, look.depth ?? 0));
    const walked = explainElement(entry, compiled.preconditions, {element, inner, base, look});
    children.push(walked);
    if (walked.verdict === 'pass') applied += 1;
    else if (walked.verdict === 'fail' || walked.verdict === 'error') ended = walked.verdict;
  }
  const verdict = ended ?? (applied > 0 ? 'pass' : 'ignored');
  const note = elements.length === 0 ? 'the list is empty' : undefined;
  return {node: node({kind: 'foreach', ...place, verdict, note, children}), applied, listFault: false, ended};
}

interface ElementWalk {
  readonly element: Json;
  readonly inner: RuleScope;
  readonly base: {readonly kind: 'element'; readonly name: string; readonly path: string};
  readonly look: CheckLook;
}

function explainElement(
  entry: ValidateForeach,
  preconditions: ReturnType<typeof compileOptionalBlock>,
  {element, inner, base, look}: ElementWalk,
): ExplainNode {
  const children: ExplainNode[] = [];
  const shown = isObject(element) || Array.isArray(element) ? undefined : element;
  if (preconditions !== undefined) {
    const gate = explainConditions(preconditions, {name: 'preconditions', path: `${base.path}.preconditions`}, inner);
    children.push(gate);
    if (gate.verdict !== 'yes')
      return node({...base, verdict: 'ignored', got: shown, note: 'preconditions not met', children});
  }
  const scoped = entry.elementScope ?? isObject(element);
  if (scoped && !isObject(element)) {
    return node({
      ...base,
      verdict: 'error',
      got: shown,
      note: `elementScope wants maps, this element is ${goTypeName(element)}`,
      children,
    });
  }
  try {
    const check = explainCheck(entry.check, {
      ...look,
      subject: scoped ? element : look.subject,
      scope: inner,
      depth: (look.depth ?? 0) + 1,
    });
    if (check === undefined || check.verdict === 'skip' || check.verdict === 'ignored') {
      return node({
        ...base,
        verdict: 'ignored',
        got: shown,
        children: check === undefined ? children : [...children, check],
      });
    }
    return node({...base, verdict: check.verdict, got: shown, note: check.note, children: [...children, check]});
  } catch (error) {
    if (!(error instanceof EvalError) || error instanceof BudgetError) throw error;
    return node({...base, verdict: 'error', got: shown, note: error.message, children});
  }
}
