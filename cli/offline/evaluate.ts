import {defaultLimits} from '../../engine/budget.js';
import type {PayloadMode} from '../../engine/cel-policies/run/create-cel-engine.js';
import type {GivenValues} from '../../engine/context/given-values.js';
import {RequestContext} from '../../engine/context/request-context.js';
import {RuleRun} from '../../engine/context/rule-run.js';
import {isPromise} from '../../engine/context/suspend.js';
import type {ContextLoader} from '../../engine/context-loader.js';
import {EvalError} from '../../engine/diagnostic.js';
import {
  type CompiledException,
  compileException,
  type ExceptionRules,
} from '../../engine/exception/compile-exception.js';
import type {Json, JsonObject} from '../../engine/json/types.js';
import {loadException} from '../../engine/policy/index.js';
import type {RegexEngine} from '../../engine/regex/types.js';
import type {ResourceMap} from '../../engine/resource-map.js';
import {createEngine} from '../../engine/run/create-engine.js';
import {PolicySnapshot} from '../../engine/snapshot/policy-snapshot.js';
import type {AdmissionUser, Engine, EngineRequest, PolicyResult} from '../../engine/types.js';
import {nameOf} from '../files/load-policies.js';
import type {ValuesSpec} from '../files/values-file.js';
import {judgeCleanup} from './cleanup.js';
import {CelRunner, type CelTurn, readExceptions} from './evaluate-cel.js';
import type {OfflineValues} from './given.js';
import type {PreparedPolicy, UnservedRule} from './prepare-policies.js';
import {offlineRequest} from './request.js';
import {type Phase, type PolicyResponse, type RuleResponse, toResponse} from './responses.js';

export interface OfflineWorld {
  readonly policies: readonly PreparedPolicy[];
  readonly exceptions: readonly JsonObject[];
  /** Of `policies.kyverno.io`. */
  readonly celExceptions?: readonly JsonObject[];
  readonly resources: ResourceMap;
  readonly loader: ContextLoader;
  readonly regex: RegexEngine;
  readonly values: OfflineValues;
  readonly subresources: ValuesSpec['subresources'];
  readonly user: AdmissionUser | undefined;
}

/** Every exception frees objects anywhere, as its author wants to see. */
const exceptionRules: ExceptionRules = {enabled: true, operatorNamespace: 'kyverno', exceptionNamespace: '*'};
const noDeadline = {deadline: Number.POSITIVE_INFINITY};
const noProperties: Readonly<Record<string, string>> = Object.freeze({});

interface Runner {
  readonly policy: PreparedPolicy;
  /** `undefined` when nothing of the policy is served. */
  readonly engine: Engine | undefined;
}

/** Judges resources by all policies of a run, in the order in which admission would: changes first. */
export class Evaluator {
  readonly #world: OfflineWorld;
  readonly #runners: readonly Runner[];
  readonly #cel: readonly CelRunner[];

  constructor(world: OfflineWorld) {
    this.#world = world;
    const exceptions = world.exceptions.flatMap(compiledException);
    this.#runners = world.policies
      .filter(policy => policy.invalid.length === 0)
      .map(policy => ({
        policy,
        engine: policy.compiled === undefined ? undefined : engineOf(policy, exceptions, world),
      }));
    const celExceptions = readExceptions(world.celExceptions ?? []);
    this.#cel = world.policies
      .filter(policy => policy.cel !== undefined || policy.native !== undefined)
      .map(policy => new CelRunner(policy, celExceptions, world));
  }

  /** All responses about one resource; `operation` wins over the values'. */
  async evaluate(resource: JsonObject, operation?: string): Promise<readonly PolicyResponse[]> {
    const responses: PolicyResponse[] = [];
    let current = resource;
    for (const runner of this.#runners) {
      if (!has(runner, 'mutate')) continue;
      const response = await this.#phase('mutate', runner, current, operation);
      current = response.patched;
      responses.push(response);
    }
    for (const turn of ['native-mutate', 'mutate'] as const) {
      for (const response of await this.#turn(turn, current, operation, true)) {
        current = response.patched;
        responses.push(response);
      }
    }
    for (const phase of ['verifyImages', 'validate', 'generate'] as const) {
      for (const runner of this.#runners) {
        if (!has(runner, phase)) continue;
        const response = await this.#phase(phase, runner, current, operation);
        if (phase === 'verifyImages') current = response.patched;
        responses.push(response);
      }
      for (const turn of turnsAfter[phase]) responses.push(...(await this.#turn(turn, current, operation, false)));
    }
    return [...responses, ...this.refusals(current)];
  }

  /** What deleting policies would do with one resource; the operation does not matter to them. */
  async deletions(resource: JsonObject): Promise<readonly PolicyResponse[]> {
    const responses: PolicyResponse[] = [];
    for (const runner of this.#cel) responses.push(...(await runner.deletion(resource)));
    return responses;
  }

  /** What policies say of JSON that is no object of Kubernetes. */
  async payload(payload: Json, mode?: PayloadMode): Promise<readonly PolicyResponse[]> {
    const responses: PolicyResponse[] = [];
    for (const runner of this.#cel) responses.push(...(await runner.payload(payload, mode)));
    return responses;
  }

  /** Each policy of a turn; with `chained` each sees what the one before left. */
  async #turn(
    turn: CelTurn,
    resource: JsonObject,
    operation: string | undefined,
    chained: boolean,
  ): Promise<PolicyResponse[]> {
    const responses: PolicyResponse[] = [];
    let current = resource;
    for (const runner of this.#cel) {
      if (runner.turn !== turn) continue;
      for (const response of await runner.judge(current, operation)) {
        if (chained) current = response.patched;
        responses.push(response);
      }
    }
    return responses;
  }

  /** What clean-ups would do with one resource; asked for apart, after everything else. */
  async cleanups(resource: JsonObject): Promise<readonly PolicyResponse[]> {
    const {loader, regex, resources} = this.#world;
    const responses: PolicyResponse[] = [];
    for (const {policy} of this.#runners) {
      if (policy.cleanups.length === 0) continue;
      const rules: RuleResponse[] = [];
      for (const cleanup of policy.cleanups) {
        const run = new RuleRun({loader, regex, resources, operatorNamespace: 'kyverno', limits: defaultLimits});
        const verdict = await judgeCleanup(cleanup, resource, run);
        if (verdict !== undefined)
          rules.push({...response({...verdict, phase: 'cleanup', unserved: false}), status: verdict.status});
      }
      if (rules.length > 0) responses.push({policy, phase: 'cleanup', resource, patched: resource, rules});
    }
    return responses;
  }

  /** Policies that cannot be judged at all, each with the reason as an error. */
  refusals(resource: JsonObject): readonly PolicyResponse[] {
    return this.#runners.flatMap(({policy}) => (policy.refusal === undefined ? [] : [refused(policy, resource)]));
  }

  async #phase(
    phase: Phase,
    runner: Runner,
    resource: JsonObject,
    operation: string | undefined,
  ): Promise<PolicyResponse> {
    const {policy, engine} = runner;
    const {values, user, resources, subresources} = this.#world;
    const object = values.overlay(policy.name, resource);
    const given = values.operation(policy.name, nameOf(object));
    const request = offlineRequest({
      object,
      operation: operation ?? (typeof given === 'string' && given !== '' ? given : 'CREATE'),
      user,
      resources,
      subresources,
    });
    const outcome =
      engine === undefined ? {rules: [], patched: object} : await askEngine(engine, phase, request, policy);
    const missing = await this.#unserved(policy, phase, request);
    return {policy, phase, resource: object, patched: outcome.patched, rules: [...outcome.rules, ...missing]};
  }

  async #unserved(policy: PreparedPolicy, phase: Phase, request: EngineRequest): Promise<readonly RuleResponse[]> {
    const rules = policy.unserved.filter(rule => rule.phase === phase);
    if (rules.length === 0) return [];
    const context = new RequestContext(request);
    const {loader, regex, resources} = this.#world;
    const responses: RuleResponse[] = [];
    for (const rule of rules) {
      const run = new RuleRun({loader, regex, resources, operatorNamespace: 'kyverno', limits: defaultLimits});
      const body = () => rule.match(context, run) && !(rule.exclude?.(context, run) ?? false);
      const answer = run.complete(body);
      if (isPromise(answer) ? await answer : answer) responses.push(unservedResponse(rule));
    }
    return responses;
  }
}

const turnsAfter: Readonly<Record<'verifyImages' | 'validate' | 'generate', readonly CelTurn[]>> = {
  verifyImages: [],
  validate: ['native-validate', 'validate'],
  generate: ['generate', 'images'],
};

function compiledException(raw: JsonObject): CompiledException[] {
  const {policy} = loadException(raw);
  return policy === undefined ? [] : [compileException(policy, exceptionRules)];
}

function engineOf(policy: PreparedPolicy, exceptions: readonly CompiledException[], world: OfflineWorld): Engine {
  const compiled = policy.compiled === undefined ? [] : [policy.compiled];
  const given: GivenValues = world.values;
  return createEngine({
    policies: {current: PolicySnapshot.of(compiled, exceptions)},
    loader: world.loader,
    regex: world.regex,
    resources: () => world.resources,
    given,
  });
}

function has({policy}: Runner, phase: Phase): boolean {
  if (policy.unserved.some(rule => rule.phase === phase)) return true;
  const {compiled} = policy;
  if (compiled === undefined) return false;
  switch (phase) {
    case 'mutate':
      return compiled.rules.some(rule => rule.type === 'mutate' || rule.type === 'mutateExisting');
    case 'validate':
      return compiled.validateRules.length > 0;
    case 'verifyImages':
      return compiled.imageRules.length > 0;
    case 'generate':
      return compiled.rules.some(rule => rule.type === 'generate');
    default:
      return false;
  }
}

interface PhaseOutcome {
  readonly rules: readonly RuleResponse[];
  readonly patched: JsonObject;
}

async function askEngine(
  engine: Engine,
  phase: Phase,
  request: EngineRequest,
  policy: PreparedPolicy,
): Promise<PhaseOutcome> {
  const object = request.object ?? request.oldObject ?? {};
  const only = [policy.key];
  try {
    if (phase === 'mutate') {
      const answer = await engine.mutate(request, {only, ...noDeadline});
      const existing = await engine.generate(request, {only, ...noDeadline});
      return {
        rules: [...rulesOf(answer.results), ...rulesOf(existing.results).filter(rule => rule.type === 'Mutation')],
        patched: answer.object ?? object,
      };
    }
    if (phase === 'verifyImages') {
      const {results, object: patched} = await engine.verifyAndPatchImages(request, {only, ...noDeadline});
      return {rules: rulesOf(results), patched: patched ?? object};
    }
    if (phase === 'generate') {
      const {results} = await engine.generate(request, {only, ...noDeadline});
      return {rules: rulesOf(results).filter(rule => rule.type === 'Generation'), patched: object};
    }
    const call = {only, bucket: 'all', ...noDeadline} as const;
    const admission = policy.compiled?.source.spec.admission ?? true;
    const {results} = await (admission ? engine.validate(request, call) : engine.applyBackgroundChecks(request, call));
    return {rules: rulesOf(results), patched: object};
  } catch (error) {
    if (error instanceof EvalError) return {rules: [failed(phase, error.message)], patched: object};
    throw error;
  }
}

function rulesOf(results: readonly PolicyResult[]): readonly RuleResponse[] {
  return results.flatMap(result => result.rules.map(rule => toResponse(rule)));
}

function failed(phase: Phase, message: string): RuleResponse {
  return response({rule: '', phase, message, unserved: false});
}

function unservedResponse(rule: UnservedRule): RuleResponse {
  return response({rule: rule.name, phase: rule.phase, message: rule.reason, unserved: true});
}

function refused(policy: PreparedPolicy, resource: JsonObject): PolicyResponse {
  const message = policy.refusal ?? '';
  return {
    policy,
    phase: 'validate',
    resource,
    patched: resource,
    rules: [response({rule: '', phase: 'validate', message, unserved: true})],
  };
}

function response(options: {rule: string; phase: Phase; message: string; unserved: boolean}): RuleResponse {
  return {
    rule: options.rule,
    type: typeOf(options.phase),
    status: 'error',
    message: options.message,
    audit: false,
    properties: noProperties,
    exceptions: [],
    generated: [],
    targets: [],
    unserved: options.unserved,
  };
}

function typeOf(phase: Phase): RuleResponse['type'] {
  switch (phase) {
    case 'mutate':
      return 'Mutation';
    case 'generate':
      return 'Generation';
    case 'verifyImages':
      return 'ImageVerify';
    case 'cleanup':
      return 'Cleanup';
    default:
      return 'Validation';
  }
}
