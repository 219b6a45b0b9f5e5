import type {AuthorizerValues} from '../../admission-policies/authorizer.js';
import type {Program} from '../../cel/environment.js';
import {CelError} from '../../cel/errors.js';
import {GeneratorContext} from '../../cel/kyverno/index.js';
import {ObjectValue, type Value} from '../../cel/values/value.js';
import type {ImageLists} from '../../cel-image/extract-images.js';
import type {EvaluationFrame} from '../../cel-image/types.js';
import type {RuleRun} from '../../context/rule-run.js';
import {BudgetError, EvalError} from '../../diagnostic.js';
import type {Json, JsonObject} from '../../json/types.js';
import type {EngineRequest} from '../../types.js';
import type {CelScope} from '../types.js';

/** Where the values that change with each request stand among the bindings; `undefined` = the kind does not have it. */
export interface Slots {
  readonly object: number;
  readonly oldObject: number;
  readonly request: number;
  readonly namespaceObject: number;
  readonly variables: number;
  readonly exceptions: number | undefined;
  readonly images: number | undefined;
  readonly attestors: number | undefined;
  readonly attestations: number | undefined;
  readonly params: number | undefined;
  readonly generator: number | undefined;
  readonly authorizer: number | undefined;
  readonly requestResource: number | undefined;
}

/** How the expressions of a policy are supplied with values. */
export interface ScopePlan {
  readonly slots: Slots;
  /** Values that are the same for all requests, by slot. */
  readonly template: ReadonlyArray<Value | undefined>;
  readonly variables: ReadonlyMap<string, Program>;
  /** Of a policy of a namespace. */
  readonly namespace: string | undefined;
}

/** What of a request the expressions see; `undefined` = not bound. */
export interface ScopeData {
  readonly object: Json | undefined;
  readonly oldObject: Json | undefined;
  readonly request: JsonObject | null | undefined;
  readonly namespaceObject: JsonObject | null | undefined;
  readonly exceptions?:
    | {readonly allowedImages: readonly string[]; readonly allowedValues: readonly string[]}
    | undefined;
  readonly params?: Json | undefined;
  readonly authorizer?: AuthorizerValues | undefined;
  readonly images?: ImageBindings | undefined;
}

/** What expressions of a policy on images see of these. */
export interface ImageBindings {
  readonly lists: ImageLists;
  readonly attestations: Readonly<Record<string, string>>;
  /** `attestors`, whose texts are evaluated with the other values of the evaluation. */
  readonly attestors: (frame: EvaluationFrame) => Readonly<Record<string, Value>>;
}

export interface ScopeHost {
  readonly host: RuleRun;
  readonly request: EngineRequest;
}

/** The values of one evaluation, and its variables as far as they were read. */
export class PolicyScope implements CelScope {
  readonly bindings: ReadonlyArray<Value | undefined>;
  readonly host: RuleRun;
  readonly request: EngineRequest;
  readonly generator: GeneratorContext | undefined;
  readonly #plan: ScopePlan;
  readonly #data: ScopeData;

  constructor(plan: ScopePlan, data: ScopeData, {host, request}: ScopeHost) {
    this.#plan = plan;
    this.#data = data;
    this.host = host;
    this.request = request;
    const {slots} = plan;
    const bindings: Array<Value | undefined> = plan.template.slice();
    bindings[slots.object] = data.object as Value | undefined;
    bindings[slots.oldObject] = data.oldObject as Value | undefined;
    bindings[slots.request] = data.request as Value | undefined;
    bindings[slots.namespaceObject] = data.namespaceObject as Value | undefined;
    if (slots.exceptions !== undefined) bindings[slots.exceptions] = data.exceptions as Value | undefined;
    if (slots.params !== undefined) bindings[slots.params] = data.params as Value | undefined;
    if (slots.authorizer !== undefined) bindings[slots.authorizer] = data.authorizer?.authorizer;
    if (slots.requestResource !== undefined) bindings[slots.requestResource] = data.authorizer?.requestResource;
    if (slots.images !== undefined && data.images !== undefined) {
      bindings[slots.images] = data.images.lists as Value;
      bindings[slots.attestors!] = data.images.attestors({bindings, host}) as Value;
      bindings[slots.attestations!] = data.images.attestations as Value;
    }
    if (slots.generator !== undefined) {
      this.generator = new GeneratorContext(plan.namespace);
      bindings[slots.generator] = this.generator;
    }
    bindings[slots.variables] = new LazyVariables(plan.variables, bindings, host);
    this.bindings = bindings;
  }

  with(changes: Partial<ScopeData>): PolicyScope {
    return new PolicyScope(this.#plan, {...this.#data, ...changes}, this);
  }

  /** The same values, but what is looked up outside is what a namespace may see. */
  confinedTo(namespace: string): PolicyScope {
    return new PolicyScope(this.#plan, this.#data, {host: this.host.confinedTo(namespace), request: this.request});
  }

  withObject(object: JsonObject): PolicyScope {
    return this.with({object});
  }
}

type Outcome = {readonly value: Value} | {readonly error: CelError};

/** `variables`: each is evaluated when it is first read, and its value or fault kept. */
class LazyVariables extends ObjectValue {
  readonly typeName = 'kyverno.variables';
  readonly #programs: ReadonlyMap<string, Program>;
  readonly #bindings: ReadonlyArray<Value | undefined>;
  readonly #host: RuleRun;
  #known: Map<string, Outcome> | undefined;

  constructor(programs: ReadonlyMap<string, Program>, bindings: ReadonlyArray<Value | undefined>, host: RuleRun) {
    super();
    this.#programs = programs;
    this.#bindings = bindings;
    this.#host = host;
  }

  get(field: string): Value | undefined {
    const known = (this.#known ??= new Map());
    let outcome = known.get(field);
    if (outcome === undefined) {
      const program = this.#programs.get(field);
      if (program === undefined) return undefined;
      outcome = this.#evaluate(program);
      known.set(field, outcome);
    }
    if ('error' in outcome) throw outcome.error;
    return outcome.value;
  }

  has(field: string): boolean {
    return this.#programs.has(field);
  }

  #evaluate(program: Program): Outcome {
    try {
      return {value: program.evaluate(this.#bindings, this.#host)};
    } catch (thrown) {
      if (!(thrown instanceof EvalError) || thrown instanceof BudgetError) throw thrown;
      return {error: new CelError(thrown.message)};
    }
  }
}
