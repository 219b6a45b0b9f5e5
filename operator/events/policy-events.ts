import {ownPath} from '../../engine/json/types.js';
import type {EngineRequest, PolicyRef, PolicyResult, RuleResult} from '../../engine/types.js';
import type {EventAction, EventSource, EventSubject, PolicyEvent} from './event.js';

export interface PolicyEventsInput {
  readonly request: Pick<EngineRequest, 'kind' | 'namespace' | 'name' | 'object' | 'oldObject'>;
  readonly results: readonly PolicyResult[];
  /** The request was refused (by any of the policies). */
  readonly blocked: boolean;
  readonly source: EventSource;
  /** Events for rules that passed, too; only those of `successActions` when that is given. */
  readonly success?: boolean | undefined;
  readonly successActions?: readonly string[] | undefined;
  /** So that `kubectl describe` of a policy finds its Events. */
  readonly uidOf?: ((policy: PolicyRef) => string | undefined) | undefined;
}

/** What a judged request tells the event stream; the words of a refusal are `webhook denied`. */
export function policyEvents(input: PolicyEventsInput): PolicyEvent[] {
  const resource = subjectOf(input.request);
  return input.results.flatMap(result => {
    const policy = policySubject(result.policy, input.uidOf);
    const skipped = result.rules.flatMap(rule => exceptionEvents({input, result, rule, policy, resource}));
    const failed = result.rules.filter(isBad).flatMap(rule => violationEvents({input, result, rule, policy, resource}));
    return [...failed, ...skipped, ...successEvents({input, result, policy, resource})];
  });
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
    ? `${head} (blocked); admission webhook denied the request by policy ${result.policy.key}, rule ${rule.rule}${message}`
    : `${head}${rule.message === '' ? '' : `; ${rule.message}`}`;
  const common = {reason: 'PolicyViolation', source: input.source} as const;
  const action: EventAction = blocks ? 'Resource Blocked' : 'Resource Passed';
  const onPolicy: PolicyEvent = {...common, regarding: policy, related: resource, action, note};
  // A refused object does not exist: nothing to hang an Event on.
  if (input.blocked) return [onPolicy];
  const text = `policy ${result.policy.key}/${rule.rule} ${rule.status}${message}`;
  return [onPolicy, {...common, regarding: resource, action, note: text}];
}

function exceptionEvents({input, result, rule, policy, resource}: Parts & {readonly rule: RuleResult}): PolicyEvent[] {
  if (rule.status !== 'skip' || rule.exceptions === undefined || rule.exceptions.length === 0) return [];
  const common = {reason: 'PolicySkipped', action: 'Resource Passed', source: input.source, related: resource} as const;
  const what = `resource ${resourceText(resource)} was skipped from policy rule ${result.policy.key}/${rule.rule}`;
  const onExceptions = rule.exceptions.map((key): PolicyEvent => {
    const slash = key.indexOf('/');
    const regarding = {
      apiVersion: 'kyverno.io/v2',
      kind: 'PolicyException',
      namespace: slash < 0 ? '' : key.slice(0, slash),
      name: key.slice(slash + 1),
    };
    return {...common, regarding, note: what};
  });
  return [
    ...onExceptions,
    {...common, regarding: policy, note: `${what} due to policy exception ${rule.exceptions.join(', ')}`},
  ];
}

function successEvents({input, result, policy, resource}: Parts): PolicyEvent[] {
  const passed = result.rules.filter(rule => rule.status === 'pass');
  if (!input.success || passed.length === 0 || result.rules.some(isBad)) return [];
  const mutated = passed.some(rule => rule.type === 'Mutation');
  const action: EventAction = mutated ? 'Resource Mutated' : 'Resource Passed';
  if (input.successActions && !input.successActions.includes(action)) return [];
  const note = mutated ? `${resourceText(resource)} is successfully mutated` : `${resourceText(resource)}: pass`;
  return [{regarding: policy, related: resource, reason: 'PolicyApplied', action, note, source: input.source}];
}

function isBad({status}: RuleResult): boolean {
  return status === 'fail' || status === 'error';
}

function resourceText({kind, namespace, name}: EventSubject): string {
  return `${kind} ${namespace === '' ? '' : `${namespace}/`}${name}`;
}

function subjectOf({kind, namespace, name, object, oldObject}: PolicyEventsInput['request']): EventSubject {
  const uid = ownPath(object ?? oldObject, 'metadata', 'uid');
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
