import {compileConstraints} from '../cel-policies/match/match-constraints.js';
import {compileResourceRules} from '../cel-policies/match/resource-rules.js';
import type {MatchConstraints, ResourceRule} from '../cel-policies/model.js';
import type {RuleRun} from '../context/rule-run.js';
import {BudgetError, EvalError} from '../diagnostic.js';
import type {Json} from '../json/types.js';
import type {EngineRequest} from '../types.js';
import {yesNo} from './node.js';
import type {ExplainNode, Verdict} from './types.js';

const path = 'spec.matchConstraints';

/** Which part of matchConstraints a request meets or misses. */
export function explainConstraints(
  constraints: MatchConstraints | undefined,
  request: EngineRequest,
  run: RuleRun,
  {anyOperation}: {readonly anyOperation: boolean},
): ExplainNode {
  const frame = {kind: 'match', name: 'matchConstraints', path} as const;
  if (constraints === undefined) return {...frame, verdict: 'no', note: 'there are none, which selects nothing'};
  const children: ExplainNode[] = [];
  const {group, version, resource} = request.resource;
  const got = `${request.operation} ${group === '' ? '' : `${group}/`}${version}/${resource}${request.subResource === '' ? '' : `/${request.subResource}`}`;
  const rules = (field: 'resourceRules' | 'excludeResourceRules', wanted: boolean) => {
    constraints[field].forEach((rule, index) => {
      const selects = compileResourceRules([rule], {anyOperation})(request);
      children.push({
        kind: 'term',
        name: `${field}[${index}]`,
        path: `${path}.${field}[${index}]`,
        verdict: wanted ? yesNo(selects) : selects ? 'no' : 'yes',
        wanted: ruleText(rule),
        got,
      });
    });
  };
  rules('excludeResourceRules', false);
  rules('resourceRules', true);
  const everything = {resourceRules: [], excludeResourceRules: [], namespaceSelector: undefined, objectSelector: undefined, matchPolicy: undefined};
  for (const field of ['objectSelector', 'namespaceSelector'] as const) {
    const selector = constraints[field];
    if (selector === undefined) continue;
    const {verdict, note} = attempt(() => compileConstraints({...everything, [field]: selector})(request, run));
    children.push({
      kind: 'term',
      name: field,
      path: `${path}.${field}`,
      verdict,
      wanted: selector as unknown as Json,
      ...(note !== undefined && {note}),
    });
  }
  const {verdict, note} = attempt(() => compileConstraints(constraints, {anyOperation})(request, run));
  return {...frame, verdict, ...(note !== undefined && {note}), children};
}

function attempt(test: () => boolean): {readonly verdict: Verdict; readonly note?: string} {
  try {
    return {verdict: yesNo(test())};
  } catch (error) {
    if (!(error instanceof EvalError) || error instanceof BudgetError) throw error;
    return {verdict: 'error', note: error.message};
  }
}

function ruleText({operations, apiGroups, apiVersions, resources, scope, resourceNames}: ResourceRule): Json {
  const named = resourceNames.length === 0 ? '' : ` named ${resourceNames.join(', ')}`;
  const scoped = scope === '*' ? '' : ` (${scope})`;
  const groups = apiGroups.map(group => (group === '' ? '""' : group)).join(',');
  return `${operations.join(',')} ${groups}/${apiVersions.join(',')}/${resources.join(',')}${named}${scoped}`;
}
