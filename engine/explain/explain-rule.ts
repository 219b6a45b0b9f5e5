import type {CompiledRule} from '../compile/types.js';
import {EvalError} from '../diagnostic.js';
import {isObject, type Json, type JsonObject, ownPath, setOwn} from '../json/types.js';
import type {Exemption} from '../pod-security/index.js';
import type {ClassicRule, ContextEntry, MutatePatch, ValidateCheck} from '../policy/model.js';
import {exceptionsOf, guard, type RuleCall, scopeFor} from '../run/guard-rule.js';
import type {RuleResult, RuleType} from '../types.js';
import {explainCheck} from './explain-check.js';
import {explainConditions} from './explain-conditions.js';
import {explainExceptions} from './explain-exceptions.js';
import {explainImages} from './explain-images.js';
import {explainGroup} from './explain-match.js';
import {explainPatch} from './explain-patch.js';
import {VariableLog} from './explain-variables.js';
import {node} from './node.js';
import type {ExplainNode, FinalResult, RuleExplanation, RuleOutcome} from './types.js';

export const ruleTypes: Readonly<Record<CompiledRule['type'], RuleType>> = {
  validate: 'Validation',
  mutate: 'Mutation',
  mutateExisting: 'Mutation',
  generate: 'Generation',
  verifyImages: 'ImageVerify',
};

/**
 * The walk beside a rule's run: each step judged by the engine's own parts, in the engine's order, as far as the run went.
 * `results` is what the run came to. May suspend; free of side effects.
 */
export function explainRule(call: RuleCall<CompiledRule>, results: readonly RuleResult[]): RuleExplanation {
  const {rule, context, run} = call;
  const {source} = rule;
  const log = new VariableLog();
  const walk: {
    match?: ExplainNode;
    exclude?: ExplainNode;
    preconditions?: ExplainNode;
    exceptions: ExplainNode[];
    check?: ExplainNode | undefined;
  } = {exceptions: []};
  const outcome = guard<RuleOutcome>(
    run,
    () => {
      walk.match = explainGroup(source.match, `${source.path}.match`, {role: 'match', context, run});
      if (walk.match.verdict === 'no') return 'not-matched';
      if (source.exclude !== undefined) {
        walk.exclude = explainGroup(source.exclude, `${source.path}.exclude`, {role: 'exclude', context, run});
        if (walk.exclude.verdict === 'yes') return 'excluded';
      }
      const watched = {...call, rule: {...rule, entries: log.watch(rule.entries, `${source.path}.context`)}};
      const scope = scopeFor(watched);
      if (rule.preconditions !== undefined) {
        const path = `${source.path}.preconditions`;
        walk.preconditions = explainConditions(rule.preconditions, {name: 'preconditions', path}, scope);
        log.expressions(source.preconditions, path, scope);
        if (walk.preconditions.verdict !== 'yes') return 'answered';
      }
      walk.exceptions = explainExceptions(call, scope);
      const exemptions = exemptionsOf(call, scope);
      if (exemptions === undefined) return 'answered';
      walk.check = checkNode(watched, {scope, log, exemptions, results});
      const {action} = source;
      if (action.type === 'validate' && results.some(result => result.status === 'fail'))
        log.expressions(action.message, `${source.path}.validate.message`, scope);
      return results.length > 0 ? 'answered' : 'nothing-to-say';
    },
    () => (results.length > 0 ? 'answered' : 'nothing-to-say'),
  );
  return {
    rule: rule.name,
    type: rule.type === 'validate' && rule.isImageCheck === true ? 'ImageVerify' : ruleTypes[rule.type],
    path: source.path,
    ...(rule.derived && {derived: {from: declaredName(call), rule: shownRule(source)}}),
    outcome,
    ...(walk.match !== undefined && {match: walk.match}),
    ...(walk.exclude !== undefined && {exclude: walk.exclude}),
    variables: log.values,
    ...(walk.preconditions !== undefined && {preconditions: walk.preconditions}),
    exceptions: walk.exceptions,
    ...(walk.check !== undefined && {check: walk.check}),
    results: results.map(finalResult),
  };
}

/** What the check is freed from; undefined when exceptions free from all of it. */
function exemptionsOf(
  call: RuleCall<CompiledRule>,
  scope: ReturnType<typeof scopeFor>,
): readonly Exemption[] | undefined {
  const exceptions = exceptionsOf(call, scope);
  const {action} = call.rule.source;
  if (exceptions.length === 0) return [];
  if (action.type !== 'validate' || action.check.type !== 'podSecurity') return undefined;
  const exemptions = exceptions.flatMap(({key, podSecurity}) =>
    podSecurity === undefined ? [] : [{key, exclusions: podSecurity}],
  );
  return exemptions.length === exceptions.length ? exemptions : undefined;
}

interface Tools {
  readonly scope: ReturnType<typeof scopeFor>;
  readonly log: VariableLog;
  readonly exemptions: readonly Exemption[];
  readonly results: readonly RuleResult[];
}

function checkNode(
  {rule, context, policy, snapshot}: RuleCall<CompiledRule>,
  {scope, log, exemptions, results}: Tools,
): ExplainNode | undefined {
  const {source} = rule;
  const {action} = source;
  const path = `${source.path}.${action.type}`;
  try {
    if (action.type === 'verifyImages')
      return explainImages({rule, context, run: scope.env, policy, snapshot}, results);
    if (action.type === 'validate') {
      return explainCheck(action.check, {
        subject: context.resource,
        scope,
        log,
        path,
        document: ['validate'],
        exemptions: exemptions.length === 0 ? undefined : exemptions,
      });
    }
    if (action.type === 'mutate' && rule.type === 'mutate') {
      const {object} = context.request;
      return object === undefined
        ? undefined
        : explainPatch(action.patch, {object, scope, log, path, document: ['mutate']}).node;
    }
    return targetsNode(rule, {scope, log, exemptions, results});
  } catch (error) {
    if (!(error instanceof EvalError)) throw error;
    return node({
      kind: action.type === 'validate' ? checkKinds[action.check.type] : 'patch',
      name: action.type,
      path,
      verdict: 'error',
      note: error.message,
    });
  }
}

/** What came out of a generate rule, or of one that changes existing objects. */
function targetsNode({source, type}: CompiledRule, {scope, log, results}: Tools): ExplainNode | undefined {
  const {action} = source;
  const path = `${source.path}.${action.type}`;
  const [first] = results;
  if (first === undefined) return undefined;
  if (action.type === 'generate') log.expressions(action.raw, path, scope);
  const children = results.flatMap(({targets = [], status, message}) =>
    targets.map(target =>
      node({
        kind: 'target',
        name: objectName(target),
        path,
        verdict: status === 'warn' ? 'fail' : status,
        wanted: target,
        note: type === 'generate' ? undefined : message,
      }),
    ),
  );
  const verdict = results.find(({status}) => status === 'error' || status === 'fail')?.status ?? first.status;
  return node({
    kind: type === 'generate' ? 'generate' : 'patch',
    name: type === 'generate' ? 'generate' : 'mutate existing',
    path,
    verdict: verdict === 'warn' ? 'fail' : verdict,
    children,
  });
}

function objectName(object: JsonObject): string {
  const [kind, namespace, name] = [
    ownPath(object, 'kind'),
    ownPath(object, 'metadata', 'namespace'),
    ownPath(object, 'metadata', 'name'),
  ];
  return `${String(kind)} ${typeof namespace === 'string' && namespace !== '' ? `${namespace}/` : ''}${String(name)}`;
}

const checkKinds = {
  pattern: 'pattern',
  anyPattern: 'anyPattern',
  deny: 'deny',
  foreach: 'foreach',
  podSecurity: 'podSecurity',
  assert: 'assert',
  cel: 'fault',
  manifests: 'fault',
} as const;

function finalResult({status, message, action, exceptions}: RuleResult): FinalResult {
  return {status, message, action, ...(exceptions !== undefined && {exceptions})};
}

function declaredName({policy, rule}: RuleCall<CompiledRule>): string {
  return policy.source.spec.rules.find(declared => declared.path === rule.source.path)?.name ?? rule.name;
}

function withoutUndefined(value: Json): Json {
  if (Array.isArray(value)) return value.map(withoutUndefined);
  if (!isObject(value)) return value;
  const result: JsonObject = {};
  for (const [key, item] of Object.entries(value)) if (item !== undefined) setOwn(result, key, withoutUndefined(item));
  return result;
}

/** The rewritten rule in the words that policies are written in. */
function shownRule({name, match, exclude, context, preconditions, action}: ClassicRule): Json {
  const rule = {
    name,
    match: shownGroup(match),
    ...(exclude !== undefined && {exclude: shownGroup(exclude)}),
    ...(context.length > 0 && {context: context.map(shownEntry)}),
    ...(preconditions !== undefined && {preconditions}),
    ...shownAction(action),
  };
  return withoutUndefined(rule as unknown as JsonObject);
}

function shownGroup({mode, filters}: ClassicRule['match']) {
  const isSet = ([, value]: readonly [string, unknown]) =>
    value !== undefined && !(Array.isArray(value) && value.length === 0);
  return {
    [mode]: filters.map(({roles, clusterRoles, subjects, ...resources}) => ({
      resources: Object.fromEntries(Object.entries(resources).filter(isSet)),
      ...Object.fromEntries(Object.entries({roles, clusterRoles, subjects}).filter(isSet)),
    })),
  };
}

function shownAction(action: ClassicRule['action']) {
  if (action.type === 'validate') {
    const {failureAction, message, check} = action;
    return {validate: {failureAction, message, ...shownCheck(check)}};
  }
  if (action.type === 'mutate') return {mutate: shownPatch(action.patch)};
  return {[action.type]: 'raw' in action ? action.raw : null};
}

function shownEntry(entry: ContextEntry): object {
  const {type, name, ...rest} = entry;
  switch (entry.type) {
    case 'configMap':
      return {name, configMap: {name: entry.configMapName, namespace: entry.configMapNamespace}};
    case 'globalReference':
      return {name, globalReference: {name: entry.entry, jmesPath: entry.jmesPath}};
    case 'imageRegistry':
      return {name, imageRegistry: {reference: entry.reference, jmesPath: entry.jmesPath}};
    default:
      return {name, [type]: rest};
  }
}

function shownCheck(check: ValidateCheck): object {
  switch (check.type) {
    case 'pattern':
      return {pattern: check.pattern};
    case 'anyPattern':
      return {anyPattern: check.patterns};
    case 'deny':
      return {deny: {conditions: check.conditions}};
    case 'foreach':
      return {
        foreach: check.entries.map(({check: inner, context, ...entry}) => ({
          ...entry,
          ...(context.length > 0 && {context: context.map(shownEntry)}),
          ...shownCheck(inner),
        })),
      };
    default:
      return {[check.type]: check.raw};
  }
}

function shownPatch(patch: MutatePatch): object {
  switch (patch.type) {
    case 'strategicMerge':
      return {patchStrategicMerge: patch.patch};
    case 'json6902':
      return {patchesJson6902: patch.patch};
    case 'foreach':
      return {
        foreach: patch.entries.map(({patch: inner, context, ...entry}) => ({
          ...entry,
          ...(context.length > 0 && {context: context.map(shownEntry)}),
          ...shownPatch(inner),
        })),
      };
  }
}
