import {ownPath} from '../../engine/json/types.js';
import type {EngineRequest, PolicyRef, PolicyResult, RuleResult} from '../../engine/types.js';
import {nameOfKey, namespaceOfKey} from '../policies/policy-key.js';
import type {EventAction, EventSource, EventSubject, PolicyEvent} from './event.js';

const celGroup = 'policies.kyverno.io/';

export interface PolicyEventsInput {
  readonly request: Pick<EngineRequest, 'kind' | 'namespace' | 'name' | 'object' | 'oldObject'>;
  readonly results: readonly PolicyResult[];
  /** The request was refused (by any of the policies). */
  readonly blocked: boolean;
  readonly source: EventSource;
  /** Events for rules that passed, too; only those of `successActions` when that is given. */
  readonly success?: boolean | undefined;
  readonly successActions?: readonly string[] | undefined;
  /** Of the request's answer; the same as in log, trace and audit annotations. */
  readonly decision?: string | undefined;
  /** So that `kubectl describe` of a policy finds its Events. */
  readonly uidOf?: ((policy: PolicyRef) => string | undefined) | undefined;
}

/**
 * What a judged request tells the event stream: failures, errors, warnings and exceptions on the policy and on the
 * object, what passed only when asked for. The words of a refusal are `webhook denied`.
 */
export function policyEvents(input: PolicyEventsInput): PolicyEvent[] {
  const resource = subjectOf(input);
  const events = input.results.flatMap(result => {
    // Most of what is judged passes, and tells nothing.
    if (input.success !== true && !result.rules.some(rule => isBad(rule) || rule.status === 'skip')) return [];
    const policy = policySubject(result.policy, input.uidOf);
    const skipped = result.rules.flatMap(rule => exceptionEvents({input, result, rule, policy, resource}));
    const failed = result.rules.filter(isBad).flatMap(rule => violationEvents({input, result, rule, policy, resource}));
    return [...failed, ...skipped, ...successEvents({input, result, policy, resource})];
  });
  const {decision} = input;
  return decision === undefined || decision === '' ? events : events.map(event => ({...event, decision}));
}

interface Parts {
  readonly input: PolicyEventsInput;
  readonly result: PolicyResult;
  readonly policy: EventSubject;
  readonly resource: EventSubject;
}

function violationEvents({input, result, rule, policy, resource}: Parts & {readonly rule: RuleResult}): PolicyEvent[] {
  const blocks = input.blocked && rule.action === 'Enforce';
  const head = `${resourceText(resource)}: ${rule.rule === '' ? '' : `[${rule.rule}] `}${rule.status}`;
  const message = rule.message === '' ? '' : `: ${rule.message}`;
  const note = blocks
    ? `${head} (blocked); admission webhook denied the request by policy ${result.policy.key}${rule.rule === '' ? '' : `, rule ${rule.rule}`}${message}`
    : `${head}${rule.message === '' ? '' : `; ${rule.message}`}`;
  const common = {reason: 'PolicyViolation', source: input.source} as const;
  const action: EventAction = blocks ? 'Resource Blocked' : 'Resource Passed';
  const onPolicy: PolicyEvent = {...common, regarding: policy, related: resource, action, note};
  if (!exists(input)) return [onPolicy];
  const text = `policy ${ruleText(result, rule)} ${rule.status}${blocks ? ' (blocked)' : ''}${message}`;
  return [onPolicy, {...common, regarding: resource, action, note: text}];
}

/** What was refused at its creation is no object to hang an Event on. */
function exists({blocked, request}: PolicyEventsInput): boolean {
  return !blocked || request.oldObject !== undefined;
}

/** Policies written in CEL have no names for their parts. */
function ruleText({policy}: PolicyResult, {rule}: RuleResult): string {
  return rule === '' ? policy.key : `${policy.key}/${rule}`;
}

function exceptionEvents({input, result, rule, policy, resource}: Parts & {readonly rule: RuleResult}): PolicyEvent[] {
  if (rule.status !== 'skip' || rule.exceptions === undefined || rule.exceptions.length === 0) return [];
  const common = {reason: 'PolicySkipped', action: 'Resource Passed', source: input.source, related: resource} as const;
  const what = `resource ${resourceText(resource)} was skipped from policy rule ${ruleText(result, rule)}`;
  const why = `${what} due to policy exception ${rule.exceptions.join(', ')}`;
  const apiVersion = result.policy.apiVersion.startsWith(celGroup) ? `${celGroup}v1beta1` : 'kyverno.io/v2';
  const onExceptions = rule.exceptions.map((key): PolicyEvent => {
    const regarding = {
      apiVersion,
      kind: 'PolicyException',
      namespace: namespaceOfKey(key),
      name: nameOfKey(key),
    };
    return {...common, regarding, note: what};
  });
  const onPolicy: PolicyEvent = {...common, regarding: policy, note: why};
  if (!exists(input)) return [...onExceptions, onPolicy];
  const {related: _itself, ...alone} = common;
  return [...onExceptions, onPolicy, {...alone, regarding: resource, note: `policy ${ruleText(result, rule)} skip: policy exception ${rule.exceptions.join(', ')}`}];
}

function successEvents({input, result, policy, resource}: Parts): PolicyEvent[] {
  const passed = result.rules.filter(rule => rule.status === 'pass');
  if (!input.success || passed.length === 0) return [];
  const mutated = passed.some(rule => rule.type === 'Mutation');
  const action: EventAction = mutated ? 'Resource Mutated' : 'Resource Passed';
  if (input.successActions && !input.successActions.includes(action)) return [];
  const note = mutated ? `${resourceText(resource)} is successfully mutated` : `${resourceText(resource)}: pass`;
  const common = {reason: 'PolicyApplied', action, source: input.source} as const;
  const onPolicy: PolicyEvent[] = result.rules.some(isBad) ? [] : [{...common, regarding: policy, related: resource, note}];
  if (!exists(input)) return onPolicy;
  return [...onPolicy, ...passed.map((rule): PolicyEvent => ({...common, regarding: resource, note: `policy ${ruleText(result, rule)} pass`}))];
}

function isBad({status}: RuleResult): boolean {
  return status === 'fail' || status === 'error' || status === 'warn';
}

function resourceText({kind, namespace, name}: EventSubject): string {
  return `${kind} ${namespace === '' ? '' : `${namespace}/`}${name}`;
}

/** What was refused has a new uid with each try: without it, tries are repeats of one Event. */
function subjectOf(input: PolicyEventsInput): EventSubject {
  const {kind, namespace, name, object, oldObject} = input.request;
  const uid = exists(input) ? ownPath(object ?? oldObject, 'metadata', 'uid') : undefined;
  const isNamespace = kind.group === '' && kind.kind === 'Namespace';
  return {
    apiVersion: kind.group === '' ? kind.version : `${kind.group}/${kind.version}`,
    kind: kind.kind,
    namespace: isNamespace ? '' : namespace,
    name,
    ...(typeof uid === 'string' && {uid}),
  };
}

function policySubject(policy: PolicyRef, uidOf: PolicyEventsInput['uidOf']): EventSubject {
  const {apiVersion, kind, namespace, name} = policy;
  const uid = uidOf?.(policy);
  return {apiVersion, kind, namespace, name, ...(uid !== undefined && {uid})};
}
