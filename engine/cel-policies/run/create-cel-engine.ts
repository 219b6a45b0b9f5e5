import {isPromise} from '../../context/suspend.js';
import type {ContextLoader, MaybePromise} from '../../context-loader.js';
import type {Json} from '../../json/types.js';
import {diffJson} from '../../mutate/index.js';
import type {Quarantine} from '../../quarantine/quarantine.js';
import {watchRequest} from '../../quarantine/request-watch.js';
import {Breather} from '../../run/breather.js';
import {drive, type Steps} from '../../run/drive.js';
import type {SnapshotSource} from '../../snapshot/types.js';
import type {
  EngineRequest,
  GenerateResponse,
  MutateResponse,
  PolicyResult,
  RuleResult,
  RunTrace,
  ValidateResponse,
} from '../../types.js';
import type {ProxyMode} from '../environment/environments.js';
import type {CelRun, CelSnapshot} from '../snapshot/cel-snapshot.js';
import type {CelCandidate} from '../snapshot/resource-index.js';
import type {CompiledCelPolicy} from '../types.js';
import {CandidateChoice, isAsked} from './candidate-choice.js';
import {ImageResults} from '../../cel-image/image-results.js';
import {judgePins} from '../../cel-image/judge-pins.js';
import {judgePayload} from './judge-payload.js';
import {judgeQuestion} from './judge-question.js';
import {judgeTargets, judgeVariant, type Question, type VariantAnswer} from './judge-variant.js';
import {frameOf, mutationRefusal, policyResult, ruleOf} from './results.js';
import {RunPool, type RunPoolOptions, type RunSettings} from './run-pool.js';
import {RequestView} from './scope-data.js';

export interface CelEngineOptions extends RunPoolOptions {
  readonly policies: SnapshotSource<CelSnapshot>;
  readonly loader: ContextLoader;
  /** Every policy is treated as `failurePolicy: Ignore`. */
  readonly forceIgnore?: boolean;
  /** Keeps policies away that fail again and again; none are when absent. */
  readonly quarantine?: Quarantine;
}

export interface CelCall {
  /** `any`: whatever `evaluation` says, as in offline runs. */
  readonly phase: 'admission' | 'background' | 'any';
  /** Only policies of this kind (`ValidatingPolicy`, `NamespacedValidatingPolicy` …). */
  readonly kind?: string | undefined;
  /** Only these policies, by name; those of a namespace are looked for in the request's. */
  readonly names?: readonly string[] | undefined;
  /** The request comes from the operator's own background work. */
  readonly fromBackground?: boolean;
  /** Of generation and existing objects: only tell whose conditions hold; nothing is made. */
  readonly selectOnly?: boolean;
  /** Of background phases: registries may be asked; else only what is known of images counts. */
  readonly fetchImages?: boolean;
  /** Of validation and mutation. */
  readonly trace?: RunTrace | undefined;
  /** Milliseconds on the loader's `now()` scale. */
  readonly deadline: number;
}

/** The engine of `policies.kyverno.io`. Never throws for a policy's or an object's sake. */
export interface CelEngine {
  validate(request: EngineRequest, call: CelCall): MaybePromise<ValidateResponse>;
  /** Mutations of the request's object; `denied` when one failed under failure policy Fail. */
  mutate(request: EngineRequest, call: CelCall): MaybePromise<MutateResponse>;
  /** Images of the request's object named by their digests, where policies on images want that; errors are told as results. */
  pinImages(request: EngineRequest, call: CelCall): MaybePromise<MutateResponse>;
  /** What would be created; nothing is written. */
  generate(request: EngineRequest, call: CelCall): MaybePromise<GenerateResponse>;
  /** What the request, as a trigger, makes of existing objects: one rule result per target; nothing is written. */
  mutateExisting(request: EngineRequest, call: CelCall): MaybePromise<ValidateResponse>;
  /** Whether policies would delete an object, asked as its creation: pass = it goes. */
  deletes(request: EngineRequest, call: CelCall): MaybePromise<ValidateResponse>;
  /** Policies of a mode on a payload: any JSON, or what a proxy asks. */
  validatePayload(payload: Json, call: CelCall, mode?: PayloadMode): MaybePromise<ValidateResponse>;
}

export type PayloadMode = 'JSON' | ProxyMode;

export function createCelEngine(options: CelEngineOptions): CelEngine {
  const engine = new Runner(options);
  return {
    validate: (request, call) => drive(engine.validate(request, call)),
    pinImages: (request, call) => drive(engine.pinImages(request, call)),
    mutate: (request, call) => drive(engine.mutate(request, call)),
    generate: (request, call) => drive(engine.judge('generating', request, call)),
    mutateExisting: (request, call) => drive(engine.mutateExisting(request, call)),
    deletes: (request, call) => drive(engine.judge('deleting', request, call)),
    validatePayload: (payload, call, mode = 'JSON') => drive(engine.validatePayload(payload, call, mode)),
  };
}

const nothing: ValidateResponse = {results: []};

class Runner {
  readonly #options: CelEngineOptions;
  readonly #choice = new CandidateChoice();

  constructor(options: CelEngineOptions) {
    this.#options = options;
  }

  /** Of both kinds that judge, where the call does not name one. */
  *validate(request: EngineRequest, call: CelCall): Steps<ValidateResponse> {
    if (call.kind !== undefined) {
      return yield* this.judge(call.kind.endsWith('ImageValidatingPolicy') ? 'imageValidating' : 'validating', request, call);
    }
    const judged = yield* this.judge('validating', request, call);
    const images = yield* this.judge('imageValidating', request, call);
    if (images.results.length === 0) return judged;
    return {results: [...judged.results, ...images.results]};
  }

  *judge(run: CelRun, request: EngineRequest, call: CelCall): Steps<ValidateResponse> {
    const snapshot = this.#options.policies.current;
    call.trace?.loaded();
    const candidates = this.#candidates(run, request, call, snapshot);
    call.trace?.matched(candidates.length);
    if (candidates.length === 0) return nothing;
    const runs = new RunPool(this.#options, runSettings(call));
    const results = new Results(this.#options);
    const watch = watchRequest(this.#options.quarantine);
    const about = {
      request,
      runs,
      snapshot,
      view: new RequestView(request),
      selectOnly: call.selectOnly,
      forceIgnore: this.#options.forceIgnore === true,
      refusal: watch?.refusal,
      digests: new Map<string, string>(),
    };
    const images = new ImageResults();
    const breather = new Breather(this.#options.loader);
    for (const candidate of candidates) {
      if (breather.isDue()) yield breather.rest();
      const started = this.#options.loader.now();
      const traced = call.trace?.policy(candidate.policy.ref);
      const asked = this.#ask(candidate, about);
      const answer = isPromise(asked) ? ((yield asked) as Awaited<typeof asked>) : asked;
      if (answer !== undefined) watch?.saw(candidate.policy, runs.for(candidate.policy.ref.namespace));
      const rule = answer === undefined ? undefined : ruleResult(candidate.policy, answer);
      if (rule !== undefined) results.add(candidate.policy, rule, started);
      if (answer !== undefined) images.saw(candidate.policy, answer);
      traced?.(
        rule === undefined ? undefined : policyResult(candidate.policy, [rule], {duration: 0, forceIgnore: false}),
      );
    }
    watch?.done();
    return {results: images.judged(results.list)};
  }

  *pinImages(request: EngineRequest, call: CelCall): Steps<MutateResponse> {
    const original = request.object;
    const none = {results: [], object: original, patch: []};
    if (original === undefined) return none;
    const snapshot = this.#options.policies.current;
    const candidates = this.#candidates('imageValidating', request, call, snapshot).filter(pins);
    if (candidates.length === 0) return none;
    const runs = new RunPool(this.#options, runSettings(call));
    const results = new Results(this.#options);
    const forceIgnore = this.#options.forceIgnore === true;
    const about = {request, runs, snapshot, view: new RequestView(request), forceIgnore, digests: new Map<string, string>()};
    let object = original;
    const breather = new Breather(this.#options.loader);
    for (const candidate of candidates) {
      if (breather.isDue()) yield breather.rest();
      const started = this.#options.loader.now();
      const run = runs.for(candidate.policy.ref.namespace);
      run.startRule();
      const asked = run.complete(() => judgePins(candidate, {...about, object}));
      const answer = isPromise(asked) ? ((yield asked) as Awaited<typeof asked>) : asked;
      if (answer === undefined) continue;
      object = answer.object;
      if (answer.verdict !== undefined) results.add(candidate.policy, ruleOf(answer.verdict, frameOf(candidate.policy)), started);
    }
    const patch = object === original ? [] : diffJson(original, object);
    return {results: results.list, object: patch.length === 0 ? original : object, patch};
  }

  *mutate(request: EngineRequest, call: CelCall): Steps<MutateResponse> {
    const original = request.object;
    if (original === undefined) return {results: [], object: original, patch: []};
    const snapshot = this.#options.policies.current;
    call.trace?.loaded();
    const candidates = this.#candidates('mutating', request, call, snapshot).filter(takesPartInAdmission);
    call.trace?.matched(candidates.length);
    if (candidates.length === 0) return {results: [], object: original, patch: []};
    const runs = new RunPool(this.#options, runSettings(call));
    const results = new Results(this.#options);
    const watch = watchRequest(this.#options.quarantine);
    const about = {
      request,
      runs,
      snapshot,
      view: new RequestView(request),
      forceIgnore: this.#options.forceIgnore === true,
      refusal: watch?.refusal,
    };
    let object = original;
    const breather = new Breather(this.#options.loader);
    for (const candidate of candidates) {
      if (breather.isDue()) yield breather.rest();
      const started = this.#options.loader.now();
      const traced = call.trace?.policy(candidate.policy.ref);
      const asked = this.#ask(candidate, {...about, object});
      const answer = isPromise(asked) ? ((yield asked) as Awaited<typeof asked>) : asked;
      if (answer === undefined) {
        traced?.();
        continue;
      }
      watch?.saw(candidate.policy, runs.for(candidate.policy.ref.namespace));
      object = answer.object ?? object;
      const rule = ruleResult(candidate.policy, answer);
      results.add(candidate.policy, rule, started);
      traced?.(policyResult(candidate.policy, [rule], {duration: 0, forceIgnore: false}));
    }
    watch?.done();
    const failed = results.list.filter(
      ({failurePolicy, rules}) => failurePolicy === 'Fail' && rules.some(rule => rule.status === 'error'),
    );
    if (failed.length > 0) {
      return {results: results.list, object: original, patch: [], denied: mutationRefusal(request, failed)};
    }
    const patch = object === original ? [] : diffJson(original, object);
    return {results: results.list, object: patch.length === 0 ? original : object, patch};
  }

  *mutateExisting(request: EngineRequest, call: CelCall): Steps<ValidateResponse> {
    const snapshot = this.#options.policies.current;
    const candidates = this.#candidates('mutating', request, {...call, phase: 'any'}, snapshot).filter(changesExisting);
    const runs = new RunPool(this.#options, runSettings(call));
    const results = new Results(this.#options);
    const watch = watchRequest(this.#options.quarantine);
    const about = {request, runs, snapshot, view: new RequestView(request), refusal: watch?.refusal};
    const breather = new Breather(this.#options.loader);
    for (const candidate of candidates) {
      const {policy} = candidate;
      if (breather.isDue()) yield breather.rest();
      const started = this.#options.loader.now();
      const run = runs.for(policy.ref.namespace);
      run.startRule();
      const answer = run.complete(() =>
        judgeTargets(candidate, {...about, forceIgnore: false, selectOnly: call.selectOnly}),
      );
      const found = isPromise(answer) ? ((yield answer) as Awaited<typeof answer>) : answer;
      if (found.length > 0) watch?.saw(policy, run);
      for (const one of found) results.add(policy, ruleResult(policy, one), started);
    }
    watch?.done();
    return {results: results.list};
  }

  *validatePayload(payload: Json, call: CelCall, mode: PayloadMode): Steps<ValidateResponse> {
    const snapshot = this.#options.policies.current;
    const runs = new RunPool(this.#options, runSettings(call));
    const results = new Results(this.#options);
    for (const policy of snapshot.payloadPolicies(mode)) {
      if (!isAsked(policy, call)) continue;
      const started = this.#options.loader.now();
      const run = runs.for(policy.ref.namespace);
      run.startRule();
      const judge = mode === 'JSON' ? judgePayload : judgeQuestion;
      const answer = run.complete(() => judge(policy, payload, run, snapshot));
      const verdict = isPromise(answer) ? ((yield answer) as Awaited<typeof answer>) : answer;
      results.add(policy, ruleOf(verdict, frameOf(policy)), started);
    }
    return {results: results.list};
  }

  #ask(candidate: CelCandidate, question: Question): MaybePromise<VariantAnswer | undefined> {
    const run = question.runs.for(candidate.policy.ref.namespace);
    run.startRule();
    return run.complete(() => judgeVariant(candidate, question));
  }

  #candidates(run: CelRun, request: EngineRequest, call: CelCall, snapshot: CelSnapshot): readonly CelCandidate[] {
    return this.#choice.of(snapshot.candidates(run, request), request, call);
  }
}

function runSettings({deadline, phase, fetchImages}: CelCall): RunSettings {
  return {deadline, cachedImagesOnly: phase === 'background' && fetchImages !== true};
}

function pins({policy: {source}}: CelCandidate): boolean {
  return source.type === 'imageValidating' && source.spec.mutateDigest;
}

/** Policies with targets of their own change these, not the request's object. */
function takesPartInAdmission({policy: {source}}: CelCandidate): boolean {
  if (source.type !== 'mutating') return false;
  const targets = source.spec.targetMatchConstraints;
  return targets === undefined || (targets.resourceRules.length === 0 && targets.expression === undefined);
}

function changesExisting(candidate: CelCandidate): boolean {
  const {source} = candidate.policy;
  return source.type === 'mutating' && (source.spec.mutateExisting || !takesPartInAdmission(candidate));
}

function ruleResult(policy: CompiledCelPolicy, {verdict, targets}: VariantAnswer): RuleResult {
  const rule = ruleOf(verdict, frameOf(policy));
  return targets === undefined ? rule : {...rule, targets};
}

/** Results by policy, in the order in which the policies were asked. */
class Results {
  readonly #options: CelEngineOptions;
  readonly #rules = new Map<CompiledCelPolicy, {rules: RuleResult[]; duration: number}>();

  constructor(options: CelEngineOptions) {
    this.#options = options;
  }

  add(policy: CompiledCelPolicy, rule: RuleResult, started: number): void {
    const duration = (this.#options.loader.now() - started) * 1e6;
    const entry = this.#rules.get(policy);
    if (entry === undefined) this.#rules.set(policy, {rules: [rule], duration});
    else {
      entry.rules.push(rule);
      entry.duration += duration;
    }
  }

  get list(): PolicyResult[] {
    const forceIgnore = this.#options.forceIgnore === true;
    return [...this.#rules].map(([policy, {rules, duration}]) => policyResult(policy, rules, {duration, forceIgnore}));
  }
}
