import {activeControllers} from '../autogen/derive-rules.js';
import {isObject, type Json, type JsonObject, own} from '../json/types.js';
import type {ClassicPolicy, ClassicRule, ValidateAction} from '../policy/model.js';
import {all, any, not, rendered, Unconvertible} from './code.js';
import {celRule} from './cel-rule.js';
import {generateRule} from './generate-rule.js';
import {appliesTest, kindsOf, type MatchOptions, resourceRules} from './match.js';
import {mutateRule} from './mutate-rule.js';
import {type NamedTest, type RuleCode, validateRuleCode} from './validate-rule.js';

/** What could not be carried over; without effect on what is. */
export interface Loss {
  readonly rule: string;
  /** `spec.rules[0].validate.foreach[0].list`. */
  readonly path: string;
  readonly reason: string;
}

export interface Conversion {
  /** Empty when some rule could not be converted: a policy is never half of itself. */
  readonly policies: readonly JsonObject[];
  readonly losses: readonly Loss[];
  /** What differs without changing a verdict. */
  readonly notes: readonly string[];
}

/** A classic policy as policies of `policies.kyverno.io`, all of it or nothing. */
export function toCel(policy: ClassicPolicy, options: MatchOptions): Conversion {
  const losses: Loss[] = [];
  const notes: string[] = [];
  const attempt = <T>(rule: string, make: () => T): T | undefined => {
    try {
      return make();
    } catch (error) {
      if (!(error instanceof Unconvertible)) throw error;
      losses.push({rule, path: error.path, reason: error.reason});
      return undefined;
    }
  };
  attempt('', () => checkSpec(policy));
  const made: JsonObject[] = [];
  for (const group of groupsOf(policy)) {
    const built = attempt(group.rules.length === 1 ? group.rules[0]!.name : '', () => groupPolicy(group, {policy, options, attempt, notes}));
    if (built !== undefined) made.push(built);
  }
  if (losses.length > 0) return {policies: [], losses, notes};
  return {policies: named(made, policy), losses, notes};
}

type Attempt = <T>(rule: string, make: () => T) => T | undefined;

interface Frame {
  readonly policy: ClassicPolicy;
  readonly options: MatchOptions;
  readonly attempt: Attempt;
  readonly notes: string[];
}

function checkSpec({spec}: ClassicPolicy): void {
  if (spec.applyRules === 'One') throw new Unconvertible('spec.applyRules', 'all validations of a CEL policy are judged');
  if (spec.failureActionOverrides.length > 0)
    throw new Unconvertible('spec.validationFailureActionOverrides', 'a CEL policy has the same actions in all namespaces');
}

interface Group {
  readonly type: 'validate' | 'mutate' | 'generate' | 'cel';
  readonly rules: readonly ClassicRule[];
  readonly actions: readonly string[];
  /** Whether the rules are extended to Pod controllers. */
  readonly autogen: boolean;
}

/** Rules that can be one policy: of one type, with the same actions and the same autogen. */
function groupsOf(policy: ClassicPolicy): readonly Group[] {
  const extends_ = activeControllers(policy).length > 0;
  const groups = new Map<string, {type: Group['type']; rules: ClassicRule[]; actions: readonly string[]; autogen: boolean}>();
  for (const rule of policy.spec.rules) {
    const {action} = rule;
    const type = action.type === 'validate' && action.check.type === 'cel' ? 'cel' : action.type;
    if (type === 'verifyImages' || type === 'cleanup') {
      groups.set(rule.path, {type: 'validate', rules: [rule], actions: [], autogen: false});
      continue;
    }
    const kinds = kindsOf(rule);
    const autogen = extends_ && kinds.length === 1 && kinds[0] === 'Pod';
    const actions = action.type === 'validate' ? actionsOf(action, policy) : [];
    const alone = type === 'validate' ? '' : rule.path;
    const key = `${type} ${alone} ${actions.join()} ${autogen}`;
    const group = groups.get(key) ?? {type, rules: [], actions, autogen};
    group.rules.push(rule);
    groups.set(key, group);
  }
  return [...groups.values()];
}

function actionsOf({failureAction}: ValidateAction, {spec}: ClassicPolicy): readonly string[] {
  const action = (failureAction ?? spec.failureAction) === 'Enforce' ? 'Deny' : 'Audit';
  return spec.emitWarning && action === 'Audit' ? [action, 'Warn'] : [action];
}

function groupPolicy(group: Group, frame: Frame): JsonObject | undefined {
  const {attempt, notes} = frame;
  const [first] = group.rules;
  if (first === undefined) return undefined;
  if (group.type === 'mutate') return assemble('MutatingPolicy', group, frame, mutateRule(first));
  if (group.type === 'generate') return assemble('GeneratingPolicy', group, frame, generateRule(first));
  if (group.type === 'cel') return assemble('ValidatingPolicy', group, frame, {...celRule(first), validationActions: [...group.actions]});
  const kinds = new Set(group.rules.map(rule => [...kindsOf(rule)].sort().join(' '))).size > 1;
  const rules = group.rules.flatMap(rule => attempt(rule.name, () => ruleOf(rule, kinds, notes)) ?? []);
  if (rules.length < group.rules.length) return undefined;
  const matches = rules.map(({code, applies}) => ({code, applies: [...applies, ...code.applies].filter(({test}) => test.text !== 'true')}));
  const [single] = matches;
  const common: NamedTest[] =
    matches.length === 1
      ? single!.applies
      : matches.some(({applies}) => applies.length === 0)
        ? []
        : [{name: 'some-rule-applies', test: any(...matches.map(({applies}) => all(...applies.map(({test}) => test))))}];
  const body = {
    validationActions: [...group.actions],
    matchConditions: common.map(({name, test}) => ({name, expression: rendered(test)})),
    validations: matches.map(({code, applies}): JsonObject => {
      const guard = matches.length === 1 ? [] : applies.map(({test}) => test);
      return {
        expression: rendered(guard.length === 0 ? code.holds : any(not(all(...guard)), code.holds)),
        ...(code.message !== undefined && {message: code.message}),
        ...(code.messageExpression !== undefined && {messageExpression: code.messageExpression}),
      };
    }),
  };
  return assemble('ValidatingPolicy', group, frame, body);
}

function ruleOf(rule: ClassicRule, kinds: boolean, notes: string[]): {readonly code: RuleCode; readonly applies: readonly NamedTest[]} {
  const {action} = rule;
  if (action.type !== 'validate')
    throw new Unconvertible(rule.path, `${action.type} rules are not converted: ${action.type === 'verifyImages' ? 'write an ImageValidatingPolicy' : 'write a DeletingPolicy'}`);
  if (action.failureActionOverrides.length > 0)
    throw new Unconvertible(`${rule.path}.validate.failureActionOverrides`, 'a CEL policy has the same actions in all namespaces');
  const code = validateRuleCode(rule, action);
  notes.push(...code.notes);
  return {code, applies: [{name: 'match', test: appliesTest(rule, {kinds})}]};
}

/** The parts that all kinds share around what is a kind's own. */
function assemble(kind: string, group: Group, {policy, options}: Frame, body: JsonObject): JsonObject {
  const {spec} = policy;
  const operations = operationsOf(group);
  const kinds = [...new Set(group.rules.flatMap(kindsOf))];
  const path = `${group.rules[0]!.path}.match`;
  if (kinds.length === 0) throw new Unconvertible(path, 'a match block without kinds');
  const ownConditions = spec.matchConditions.map(({name, expression}) => ({name, expression}));
  const {matchConditions = [], evaluation, ...rest} = body;
  const conditions = [...ownConditions, ...(matchConditions as JsonObject[])];
  const {failurePolicy, timeoutSeconds} = spec;
  const generating = kind === 'GeneratingPolicy';
  return {
    apiVersion: 'policies.kyverno.io/v1',
    kind: policy.ref.namespace === '' ? kind : `Namespaced${kind}`,
    metadata: metadataOf(policy),
    spec: {
      matchConstraints: {resourceRules: resourceRules(kinds, operations, path, options) as unknown as Json},
      ...(conditions.length > 0 && {matchConditions: conditions}),
      ...(failurePolicy !== 'Fail' && !generating && {failurePolicy}),
      ...(timeoutSeconds !== undefined && {webhookConfiguration: {timeoutSeconds}}),
      ...evaluationOf(policy, evaluation, generating),
      ...(generating ? {} : autogenOf(policy, group)),
      ...rest,
    },
  };
}

function evaluationOf({spec}: ClassicPolicy, own: Json | undefined, generating: boolean): JsonObject {
  const evaluation: JsonObject = {
    ...(!spec.admission && {admission: {enabled: false}}),
    ...(!spec.background && !generating && {background: {enabled: false}}),
    ...(isObject(own) ? own : {}),
  };
  return Object.keys(evaluation).length === 0 ? {} : {evaluation};
}

const plurals: Readonly<Record<string, string>> = {
  DaemonSet: 'daemonsets',
  Deployment: 'deployments',
  ReplicaSet: 'replicasets',
  StatefulSet: 'statefulsets',
  Job: 'jobs',
  CronJob: 'cronjobs',
};

/** CEL policies about Pods are extended to all controllers unless they say otherwise. */
function autogenOf(policy: ClassicPolicy, {autogen, rules}: Group): JsonObject {
  if (!rules.flatMap(kindsOf).some(kind => kind === 'Pod' || kind === 'v1/Pod')) return {};
  const controllers = autogen ? activeControllers(policy).flatMap(kind => plurals[kind] ?? []) : [];
  if (autogen && controllers.length === Object.keys(plurals).length) return {};
  return {autogen: {podControllers: {controllers}}};
}

/** Changes are what policies are about; deletions only where a rule speaks of operations or of the old object. */
function operationsOf({rules, type}: Group): readonly string[] {
  const operations = new Set<string>();
  for (const rule of rules) {
    for (const filter of rule.match.filters) {
      if (filter.operations.length > 0) for (const operation of filter.operations) operations.add(operation);
      else {
        operations.add('CREATE').add('UPDATE');
        const text = JSON.stringify([rule.preconditions ?? null, rule.action], (_key, item) => (typeof item === 'bigint' ? String(item) : item));
        if (type === 'validate' && /request\.oldObject|['"]?DELETE\b/.test(text)) operations.add('DELETE');
      }
    }
  }
  const order = ['CREATE', 'UPDATE', 'DELETE', 'CONNECT'];
  return order.filter(operation => operations.has(operation));
}

const droppedAnnotations = new Set(['kubectl.kubernetes.io/last-applied-configuration', 'pod-policies.kyverno.io/autogen-controllers']);

function metadataOf({raw, ref}: ClassicPolicy): JsonObject {
  const metadata = own(raw, 'metadata');
  const part = (name: string): JsonObject => {
    const found = isObject(metadata) ? own(metadata, name) : undefined;
    if (!isObject(found)) return {};
    const kept = Object.fromEntries(Object.entries(found).filter(([key]) => !droppedAnnotations.has(key)));
    return Object.keys(kept).length === 0 ? {} : {[name]: kept};
  };
  return {
    name: ref.name,
    ...(ref.namespace !== '' && {namespace: ref.namespace}),
    ...part('labels'),
    ...part('annotations'),
  };
}

/** Several of one kind cannot share a name. */
function named(policies: readonly JsonObject[], {ref}: ClassicPolicy): readonly JsonObject[] {
  const seen = new Map<string, number>();
  return policies.map(policy => {
    const kind = String(policy['kind']);
    const count = (seen.get(kind) ?? 0) + 1;
    seen.set(kind, count);
    if (count === 1) return policy;
    return {...policy, metadata: {...(policy['metadata'] as JsonObject), name: `${ref.name}-${count}`}};
  });
}
