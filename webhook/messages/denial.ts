import {isObject, own} from '../../engine/json/types.js';
import type {EngineRequest, PolicyResult, RuleResult} from '../../engine/types.js';
import {writeYaml} from './go-yaml.js';

/** `Kind/namespace/name` as refusals print it; the middle is empty for cluster-scoped objects. */
export function resourceLabel(request: EngineRequest): string {
  return `${request.kind.kind}/${request.namespace}/${resourceName(request)}`;
}

/** The request's name, or the object's own where the API server sends none; empty under generateName. */
export function resourceName(request: Pick<EngineRequest, 'name' | 'object' | 'oldObject'>): string {
  if (request.name !== '') return request.name;
  const metadata = own(request.object ?? request.oldObject ?? {}, 'metadata');
  const name = isObject(metadata) ? own(metadata, 'name') : undefined;
  return typeof name === 'string' ? name : '';
}

/**
 * The refusal of a validating request, in the field's shape: every rule that neither passed nor was skipped, by policy.
 * Keys are policy names; policies that share one are told apart by `namespace/name`.
 */
export function denialMessage(request: EngineRequest, results: readonly PolicyResult[]): string {
  const tree = new Map<string, Map<string, string>>();
  const concerned = results.filter(result => result.rules.some(isComplaint));
  for (const result of concerned) {
    const rules = new Map<string, string>();
    for (const rule of result.rules.filter(isComplaint)) {
      // A rule about several images may both fail and be in error.
      const before = rules.get(rule.rule);
      rules.set(rule.rule, before === undefined ? rule.message : `${before}; ${rule.message}`);
    }
    tree.set(policyLabel(result, concerned), rules);
  }
  return `\n\nresource ${resourceLabel(request)} was blocked due to the following policies \n\n${writeYaml(tree)}`;
}

export function isComplaint(rule: RuleResult): boolean {
  return rule.status !== 'pass' && rule.status !== 'skip';
}

function policyLabel(result: PolicyResult, all: readonly PolicyResult[]): string {
  const {name, key} = result.policy;
  const shared = all.some(other => other !== result && other.policy.name === name);
  if (!shared) return name;
  const sameKey = all.some(other => other !== result && other.policy.key === key);
  return sameKey ? `${result.policy.kind} ${key}` : key;
}

/** The refusal of a mutating request whose policy could not be applied. */
export function mutationDenial(results: readonly PolicyResult[], reason: string): string {
  const broken = results.findLast(result => result.rules.some(rule => rule.status === 'error'));
  if (broken === undefined || reason.startsWith('mutation policy ')) return reason;
  const rules = broken.rules.filter(rule => rule.status === 'error').map(rule => `${rule.rule}: ${rule.message}`);
  const {name} = broken.policy;
  return `mutation policy ${name} error: failed to apply policy ${name} rules [${rules.join(' ')}]`;
}
