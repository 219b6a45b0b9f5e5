import type {CompiledAdmissionPolicy} from '../../engine/admission-policies/compile-admission-policy.js';
import {judgeAdmission} from '../../engine/admission-policies/judge-admission.js';
import {defaultLimits} from '../../engine/budget.js';
import {loadCelException} from '../../engine/cel-policies/load/load-cel-exception.js';
import type {CelException, MatchConstraints} from '../../engine/cel-policies/model.js';
import {type CelEngine, createCelEngine, type PayloadMode} from '../../engine/cel-policies/run/create-cel-engine.js';
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
export type CelTurn = 'native-mutate' | 'mutate' | 'native-validate' | 'validate' | 'generate' | 'images';

/** One CEL policy, or one of Kubernetes' own, on the resources of an offline run. */
export class CelRunner {
  readonly policy: PreparedPolicy;
  readonly turn: CelTurn | undefined;
  readonly #world: OfflineWorld;
  readonly #engines: readonly VariantEngine[];

  constructor(policy: PreparedPolicy, exceptions: readonly CelException[], world: OfflineWorld) {
    this.policy = policy;
    this.#world = world;
    this.turn = turnOf(policy);
    const {cel} = policy;
    this.#engines = (cel?.variants ?? []).map(variant => ({
      constraints: variant.constraints,
      engine: createCelEngine({
        policies: {current: new CelSnapshot([{...cel!, variants: [variant]}], exceptions, exceptionRules)},
        loader: world.loader,
        regex: world.regex,
        allowHttp: true,
        resources: () => world.resources,
      }),
    }));
  }

  /**
   * What the policy says, once per variant that has to do with the resource. When none has, the policy says nothing, or
   * that it has no rule for it where to know takes a look at more than one kind.
   */
  async judge(resource: JsonObject, operation: string | undefined): Promise<readonly PolicyResponse[]> {
    const request = this.#request(resource, operation);
    if (this.policy.native !== undefined) return this.#native(this.policy.native, request, resource);
    const {cel} = this.policy;
    const judges = cel?.source.type === 'validating' || cel?.source.type === 'imageValidating';
    if (judges && cel.source.spec.mode !== 'Kubernetes') {
      return cel.source.spec.mode === 'JSON' ? this.payload(resource) : [];
    }
    const responses: PolicyResponse[] = [];
    let empty: PolicyResponse | undefined;
    for (const {engine, constraints} of this.#engines) {
      const {phase, results, patched} = await this.#ask(engine, request, resource);
      const response = {...this.#response(phase, resource, results), patched};
      if (results.length > 0) responses.push(response);
      else if (phase !== 'generate' && !isPlain(constraints)) empty ??= response;
    }
    return responses.length > 0 || empty === undefined ? responses : [empty];
  }

  /** What a deleting policy would do with a resource. */
  async deletion(resource: JsonObject): Promise<readonly PolicyResponse[]> {
    const [first] = this.#engines;
    if (this.policy.cel?.source.type !== 'deleting' || first === undefined) return [];
    const {results} = await first.engine.deletes(this.#request(resource, 'CREATE'), call);
    return results.length === 0 ? [] : [this.#response('cleanup', resource, results)];
  }

  /** What the policy says of a payload; only those made for payloads do. */
  async payload(payload: Json, mode: PayloadMode = 'JSON'): Promise<readonly PolicyResponse[]> {
    const [first] = this.#engines;
    if (first === undefined) return [];
    const {results} = await first.engine.validatePayload(payload, call, mode);
    const phase = this.policy.cel?.source.type === 'deleting' ? 'cleanup' : 'validate';
    return results.length === 0 ? [] : [this.#response(phase, isObject(payload) ? payload : {}, results)];
  }

  async #ask(engine: CelEngine, request: EngineRequest, resource: JsonObject): Promise<Answer> {
    switch (this.turn) {
      case 'mutate': {
        const {results, object} = await engine.mutate(request, call);
        const existing = await engine.mutateExisting(request, call);
        return {phase: 'mutate', results: [...results, ...existing.results], patched: object ?? resource};
      }
      case 'generate':
        return {phase: 'generate', results: (await engine.generate(request, call)).results, patched: resource};
      case 'images': {
        // As in a cluster, where images have their digests before they are judged; one that has none is judged as it is.
        const {object = request.object} = await engine.pinImages(request, call);
        return {phase: 'validate', results: (await engine.validate({...request, object}, call)).results, patched: resource};
      }
      default:
        return {phase: 'validate', results: (await engine.validate(request, call)).results, patched: resource};
    }
  }

  async #native(
    policy: CompiledAdmissionPolicy,
    request: EngineRequest,
    resource: JsonObject,
  ): Promise<readonly PolicyResponse[]> {
    const {loader, regex, resources} = this.#world;
    const run = new RuleRun({loader, regex, resources, operatorNamespace: 'kyverno', limits: defaultLimits});
    const answer = await judgeAdmission(policy, request, run);
    const phase = policy.source.type === 'mutating' ? 'mutate' : 'validate';
    const results = answer.result === undefined ? [] : [answer.result];
    if (results.length === 0 && phase === 'mutate') return [];
    return [{...this.#response(phase, resource, results), patched: answer.object ?? resource}];
  }

  #response(phase: Phase, resource: JsonObject, results: readonly PolicyResult[]): PolicyResponse {
    const process = processOf(this.policy);
    const rules = results
      .flatMap(result => result.rules.map(rule => toResponse(rule, result.source)))
      .map(rule => (process === '' ? rule : {...rule, properties: {...rule.properties, process}}));
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

interface VariantEngine {
  readonly constraints: MatchConstraints | undefined;
  readonly engine: CelEngine;
}

interface Answer {
  readonly phase: Phase;
  readonly results: readonly PolicyResult[];
  readonly patched: JsonObject;
}

export function readExceptions(raws: readonly JsonObject[]): readonly CelException[] {
  return raws.flatMap(raw => loadCelException(raw).policy ?? []);
}

/** In reports: what would ask the policy in a cluster. */
function processOf({cel, native}: PreparedPolicy): string {
  if (native !== undefined) return 'background scan';
  switch (cel?.source.type) {
    case 'validating':
    case 'imageValidating':
    case 'mutating': {
      const {background, admission} = cel.source.spec;
      return background ? 'background scan' : admission ? 'admission review' : '';
    }
    case 'generating':
      return 'admission review';
    default:
      return '';
  }
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
    case 'imageValidating':
      return 'images';
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
