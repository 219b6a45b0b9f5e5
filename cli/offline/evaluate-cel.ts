import {judgeAdmission} from '../../engine/admission-policies/judge-admission.js';
import {defaultLimits} from '../../engine/budget.js';
import {loadCelException} from '../../engine/cel-policies/load/load-cel-exception.js';
import type {CelException, MatchConstraints} from '../../engine/cel-policies/model.js';
import {type CelEngine, createCelEngine} from '../../engine/cel-policies/run/create-cel-engine.js';
import {CelSnapshot} from '../../engine/cel-policies/snapshot/cel-snapshot.js';
import {RuleRun} from '../../engine/context/rule-run.js';
import type {Json, JsonObject} from '../../engine/json/types.js';
import {isObject} from '../../engine/json/types.js';
import type {EngineRequest, PolicyResult} from '../../engine/types.js';
import type {OfflineWorld} from './evaluate.js';
import type {PreparedPolicy} from './prepare-policies.js';
import {offlineRequest} from './request.js';
import {type Phase, type PolicyResponse, toResponse} from './responses.js';

const call = {phase: 'any', deadline: Number.POSITIVE_INFINITY} as const;
/** Every exception frees objects anywhere, as its author wants to see. */
const exceptionRules = {enabled: true, operatorNamespace: 'kyverno', exceptionNamespace: '*'};

/** In which turn a policy is asked; changes come first. */
export type CelTurn = 'native-mutate' | 'mutate' | 'native-validate' | 'validate' | 'generate';

/** One CEL policy, or one of Kubernetes' own, on the resources of an offline run. */
export class CelRunner {
  readonly policy: PreparedPolicy;
  readonly turn: CelTurn | undefined;
  readonly #world: OfflineWorld;
  readonly #engine: CelEngine | undefined;

  constructor(policy: PreparedPolicy, exceptions: readonly CelException[], world: OfflineWorld) {
    this.policy = policy;
    this.#world = world;
    this.turn = turnOf(policy);
    if (policy.cel === undefined) return;
    this.#engine = createCelEngine({
      policies: {current: new CelSnapshot([policy.cel], exceptions, exceptionRules)},
      loader: world.loader,
      regex: world.regex,
      allowHttp: true,
      resources: () => world.resources,
    });
  }

  /** `undefined`: the policy has nothing to do with the resource, which counts as if it were not there. */
  async judge(resource: JsonObject, operation: string | undefined): Promise<PolicyResponse | undefined> {
    const request = this.#request(resource, operation);
    if (this.policy.native !== undefined) return this.#native(request, resource);
    switch (this.turn) {
      case 'mutate':
        return this.#mutate(request, resource);
      case 'generate':
        return this.#generate(request, resource);
      case 'validate':
        return this.#validate(request, resource);
      default:
        return undefined;
    }
  }

  /** What a deleting policy would do with a resource. */
  async deletion(resource: JsonObject): Promise<PolicyResponse | undefined> {
    if (this.policy.cel?.source.type !== 'deleting' || this.#engine === undefined) return undefined;
    const {results} = await this.#engine.deletes(this.#request(resource, 'CREATE'), call);
    return results.length === 0 ? undefined : this.#response('cleanup', resource, results);
  }

  /** What the policy says of a payload; `undefined` when it judges none. */
  async payload(payload: Json): Promise<PolicyResponse | undefined> {
    if (this.#engine === undefined) return undefined;
    const {results} = await this.#engine.validatePayload(payload, call);
    if (results.length === 0) return undefined;
    const type = this.policy.cel?.source.type;
    return this.#response(type === 'deleting' ? 'cleanup' : 'validate', isObject(payload) ? payload : {}, results);
  }

  async #validate(request: EngineRequest, resource: JsonObject): Promise<PolicyResponse | undefined> {
    const {cel} = this.policy;
    if (cel?.source.type === 'validating' && cel.source.spec.mode === 'JSON') return this.payload(resource);
    const {results} = await this.#engine!.validate(request, call);
    return this.#matched('validate', resource, results);
  }

  async #mutate(request: EngineRequest, resource: JsonObject): Promise<PolicyResponse | undefined> {
    const answer = await this.#engine!.mutate(request, call);
    const existing = await this.#engine!.mutateExisting(request, call);
    const results = [...answer.results, ...existing.results];
    const response = this.#matched('mutate', resource, results);
    return response && {...response, patched: answer.object ?? resource};
  }

  async #generate(request: EngineRequest, resource: JsonObject): Promise<PolicyResponse | undefined> {
    const {results} = await this.#engine!.generate(request, call);
    return results.length === 0 ? undefined : this.#response('generate', resource, results);
  }

  async #native(request: EngineRequest, resource: JsonObject): Promise<PolicyResponse | undefined> {
    const {native} = this.policy;
    if (native === undefined) return undefined;
    const {loader, regex, resources} = this.#world;
    const run = new RuleRun({loader, regex, resources, operatorNamespace: 'kyverno', limits: defaultLimits});
    const answer = await judgeAdmission(native, request, run);
    const phase = native.source.type === 'mutating' ? 'mutate' : 'validate';
    const results = answer.result === undefined ? [] : [answer.result];
    if (results.length === 0 && phase === 'mutate') return undefined;
    return {...this.#response(phase, resource, results), patched: answer.object ?? resource};
  }

  /** A policy whose constraints are simple says nothing at all about what they do not select. */
  #matched(phase: Phase, resource: JsonObject, results: readonly PolicyResult[]): PolicyResponse | undefined {
    if (results.length === 0 && isPlain(this.policy.cel?.source.spec.matchConstraints)) return undefined;
    return this.#response(phase, resource, results);
  }

  #response(phase: Phase, resource: JsonObject, results: readonly PolicyResult[]): PolicyResponse {
    const rules = results.flatMap(result => result.rules.map(rule => toResponse(rule, result.source)));
    return {policy: this.policy, phase, resource, patched: resource, rules};
  }

  #request(object: JsonObject, operation: string | undefined): EngineRequest {
    const {values, user, resources, subresources} = this.#world;
    const given = values.operation('', '');
    return offlineRequest({
      object,
      operation: operation ?? (typeof given === 'string' && given !== '' ? given : 'CREATE'),
      user,
      resources,
      subresources,
    });
  }
}

export function readExceptions(raws: readonly JsonObject[]): readonly CelException[] {
  return raws.flatMap(raw => loadCelException(raw).policy ?? []);
}

function turnOf({cel, native}: PreparedPolicy): CelTurn | undefined {
  if (native !== undefined) return native.source.type === 'mutating' ? 'native-mutate' : 'native-validate';
  switch (cel?.source.type) {
    case 'validating':
      return 'validate';
    case 'mutating':
      return 'mutate';
    case 'generating':
      return 'generate';
    default:
      return undefined;
  }
}

function isPlain(constraints: MatchConstraints | undefined): boolean {
  if (constraints === undefined) return true;
  const {resourceRules, excludeResourceRules, namespaceSelector, objectSelector} = constraints;
  const [rule] = resourceRules;
  if (resourceRules.length !== 1 || rule === undefined || rule.resourceNames.length > 0) return false;
  if (excludeResourceRules.length > 0) return false;
  return [namespaceSelector, objectSelector].every(
    selector =>
      Object.keys(selector?.matchLabels ?? {}).length === 0 && (selector?.matchExpressions ?? []).length === 0,
  );
}
