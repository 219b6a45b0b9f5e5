import {checkExceptionConditions} from '../../engine/cel-policies/compile/check-exception.js';
import {loadCelException} from '../../engine/cel-policies/load/load-cel-exception.js';
import type {Diagnostic} from '../../engine/diagnostic.js';
import type {JsonObject} from '../../engine/json/types.js';
import {celDoubts, type Finding, type Severity} from '../../engine/lint/index.js';
import type {ResourceMap} from '../../engine/resource-map.js';
import type {PolicyDocument} from '../files/load-policies.js';
import {preparePolicy} from '../offline/prepare-policies.js';
import {sharedRegex} from '../offline/regex.js';

export interface CelLintOptions {
  readonly resources: ResourceMap;
  /** Those of Kubernetes' own policies. */
  readonly bindings: readonly JsonObject[];
}

/** What is wrong with or doubtful about a policy whose expressions are CEL; `undefined` for a document that is none. */
export function lintCel(document: PolicyDocument, {resources, bindings}: CelLintOptions): Finding[] | undefined {
  const {family, raw} = document;
  if (family === 'cel-exception') {
    const {policy, errors, warnings} = loadCelException(raw);
    const faults = policy === undefined ? errors : checkExceptionConditions(policy, sharedRegex());
    return [...findings(faults, 'error'), ...findings(warnings, 'warning')];
  }
  if (family !== 'cel' && family !== 'vap' && family !== 'map') return undefined;
  const {invalid, warnings, refusal, cel} = preparePolicy(document, resources, bindings);
  const unserved = refusal === undefined ? [] : [{code: 'not-served', path: '', message: refusal}];
  return [...findings(invalid, 'error'), ...findings([...warnings, ...unserved], 'warning'), ...(cel === undefined ? [] : celDoubts(cel))];
}

function findings(diagnostics: readonly Diagnostic[], severity: Severity): Finding[] {
  return diagnostics.map(({code, message, path, hint = ''}) => ({id: code, severity, message, hint, path, rule: ''}));
}
