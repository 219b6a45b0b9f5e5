import {compileAssertion} from '../assert/index.js';
import {compileBlock} from '../compile/condition-block.js';
import type {RuleScope} from '../context/rule-scope.js';
import {CompileError, EvalError} from '../diagnostic.js';
import {isObject, type Json, type JsonObject, own} from '../json/types.js';
import {compileExclusion, type Exemption} from '../pod-security/index.js';
import {podPath, viewPod} from '../pod-security/pod-view.js';
import type {Level} from '../pod-security/registry.js';
import {describeViolations} from '../pod-security/report.js';
import {compileStandard, reduceViolations, violationsOf} from '../pod-security/standard.js';
import type {ValidateCheck} from '../policy/model.js';
import {compileTemplate, type DocumentPath} from '../variables/template.js';
import {explainConditions} from './explain-conditions.js';
import {explainForeach} from './explain-foreach.js';
import type {VariableLog} from './explain-variables.js';
import {node} from './node.js';
import {tracePattern} from './trace-pattern.js';
import type {ExplainNode, Verdict} from './types.js';

export interface CheckLook {
  readonly subject: Json | undefined;
  readonly scope: RuleScope;
  readonly log: VariableLog;
  /** `spec.rules[0].validate`. */
  readonly path: string;
  readonly document: DocumentPath;
  readonly exemptions?: readonly Exemption[] | undefined;
  readonly depth?: number;
}

/** A check as the engine runs it, node by node; `undefined` when it has nothing to say. Throws what evaluation throws. */
export function explainCheck(check: ValidateCheck, look: CheckLook): ExplainNode | undefined {
  switch (check.type) {
    case 'pattern':
      return look.scope.deleting
        ? undefined
        : explainPattern(
            check.pattern,
            {name: 'pattern', path: `${look.path}.pattern`, document: [...look.document, 'pattern']},
            look,
          );
    case 'anyPattern':
      return look.scope.deleting ? undefined : explainAnyPattern(check.patterns, look);
    case 'deny':
      return explainDeny(check.conditions, look);
    case 'foreach':
      return explainForeach(check.entries, look);
    case 'podSecurity':
      return explainPodSecurity(check.raw, look);
    case 'assert':
      return explainAssert(check.raw, look);
    default:
      return undefined;
  }
}

interface PatternPlace {
  readonly name: string;
  readonly path: string;
  readonly document: DocumentPath;
}

function explainPattern(
  pattern: Json,
  {name, path, document}: PatternPlace,
  {subject, scope, log}: CheckLook,
): ExplainNode {
  const value = compileTemplate(pattern, path, {document}).evaluate(scope);
  log.expressions(pattern, path, scope);
  const {result, children} = tracePattern(value, path, {resource: subject, budget: scope.env.budget});
  return node({
    kind: 'pattern',
    name,
    path,
    at: '/',
    verdict: result.status,
    note: result.status === 'pass' ? undefined : result.message,
    children,
  });
}

/** The first alternative that matches decides; a failing one weighs more than a skipping one. */
function explainAnyPattern(patterns: readonly Json[], look: CheckLook): ExplainNode {
  const path = `${look.path}.anyPattern`;
  const children: ExplainNode[] = [];
  for (const [index, pattern] of patterns.entries()) {
    const place = {name: `[${index}]`, path: `${path}[${index}]`, document: [...look.document, 'anyPattern', index]};
    if (children.some(child => child.verdict === 'pass'))
      children.push(node({kind: 'pattern', name: place.name, path: place.path, verdict: 'not-reached'}));
    else children.push(explainPattern(pattern, place, look));
  }
  const has = (...verdicts: readonly Verdict[]) => children.some(child => verdicts.includes(child.verdict));
  const verdict = has('pass') ? 'pass' : has('fail', 'error') ? 'fail' : has('skip') ? 'skip' : 'error';
  return node({kind: 'anyPattern', name: 'anyPattern', path, verdict, children});
}

function explainDeny(raw: Json | undefined, {scope, path, log}: CheckLook): ExplainNode {
  const at = `${path}.deny`;
  const conditions = explainConditions(
    compileBlock(raw, `${at}.conditions`),
    {name: 'conditions', path: `${at}.conditions`},
    scope,
  );
  log.expressions(raw, `${at}.conditions`, scope);
  const verdict = conditions.verdict === 'error' ? 'error' : conditions.verdict === 'yes' ? 'fail' : 'pass';
  return node({kind: 'deny', name: 'deny', path: at, verdict, note: conditions.note, children: conditions.children});
}

function explainPodSecurity(raw: JsonObject, {subject, scope, path, exemptions}: CheckLook): ExplainNode | undefined {
  if (scope.deleting || !isObject(subject)) return undefined;
  const at = `${path}.podSecurity`;
  const level = own(raw, 'level') as Level;
  const version = own(raw, 'version');
  const place = podPath(subject, scope.context.request.kind);
  const pod = viewPod(subject, place, scope.env.budget);
  const excludes = own(raw, 'exclude');
  const exclusions = (Array.isArray(excludes) ? excludes : []).filter(isObject).map(compileExclusion);
  const exempt = (exemptions ?? []).flatMap(exemption => exemption.exclusions);
  let failed = false;
  let freedByException = false;
  const children = compileStandard(level, typeof version === 'string' ? version : '').map(check => {
    const found = violationsOf([check], pod) ?? [];
    const kept = reduceViolations(found, exclusions);
    const left = reduceViolations(kept, exempt);
    const verdict = left.length > 0 ? 'fail' : found.length > 0 ? 'skip' : 'pass';
    failed ||= left.length > 0;
    freedByException ||= kept.length > 0 && left.length === 0;
    const note =
      left.length > 0
        ? describeViolations(left, place)
        : found.length === 0
          ? undefined
          : `${kept.length > 0 ? 'freed by an exception' : 'excluded by the rule'}: ${describeViolations(found, place)}`;
    return node({kind: 'control', name: `${check.source.control} (${check.source.id})`, path: at, verdict, note});
  });
  const verdict = failed ? 'fail' : freedByException ? 'skip' : 'pass';
  return node({
    kind: 'podSecurity',
    name: `podSecurity ${level}:${typeof version === 'string' && version !== '' ? version : 'latest'}`,
    path: at,
    verdict,
    children,
  });
}

function explainAssert(tree: JsonObject, {subject, scope, path, document, log}: CheckLook): ExplainNode | undefined {
  if (scope.deleting || !isObject(subject)) return undefined;
  const at = `${path}.assert`;
  const value = compileTemplate(tree, at, {document: [...document, 'assert']}).evaluate(scope);
  log.expressions(tree, at, scope);
  let faults: ReturnType<ReturnType<typeof compileAssertion>['check']>;
  try {
    faults = compileAssertion(value, at).check(subject, {functions: scope.env, bindings: name => scope.root.get(name)});
  } catch (error) {
    if (error instanceof CompileError) throw new EvalError(`${error.diagnostic.path}: ${error.message}`);
    throw error;
  }
  const children = faults.map(fault =>
    node({
      kind: 'fault',
      name: fault.path === '' ? '(root)' : fault.path,
      path: at,
      verdict: 'fail',
      note: fault.message,
    }),
  );
  return node({
    kind: 'assert',
    name: 'assert',
    path: at,
    verdict: faults.length === 0 ? 'pass' : 'fail',
    wanted: value,
    children,
  });
}
