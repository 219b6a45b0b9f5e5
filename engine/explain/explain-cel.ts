import {type ImageBehaviour, openRun, selectImages, subjectOf} from '../cel-image/evaluate-images.js';
import {conditionsHold} from '../cel-policies/run/conditions.js';
import {type CelCall, createCelEngine} from '../cel-policies/run/create-cel-engine.js';
import type {PolicyException} from '../cel-policies/run/exceptions.js';
import {frameOf} from '../cel-policies/run/results.js';
import {RunPool, type RunPoolOptions} from '../cel-policies/run/run-pool.js';
import {PolicyScope} from '../cel-policies/run/scope.js';
import {deletionData, homeOf, namespaceOf, RequestView} from '../cel-policies/run/scope-data.js';
import {withTemplateMetadata} from '../cel-policies/run/template-metadata.js';
import {CelSnapshot} from '../cel-policies/snapshot/cel-snapshot.js';
import type {CelException, CelPolicy, NamedExpression} from '../cel-policies/model.js';
import type {CompiledCelPolicy, PolicyVariant} from '../cel-policies/types.js';
import {CelError} from '../cel/errors.js';
import {ObjectValue} from '../cel/values/value.js';
import {toJson} from '../cel/values/index.js';
import {BudgetError, EvalError} from '../diagnostic.js';
import type {EngineRequest, PolicyResult} from '../types.js';
import {explainExpression} from './cel-trace.js';
import {explainConstraints} from './explain-constraints.js';
import {maskExplanation, SecretTexts} from './mask.js';
import {node, yesNo} from './node.js';
import type {ExplainNode, FinalResult, PolicyExplanation, RuleExplanation, VariableValue, Verdict} from './types.js';

export interface ExplainCelOptions extends RunPoolOptions {
  readonly policy: CompiledCelPolicy;
  readonly exceptions: readonly CelException[];
  readonly request: EngineRequest;
}

const exceptionRules = {enabled: true, operatorNamespace: 'kyverno', exceptionNamespace: '*'};
const call: CelCall = {phase: 'any', deadline: Number.POSITIVE_INFINITY};

/**
 * How a policy written in CEL decides about one request, once per variant. The results are the engine's own; the walk
 * beside them evaluates each expression again and tells what its parts came to. Secrets are masked.
 */
export async function explainCelPolicy(options: ExplainCelOptions): Promise<PolicyExplanation> {
  const {policy, request} = options;
  const secrets = new SecretTexts();
  secrets.collect(request.object);
  secrets.collect(request.oldObject);
  const rules: RuleExplanation[] = [];
  for (const variant of policy.variants) rules.push(await explainVariant(variant, options));
  return maskExplanation({policy: policy.ref, rules, object: request.object}, secrets);
}

async function explainVariant(variant: PolicyVariant, options: ExplainCelOptions): Promise<RuleExplanation> {
  const {policy, exceptions} = options;
  const snapshot = new CelSnapshot([{...policy, variants: [variant]}], exceptions, exceptionRules);
  const runs = new RunPool(options, call);
  const results = await resultsOf(snapshot, options);
  const walk = await runs.for(policy.ref.namespace).complete(() => walkVariant(variant, {...options, runs, snapshot}));
  return {
    rule: variant.name,
    type: frameOf(policy).type,
    path: '',
    outcome: walk.matched ? 'answered' : 'not-matched',
    match: walk.match,
    variables: walk.variables,
    ...(walk.conditions !== undefined && {preconditions: walk.conditions}),
    exceptions: walk.exceptions,
    ...(walk.check !== undefined && {check: walk.check}),
    results,
  };
}

async function resultsOf(snapshot: CelSnapshot, options: ExplainCelOptions): Promise<readonly FinalResult[]> {
  const {policy, request} = options;
  const engine = createCelEngine({...options, policies: {current: snapshot}});
  const answers: PolicyResult[] = [];
  switch (policy.source.type) {
    case 'mutating':
      answers.push(...(await engine.mutate(request, call)).results, ...(await engine.mutateExisting(request, call)).results);
      break;
    case 'generating':
      answers.push(...(await engine.generate(request, call)).results);
      break;
    case 'deleting':
      answers.push(...(await engine.deletes(request, call)).results);
      break;
    default:
      answers.push(...(await engine.validate(request, call)).results);
  }
  return answers.flatMap(({rules}) =>
    rules.map(({status, message, action, exceptions}) => ({
      status,
      message,
      action,
      ...(exceptions !== undefined && {exceptions}),
    })),
  );
}

interface WalkOptions extends ExplainCelOptions {
  readonly runs: RunPool;
  readonly snapshot: CelSnapshot;
}

interface Walk {
  readonly matched: boolean;
  readonly match: ExplainNode;
  readonly variables: readonly VariableValue[];
  readonly conditions?: ExplainNode;
  readonly exceptions: readonly ExplainNode[];
  readonly check?: ExplainNode;
}

function walkVariant(variant: PolicyVariant, options: WalkOptions): Walk {
  const {policy, request, runs, snapshot} = options;
  const host = runs.for(policy.ref.namespace);
  const {behaviour, environment} = variant;
  const match = explainConstraints(variant.constraints, request, host, {anyOperation: behaviour.type === 'deleting'});
  if (match.verdict !== 'yes') return {matched: false, match, variables: [], exceptions: []};
  const scope = scopeOf(variant, options);
  const trace = (expression: string, path: string, name?: string) =>
    explainExpression({expression, path, ...(name !== undefined && {name})}, environment, scope);
  const {spec} = behaviour.model;
  const [field, list] = behaviour.type === 'deleting' ? (['conditions', behaviour.model.spec.conditions] as const) : (['matchConditions', 'matchConditions' in spec ? spec.matchConditions : []] as const);
  const conditions = conditionsNode(list, `spec.${field}`, trace);
  const freed = snapshot.exceptionsFor(policy, variant).exceptions.map(exception => exceptionNode(exception, scope));
  const reached = conditions === undefined || conditions.verdict === 'yes';
  const check = reached && !freed.some(({verdict}) => verdict === 'yes') ? checkNode(behaviour.model, trace) : undefined;
  return {
    matched: true,
    match,
    variables: variablesOf(spec.variables, scope),
    ...(conditions !== undefined && {conditions}),
    exceptions: freed,
    ...(check !== undefined && {check}),
  };
}

type Trace = (expression: string, path: string, name?: string) => ExplainNode;

function scopeOf(variant: PolicyVariant, {policy, request, runs}: WalkOptions): PolicyScope {
  const host = runs.for(policy.ref.namespace);
  const {plan, name, readsNamespace} = variant;
  if (variant.behaviour.type === 'deleting') {
    const object = request.object ?? {};
    return new PolicyScope(plan, deletionData(object, readsNamespace ? homeOf(object, request, runs.for('')) : null), {host, request});
  }
  const data = new RequestView(request).data(readsNamespace ? namespaceOf(request, runs.for('')) : null);
  const object = withTemplateMetadata(request.object, name) ?? data.object;
  const oldObject = withTemplateMetadata(request.oldObject, name) ?? data.oldObject;
  const scope = new PolicyScope(plan, {...data, object, oldObject}, {host, request});
  return variant.behaviour.type === 'imageValidating' ? withImages(variant.behaviour, policy, scope) : scope;
}

/** What its expressions ask of registries is asked in this scope, too. */
function withImages(behaviour: ImageBehaviour, {ref}: CompiledCelPolicy, bare: PolicyScope): PolicyScope {
  const digests = new Map<string, string>();
  const mode = {name: ref.name, extracts: false, lenient: true, exceptions: [], digests};
  try {
    const selected = selectImages(behaviour, mode, subjectOf(bare));
    if (!('selection' in selected)) return bare;
    const {run, scope} = openRun(behaviour, digests, bare, selected.selection);
    scope.host.imageRun = run;
    return scope;
  } catch (thrown) {
    // The result says so; what can be told without images is.
    if (!(thrown instanceof EvalError)) throw thrown;
    return bare;
  }
}

function conditionsNode(list: readonly NamedExpression[], path: string, trace: Trace): ExplainNode | undefined {
  if (list.length === 0) return undefined;
  const children = list.map(({name, expression}, index) => trace(expression, `${path}[${index}].expression`, name));
  const failed = children.find(({verdict}) => verdict === 'no') ?? children.find(({verdict}) => verdict === 'error');
  return {kind: 'conditions', name: path.slice('spec.'.length), path, verdict: failed?.verdict ?? 'yes', children};
}

function exceptionNode({source, conditions}: PolicyException, scope: PolicyScope): ExplainNode {
  const frame = {kind: 'exception', name: source.key, path: '', at: undefined, wanted: undefined, got: undefined, children: undefined} as const;
  const expired = source.expiresAt !== undefined && source.expiresAt <= scope.host.loader.now();
  if (expired) return node({...frame, verdict: 'no', note: 'it has expired'});
  try {
    const holds = conditionsHold(conditions, scope);
    const parts = source.images.length > 0 || source.allowedValues.length > 0;
    return node({...frame, verdict: holds && parts ? 'ignored' : yesNo(holds), note: holds && parts ? 'it allows images and values' : undefined});
  } catch (error) {
    if (!(error instanceof EvalError)) throw error;
    return node({...frame, verdict: 'error', note: error.message});
  }
}

/** Validations up to the first that does not hold; all mutations and generations. */
function checkNode(policy: CelPolicy, trace: Trace): ExplainNode | undefined {
  const frame = {kind: 'block', path: 'spec'} as const;
  switch (policy.type) {
    case 'validating':
    case 'imageValidating': {
      const children: ExplainNode[] = [];
      let verdict: Verdict = 'pass';
      for (const [index, {expression}] of policy.spec.validations.entries()) {
        const path = `spec.validations[${index}].expression`;
        if (verdict !== 'pass') {
          children.push({kind: 'expression', name: expression.replaceAll(/\s*\n\s*/g, ' '), path, verdict: 'not-reached'});
          continue;
        }
        const found = trace(expression, path);
        children.push(found);
        if (found.verdict !== 'yes') verdict = found.verdict === 'error' ? 'error' : 'fail';
      }
      return {...frame, name: 'validations', verdict, children};
    }
    case 'mutating':
      return {
        ...frame,
        name: 'mutations',
        verdict: 'ignored',
        children: policy.spec.mutations.flatMap(({applyConfiguration, jsonPatch}, index) => {
          const expression = applyConfiguration ?? jsonPatch;
          const field = applyConfiguration === undefined ? 'jsonPatch' : 'applyConfiguration';
          return expression === undefined ? [] : [trace(expression, `spec.mutations[${index}].${field}.expression`)];
        }),
      };
    case 'generating':
      return {
        ...frame,
        name: 'generate',
        verdict: 'ignored',
        children: policy.spec.generate.flatMap(({expression}, index) =>
          expression === undefined ? [] : [trace(expression, `spec.generate[${index}].expression`)],
        ),
      };
    default:
      return undefined;
  }
}

function variablesOf(list: readonly NamedExpression[], scope: PolicyScope): readonly VariableValue[] {
  const variables = scope.bindings.find(value => value instanceof ObjectValue && value.typeName === 'kyverno.variables');
  return list.map(({name}, index): VariableValue => {
    const frame = {name: `variables.${name}`, source: 'context', path: `spec.variables[${index}].expression`} as const;
    try {
      const value = variables instanceof ObjectValue ? variables.get(name) : undefined;
      return value === undefined ? {...frame, error: 'it has no value'} : {...frame, value: toJson(value)};
    } catch (error) {
      if (error instanceof CelError || error instanceof BudgetError) return {...frame, error: error.message};
      throw error;
    }
  });
}
