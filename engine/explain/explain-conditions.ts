import type {Conditions} from '../compile/types.js';
import type {CompiledCondition} from '../conditions/index.js';
import type {RuleScope} from '../context/rule-scope.js';
import {BudgetError, EvalError} from '../diagnostic.js';
import type {Json} from '../json/types.js';
import type {TemplateScope} from '../variables/template.js';
import type {Template} from '../variables/types.js';
import {node, yesNo} from './node.js';
import type {ExplainNode} from './types.js';

type Condition = CompiledCondition<TemplateScope>;

/** A condition block in the order in which the engine judges it: `any` up to its first true, `all` up to its first false. */
export function explainConditions(
  conditions: Conditions,
  place: {readonly name: string; readonly path: string},
  scope: RuleScope,
): ExplainNode {
  const {any, all, form} = conditions.conditions;
  let failure: string | undefined;
  const children: ExplainNode[] = [];
  const block = (list: readonly Condition[] | undefined, mode: 'any' | 'all'): boolean => {
    if (list === undefined) return true;
    const nodes: ExplainNode[] = [];
    let decided = failure !== undefined;
    let hit = false;
    for (const condition of list) {
      const child = decided ? unreached(condition) : explainCondition(condition, scope);
      nodes.push(child);
      if (decided) continue;
      if (child.verdict === 'error') failure = child.note ?? '';
      hit = child.verdict === (mode === 'any' ? 'yes' : 'no');
      decided = hit || child.verdict === 'error';
    }
    const holds = mode === 'any' ? hit : !hit;
    const verdict = nodes.some(({verdict: one}) => one === 'error')
      ? 'error'
      : decided && nodes.every(({verdict: one}) => one === 'not-reached')
        ? 'not-reached'
        : yesNo(holds);
    const path = form === 'legacy' ? place.path : `${place.path}.${mode}`;
    children.push(node({kind: 'block', name: mode, path, verdict, children: nodes}));
    return holds;
  };
  const anyHolds = block(any, 'any');
  const allHolds = block(all, 'all');
  const verdict = failure === undefined ? yesNo(anyHolds && allHolds) : 'error';
  return node({kind: 'conditions', ...place, verdict, note: failure, children});
}

function unreached({path, operator}: Condition): ExplainNode {
  return node({kind: 'condition', name: operator, path, verdict: 'not-reached'});
}

/** `wanted` is the value, `got` the key, both as evaluated. */
function explainCondition(condition: Condition, scope: RuleScope): ExplainNode {
  const {path, operator} = condition;
  const base = {kind: 'condition', name: operator, path} as const;
  try {
    const holds = condition.test(scope, scope.env.budget);
    return node({
      ...base,
      verdict: yesNo(holds),
      wanted: part(condition.value, scope),
      got: part(condition.key, scope),
      note: condition.describe(scope),
    });
  } catch (error) {
    if (!(error instanceof EvalError) || error instanceof BudgetError) throw error;
    return node({
      ...base,
      verdict: 'error',
      wanted: part(condition.value, scope),
      got: part(condition.key, scope),
      note: error.message,
    });
  }
}

/** `undefined` for what has no value: the condition's own error says why. */
function part(template: Template<TemplateScope>, scope: RuleScope): Json | undefined {
  try {
    return template.evaluate(scope);
  } catch (error) {
    if (!(error instanceof EvalError) || error instanceof BudgetError) throw error;
    return undefined;
  }
}
