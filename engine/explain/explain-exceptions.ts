import {compileOptionalBlock} from '../compile/condition-block.js';
import type {CompiledRule} from '../compile/types.js';
import type {RuleScope} from '../context/rule-scope.js';
import type {CompiledException} from '../exception/compile-exception.js';
import type {RuleCall} from '../run/guard-rule.js';
import {explainConditions} from './explain-conditions.js';
import {explainGroup} from './explain-match.js';
import {node, yesNo} from './node.js';
import type {ExplainNode} from './types.js';

/** Every exception at hand: whether it frees this object from this rule, and by which of its terms not. */
export function explainExceptions(call: RuleCall<CompiledRule>, scope: RuleScope): ExplainNode[] {
  return [...call.snapshot.exceptions.values()]
    .sort((a, b) => (a.key < b.key ? -1 : 1))
    .map(exception => explainException(exception, call, scope));
}

function explainException(exception: CompiledException, call: RuleCall<CompiledRule>, scope: RuleScope): ExplainNode {
  const {context, policy, rule} = call;
  const {source, key} = exception;
  const children: ExplainNode[] = [];
  const named = exception.names(policy.ref.key, rule.name);
  children.push(
    node({
      kind: 'term',
      name: 'exceptions',
      path: 'spec.exceptions',
      verdict: yesNo(named),
      wanted: source.entries.map(entry => ({policyName: entry.policyName, ruleNames: [...entry.ruleNames]})),
      got: {policyName: policy.ref.key, ruleNames: [rule.name]},
    }),
  );
  if (!named) return node({kind: 'exception', name: key, path: '', verdict: 'no', children});
  const applies = exception.applies(context, scope);
  const match =
    source.match === undefined
      ? undefined
      : explainGroup(source.match, 'spec.match', {role: 'exception', context, run: scope.env});
  if (match !== undefined) children.push(match);
  const block = compileOptionalBlock(source.conditions, 'spec.conditions');
  const conditions =
    block === undefined || match?.verdict === 'no'
      ? undefined
      : explainConditions(block, {name: 'conditions', path: 'spec.conditions'}, scope);
  if (conditions !== undefined) children.push(conditions);
  // What is left when everything it says holds: where it stands.
  if (!applies && match?.verdict !== 'no' && (conditions === undefined || conditions.verdict === 'yes')) {
    children.push(
      node({
        kind: 'term',
        name: 'namespace',
        path: 'metadata.namespace',
        verdict: 'no',
        wanted: source.namespace,
        got: context.request.namespace,
        note: 'exceptions of this namespace free objects of this namespace only',
      }),
    );
  }
  const controls = source.podSecurity.map(entry => String(entry['controlName'] ?? ''));
  return node({
    kind: 'exception',
    name: key,
    path: '',
    verdict: yesNo(applies),
    note: applies && controls.length > 0 ? `frees from: ${controls.join(', ')}` : undefined,
    children,
  });
}
