import type {Diagnostic} from '../diagnostic.js';
import {type JsonObject, ownPath} from '../json/types.js';
import {loadClassicPolicy} from '../policy/index.js';
import type {ClassicPolicy} from '../policy/model.js';
import {celCatalogue} from './lint-cel.js';
import {expressionRules} from './expression-rules.js';
import {idempotenceRule, lintIdempotence} from './idempotence.js';
import {matchRules} from './match-rules.js';
import {messageRules} from './message-rules.js';
import {mutateRules} from './mutate-rules.js';
import {patternRules} from './pattern-rules.js';
import type {Finding, LintOptions, LintRule, Severity} from './types.js';

const rules: readonly LintRule[] = [
  ...matchRules,
  ...mutateRules,
  ...patternRules,
  ...expressionRules,
  ...messageRules,
];

/** Everything that the linter looks for by itself, for lists, docs and SARIF. */
export const lintCatalogue: ReadonlyArray<{
  readonly id: string;
  readonly severity: Severity;
  readonly summary: string;
  readonly hint: string;
}> = [...rules.map(({id, severity, summary, hint}) => ({id, severity, summary, hint})), {...idempotenceRule}, ...celCatalogue].sort(
  (a, b) => (a.id < b.id ? -1 : 1),
);

/** What is wrong with a policy (the loader's faults and warnings) and what is likely to hurt, in document order. */
export async function lintPolicy(raw: JsonObject, options: LintOptions): Promise<Finding[]> {
  const {policy, errors, warnings} = loadClassicPolicy(raw, {resources: options.resources});
  const told = [
    ...errors.map(fault => fromDiagnostic(fault, 'error', raw)),
    ...warnings.map(fault => fromDiagnostic(fault, 'warning', raw)),
  ];
  if (policy === undefined) return told;
  const findings = [...told, ...checkRules(policy), ...(await lintIdempotence(policy, options))];
  return findings
    .map((finding, order) => ({finding, order}))
    .sort((a, b) => ruleIndex(a.finding.path) - ruleIndex(b.finding.path) || a.order - b.order)
    .map(({finding}) => finding);
}

function checkRules(policy: ClassicPolicy): Finding[] {
  const findings: Finding[] = [];
  for (const rule of policy.spec.rules) {
    for (const lint of rules) {
      for (const fault of lint.check({policy, rule})) {
        findings.push({
          id: lint.id,
          severity: fault.severity ?? lint.severity,
          message: fault.message,
          hint: fault.hint ?? lint.hint,
          path: fault.path,
          rule: rule.name,
        });
      }
    }
  }
  return findings;
}

function fromDiagnostic({code, message, hint, path}: Diagnostic, severity: Severity, raw: JsonObject): Finding {
  return {id: code, severity, message, hint: hint ?? '', path, rule: ruleName(raw, path)};
}

function ruleName(raw: JsonObject, path: string): string {
  const rules = ownPath(raw, 'spec', 'rules');
  const rule = Array.isArray(rules) ? rules[ruleIndex(path)] : undefined;
  const name = ownPath(rule, 'name');
  return typeof name === 'string' ? name : '';
}

function ruleIndex(path: string): number {
  return Number(/^spec\.rules\[(\d+)\]/.exec(path)?.[1] ?? -1);
}
