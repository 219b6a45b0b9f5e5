import type {Program} from '../../cel/environment.js';
import {compileGenerations} from '../../cel-generate/compile-generations.js';
import {compileMutations} from '../../cel-mutate/compile-mutations.js';
import {checkNames, compileExtractors, compileImages} from '../../cel-image/compile-images.js';
import {imageVariables} from '../../cel/kyverno/image-verify.js';
import {configurationWarnings} from '../../cel-mutate/configuration-warnings.js';
import type {Diagnostic} from '../../diagnostic.js';
import {idleProviders, type ProviderLack} from '../../image/idle-providers.js';
import {type KeyServiceLack, noKeyServices} from '../../image/key-services.js';
import {Faults} from '../../policy/faults.js';
import type {RegexEngine} from '../../regex/types.js';
import type {ResourceMap} from '../../resource-map.js';
import {deriveVariants, unknownControllers} from '../autogen/derive-variants.js';
import {isProxyMode, policyEnvironment, proxyEnvironment} from '../environment/environments.js';
import {type KindEnvironment, slotsOf, templateOf} from '../environment/kind-environment.js';
import {VariableTypes} from '../environment/variables-object.js';
import {compileConstraints} from '../match/match-constraints.js';
import type {
  CelPolicy,
  GeneratingPolicy,
  ImageValidatingPolicy,
  MutatingPolicy,
  NamedExpression,
  ValidatingPolicy,
} from '../model.js';
import type {CompiledCelPolicy, ConditionOutcome, PolicyBehaviour, PolicyVariant} from '../types.js';
import {boolOutput, ExpressionCompiler, stringOutput} from './expression-compiler.js';
import {compileAnnotations, compileConditions, compileDecisions, compileValidations} from './lists.js';
import {unknownFields} from './unknown-fields.js';
import {compileVariables} from './variables.js';

export interface CelCompileOptions {
  readonly regex: RegexEngine;
  readonly resources: ResourceMap;
  /** Lets policies of namespaces make HTTP calls; off by default. */
  readonly allowHttp?: boolean;
  /** Takes policies for proxies (modes HTTP and Envoy), whose questions can be given offline. */
  readonly proxyModes?: boolean;
  /** Policies on keys of a service that lacks something are refused; all of them are when absent. */
  readonly keyServiceLack?: KeyServiceLack;
  /** Policies whose registry credentials all lack something are refused; none are when absent. */
  readonly providerLack?: ProviderLack;
}

export type CelCompileResult =
  | {readonly policy: CompiledCelPolicy; readonly problems: readonly []}
  | {readonly policy: undefined; readonly problems: readonly Diagnostic[]};

/** Turns a loaded policy into programs, or says everything that stands in the way. Never half of a policy. */
export function compileCelPolicy(source: CelPolicy, options: CelCompileOptions): CelCompileResult {
  const isServed = source.type === 'imageValidating' ? isOwnMode : isServedMode;
  if ((source.type === 'validating' || source.type === 'imageValidating') && !isServed(source.spec.mode, options))
    return notServed(source.spec.mode);
  const derived = 'podControllers' in source.spec ? deriveVariants(source as ValidatingPolicy, options.resources) : [];
  const models: Array<{name: PolicyVariant['name']; model: CelPolicy}> = [
    {name: '', model: source},
    ...derived.map(({config, model}) => ({name: config.name, model})),
  ];
  const compiled = models.map(({name, model}) => compileVariant(name, model, options));
  const problems = compiled.flatMap(({compiler}, index) => {
    const about = models[index]!.name;
    return about === '' ? compiler.problems : compiler.problems.map(problem => ofVariant(problem, about));
  });
  // What is wrong with the policy itself is wrong with its variants, too.
  const own = compiled[0]!.compiler.problems;
  if (problems.length > 0) return {policy: undefined, problems: own.length > 0 ? own : problems};
  const forbidden = compiled.flatMap(({compiler}) => forbiddenInNamespace(source, compiler, options));
  if (forbidden.length > 0) return {policy: undefined, problems: forbidden.slice(0, 1)};
  const {compiler} = compiled[0]!;
  return {
    problems: [],
    policy: {
      ref: source.ref,
      source,
      failurePolicy: 'failurePolicy' in source.spec ? source.spec.failurePolicy : 'Fail',
      variants: compiled.map(({variant}) => variant),
      autogen: derived.map(({config}) => config),
      warnings: [
        ...compiler.warnings,
        ...fieldWarnings(source, compiler, options.resources),
        ...(source.type === 'mutating' ? configurationWarnings(source, options.resources) : []),
        ...controllerWarnings(source, options.resources),
      ],
      cost: costOf(compiler.programs.map(({program}) => program)),
    },
  };
}

function isOwnMode(mode: string): boolean {
  return mode === 'Kubernetes' || mode === 'JSON';
}

/** Other modes are for other products. */
function isServedMode(mode: string, {proxyModes = false}: CelCompileOptions): boolean {
  return isOwnMode(mode) || (proxyModes && isProxyMode(mode));
}

function notServed(mode: string): CelCompileResult {
  const message = `evaluation mode ${JSON.stringify(mode)} is not served by this release`;
  return {policy: undefined, problems: [{code: 'not-served', path: 'spec.evaluation.mode', message}]};
}

function ofVariant(problem: Diagnostic, variant: string): Diagnostic {
  return {
    ...problem,
    hint: `in the variant ${variant} for Pod controllers; spec.autogen.podControllers.controllers: [] turns it off`,
  };
}

interface CompiledVariant {
  readonly variant: PolicyVariant;
  readonly compiler: ExpressionCompiler;
}

function compileVariant(name: PolicyVariant['name'], model: CelPolicy, options: CelCompileOptions): CompiledVariant {
  const types = new VariableTypes();
  const kind = environmentOf(model, options.regex);
  const early = kind.environment.extend({libraries: [{name: 'kyverno.policy.variables', objects: [types]}]});
  const images = model.type === 'imageValidating';
  const environment = images ? early.extend({variables: imageVariables}) : early;
  const compiler = new ExpressionCompiler(environment);
  const {behaviour, variables} =
    model.type === 'imageValidating'
      ? compileImageBehaviour(model, compiler, {types, options, early: compiler.within(early)})
      : compileBehaviour(model, compiler, types);
  return {
    compiler,
    variant: {
      name,
      constraints: model.spec.matchConstraints,
      matches: compileConstraints(model.spec.matchConstraints, {anyOperation: model.type === 'deleting'}),
      plan: {
        slots: slotsOf(environment, {...kind.has, images}),
        template: templateOf(environment, kind.contexts),
        variables,
        namespace: model.ref.namespace === '' ? undefined : model.ref.namespace,
      },
      readsNamespace: compiler.programs.some(({program}) => program.variables.has('namespaceObject')),
      behaviour,
      environment,
      compileExceptionConditions: conditions => exceptionConditions(conditions, early),
    },
  };
}

function environmentOf({type, ref, spec}: CelPolicy, regex: RegexEngine): KindEnvironment {
  if (type === 'validating' && isProxyMode(spec.mode)) return proxyEnvironment({mode: spec.mode, regex});
  return policyEnvironment({type, namespace: ref.namespace === '' ? undefined : ref.namespace, regex});
}

interface CompiledBehaviour {
  readonly behaviour: PolicyBehaviour;
  readonly variables: ReadonlyMap<string, Program>;
}

/** Conditions that are asked before there are variables do not know them: only mutating and deleting ones do. */
function compileBehaviour(model: Exclude<CelPolicy, ImageValidatingPolicy>, compiler: ExpressionCompiler, types: VariableTypes): CompiledBehaviour {
  if (model.type === 'deleting') {
    const variables = compileVariables(model.spec.variables, types, compiler);
    const conditions = compileConditions(model.spec.conditions, 'spec.conditions', compiler);
    return {behaviour: {type: 'deleting', model, conditions}, variables};
  }
  const early = model.type === 'mutating' ? compileVariables(model.spec.variables, types, compiler) : undefined;
  const conditions = compileConditions(model.spec.matchConditions, 'spec.matchConditions', compiler);
  const variables = early ?? compileVariables(model.spec.variables, types, compiler);
  const shared = () => ({
    conditions,
    annotations: compileAnnotations(model.spec.auditAnnotations, 'spec.auditAnnotations', compiler, {
      untyped: model.type === 'generating',
    }),
  });
  return {behaviour: ownPart(model, compiler, shared), variables};
}

interface ImageTools {
  readonly types: VariableTypes;
  readonly options: CelCompileOptions;
  /** Compiles what is asked before there are variables and images. */
  readonly early: ExpressionCompiler;
}

function compileImageBehaviour(
  model: ImageValidatingPolicy,
  compiler: ExpressionCompiler,
  {types, options: {regex, keyServiceLack = noKeyServices, providerLack}, early}: ImageTools,
): CompiledBehaviour {
  const {spec} = model;
  const conditions = compileConditions(spec.matchConditions, 'spec.matchConditions', early);
  const extractors = compileExtractors(model, early);
  const variables = compileVariables(spec.variables, types, compiler);
  const idle = idleProviders(spec.credentials, providerLack);
  if (idle !== undefined) compiler.unserved('spec.credentials.providers', idle);
  const parts = compileImages(model, compiler, {regex, keyServiceLack, bool: boolOutput, text: stringOutput});
  const rules = compileValidations(spec.validations, 'spec.validations', compiler);
  const annotations = compileAnnotations(spec.auditAnnotations, 'spec.auditAnnotations', compiler, {untyped: false});
  checkNames(model, compiler.programs, compiler);
  return {behaviour: {type: 'imageValidating', model, rules, conditions, annotations, images: {...parts, extractors}}, variables};
}

function ownPart(
  model: ValidatingPolicy | MutatingPolicy | GeneratingPolicy,
  compiler: ExpressionCompiler,
  shared: () => Pick<Extract<PolicyBehaviour, {type: 'validating'}>, 'conditions' | 'annotations'>,
): PolicyBehaviour {
  switch (model.type) {
    case 'validating': {
      const compileRules = isProxyMode(model.spec.mode) ? compileDecisions : compileValidations;
      const rules = compileRules(model.spec.validations, 'spec.validations', compiler);
      return {type: 'validating', model, rules, ...shared()};
    }
    case 'mutating': {
      checkNativeConditions(model, compiler);
      return {type: 'mutating', model, rules: compileMutations(model, compiler), ...shared()};
    }
    case 'generating':
      return {type: 'generating', model, rules: compileGenerations(model, compiler), ...shared()};
  }
}

/** The API server asks the conditions of its own policies before their variables. */
function checkNativeConditions(model: MutatingPolicy, compiler: ExpressionCompiler): void {
  if (!model.spec.generateAdmissionPolicy) return;
  for (const {path, program} of compiler.programs) {
    if (!path.startsWith('spec.matchConditions') || !program.variables.has('variables')) continue;
    compiler.fault(
      path,
      'Forbidden: variables cannot be referenced in matchConditions when spec.autogen.mutatingAdmissionPolicy.enabled is true; native MutatingAdmissionPolicy evaluates match conditions before variables, so inline the expression instead',
      program.source,
    );
  }
}

function exceptionConditions(
  conditions: readonly NamedExpression[],
  environment: ExpressionCompiler['environment'],
): ConditionOutcome {
  const compiler = new ExpressionCompiler(environment);
  const compiled = compileConditions(conditions, 'spec.matchConditions', compiler);
  if (compiler.problems.length > 0) return {problems: compiler.problems};
  return {
    conditions: compiled,
    readsNamespace: compiler.programs.some(({program}) => program.variables.has('namespaceObject')),
  };
}

/** A tenant's expressions must not lead out of the tenant's namespace. */
function forbiddenInNamespace(
  source: CelPolicy,
  compiler: ExpressionCompiler,
  options: CelCompileOptions,
): Diagnostic[] {
  if (source.ref.namespace === '') return [];
  const reads = (variable: string) => compiler.programs.find(({program}) => program.variables.has(variable));
  const found: Diagnostic[] = [];
  const http = options.allowHttp === true ? undefined : reads('http');
  if (http !== undefined) {
    found.push({
      code: 'cel-http',
      path: 'spec',
      message: 'Forbidden: http.* is not allowed in namespaced policies; set --allowHTTPInNamespacedPolicies to enable',
      expression: http.program.source,
    });
  }
  const global = reads('globalContext');
  if (global !== undefined) {
    found.push({
      code: 'cel-global-context',
      path: 'spec',
      message: 'Forbidden: globalContext.* is not allowed in namespaced policies',
      expression: global.program.source,
    });
  }
  return found;
}

function fieldWarnings(source: CelPolicy, {programs}: ExpressionCompiler, resources: ResourceMap): Diagnostic[] {
  const {spec} = source;
  // What changes existing objects has them as `object`, too.
  if (source.type === 'mutating' && (source.spec.mutateExisting || source.spec.targetMatchConstraints !== undefined))
    return [];
  return unknownFields({
    constraints: spec.matchConstraints,
    resources,
    variables: spec.variables,
    expressions: programs
      .filter(({path}) => !path.startsWith('spec.variables') && !path.startsWith('spec.target'))
      .map(({path, program}) => ({path, expression: program.source})),
  });
}

function controllerWarnings(source: CelPolicy, resources: ResourceMap): Diagnostic[] {
  if (!('podControllers' in source.spec) || source.type === 'generating') return [];
  const faults = new Faults();
  for (const name of unknownControllers(source as ValidatingPolicy, resources)) {
    faults.warn(
      'autogen-controller',
      'spec.autogen.podControllers.controllers',
      `${JSON.stringify(name)} is no Pod controller that is known and is left out`,
      {hint: 'daemonsets, deployments, replicasets, statefulsets, jobs, cronjobs, or <resource>.<version>.<group>'},
    );
  }
  return faults.warnings;
}

function costOf(programs: readonly Program[]): {min: number; max: number} {
  let [min, max] = [0, 0];
  for (const {costEstimate} of programs) {
    min += costEstimate.min;
    max += costEstimate.max;
  }
  return {min, max};
}
