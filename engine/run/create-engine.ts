import type {BudgetLimits} from '../budget.js';
import {defaultLimits} from '../budget.js';
import {builtinResourceMap} from '../builtin-resources.js';
import type {
  CompiledImagesRule,
  CompiledMutateRule,
  CompiledPolicy,
  CompiledRule,
  CompiledValidateRule,
} from '../compile/types.js';
import type {GivenValues} from '../context/given-values.js';
import {RequestContext} from '../context/request-context.js';
import {RuleRun} from '../context/rule-run.js';
import {scopeLoader} from '../context/scoped-loader.js';
import {isPromise} from '../context/suspend.js';
import type {ContextLoader} from '../context-loader.js';
import {diffJson} from '../mutate/index.js';
import type {Quarantine} from '../quarantine/quarantine.js';
import {watchRequest} from '../quarantine/request-watch.js';
import type {RegexEngine} from '../regex/types.js';
import type {ResourceMap} from '../resource-map.js';
import {
  type Candidate,
  comparePolicies,
  type PolicySnapshot,
  partOf,
  type ValidatePart,
} from '../snapshot/policy-snapshot.js';
import type {SnapshotSource} from '../snapshot/types.js';
import type {
  Engine,
  EngineRequest,
  GenerateResponse,
  MutateOptions,
  MutateResponse,
  PolicyResult,
  RuleResult,
  ValidateOptions,
  ValidateResponse,
} from '../types.js';
import {ImageRecord, recordKey} from '../verify-images/record.js';
import {backgroundRule} from './background-rule.js';
import {Breather} from './breather.js';
import {drive, type Steps} from './drive.js';
import {imagesRule} from './images-rule.js';
import {mutateRule} from './mutate-rule.js';
import {resultOf} from './results.js';
import {validateRule} from './validate-rule.js';

export interface EngineOptions {
  readonly policies: SnapshotSource<PolicySnapshot>;
  readonly loader: ContextLoader;
  readonly regex: RegexEngine;
  /** Steps and bytes per rule; the deadline comes with each call. */
  readonly limits?: Partial<Omit<BudgetLimits, 'deadline'>>;
  /** Lets namespaced policies make service calls. */
  readonly allowServiceCalls?: boolean;
  /** Kinds of the cluster; the built-in ones when absent. */
  readonly resources?: () => ResourceMap;
  readonly operatorNamespace?: string;
  /** Stands in for a cluster in offline runs. */
  readonly given?: GivenValues;
  /** Every policy is treated as `failurePolicy: Ignore`. */
  readonly forceIgnore?: boolean;
  /** Keeps policies away that fail again and again; none are when absent. */
  readonly quarantine?: Quarantine;
}

/** The classic engine over a snapshot source. */
export function createEngine(options: EngineOptions): Engine {
  const engine = new ClassicEngine(options);
  return {
    validate: (request, call) => engine.validate(request, call),
    mutate: (request, call) => engine.mutate(request, call),
    generate: (request, call) => engine.generate(request, call),
    verifyAndPatchImages: (request, call) => engine.verifyImages(request, call),
    applyBackgroundChecks: (request, call) => engine.validate(request, {...call, bucket: 'all'}, 'background'),
    contextLoader: () => options.loader,
  };
}

const nothing: ValidateResponse = {results: []};

class ClassicEngine {
  readonly #options: EngineOptions;

  constructor(options: EngineOptions) {
    this.#options = options;
  }

  validate(request: EngineRequest, call: ValidateOptions, phase: ValidatePart['phase'] = 'admission') {
    const snapshot = this.#options.policies.current;
    call.trace?.loaded();
    const {only, bucket} = call;
    const index = only === undefined ? snapshot.validateCandidates(request, {phase, bucket}) : undefined;
    if (index?.all.length === 0) return nothing;
    const context = new RequestContext(request);
    const candidates =
      index !== undefined
        ? index.select(context)
        : partOf(
            namedCandidates(snapshot, only ?? [], policy =>
              phase === 'background' ? policy.scanRules : policy.validateRules,
            ),
            {phase, bucket: bucket === 'enforce' ? 'all' : bucket},
          );
    call.trace?.matched(candidates.length);
    if (candidates.length === 0) return nothing;
    return drive(this.#validate(candidates, {context, call, snapshot, phase}));
  }

  *#validate(
    candidates: ReadonlyArray<Candidate<CompiledValidateRule>>,
    {
      context,
      call,
      snapshot,
      phase,
    }: {context: RequestContext; call: ValidateOptions; snapshot: PolicySnapshot; phase: ValidatePart['phase']},
  ): Steps<ValidateResponse> {
    const {request} = context;
    const runs = new RunPool(this.#options, call.deadline, phase === 'background' && call.fetchImages !== true);
    const named = call.only !== undefined;
    const bucket = named && call.bucket === 'enforce' ? 'all' : call.bucket;
    const results: PolicyResult[] = [];
    const watch = watchRequest(this.#options.quarantine);
    const breather = new Breather(this.#options.loader);
    for (const candidate of candidates) {
      const {policy} = candidate;
      if (!mayConcern(candidate, context) || !this.#serves(policy, call, named, request)) continue;
      if (breather.isDue()) yield breather.rest();
      if (this.#asksConditions(policy, phase) && !(yield* this.#conditionsHold(policy, request, runs))) continue;
      const started = this.#options.loader.now();
      const traced = call.trace?.policy(policy.ref);
      const rules: RuleResult[] = [];
      for (const rule of candidate.rules) {
        if (!rule.mayMatch(context)) continue;
        const run = runs.for(policy);
        run.startRule();
        const answer = run.complete(() =>
          validateRule({rule, policy, context, run, snapshot, bucket, refusal: watch?.refusal}),
        );
        const result = isPromise(answer) ? ((yield answer) as Awaited<typeof answer>) : answer;
        if (result === undefined) continue;
        watch?.saw(policy, run);
        rules.push(result);
        if (policy.source.spec.applyRules === 'One' && (result.status === 'pass' || result.status === 'fail')) break;
      }
      const result = rules.length > 0 ? resultOf(policy, rules, this.#summary(started, call)) : undefined;
      if (result !== undefined) results.push(result);
      traced?.(result);
    }
    watch?.done();
    return {results};
  }

  mutate(request: EngineRequest, call: MutateOptions): MutateResponse | Promise<MutateResponse> {
    return drive(this.#mutate(request, call));
  }

  *#mutate(request: EngineRequest, call: MutateOptions): Steps<MutateResponse> {
    const original = request.object;
    if (original === undefined) return {results: [], object: original, patch: []};
    const snapshot = this.#options.policies.current;
    call.trace?.loaded();
    const runs = new RunPool(this.#options, call.deadline);
    const named = call.only !== undefined;
    const candidates = named
      ? namedCandidates(snapshot, call.only ?? [], policy => policy.mutateRules)
      : snapshot.mutateCandidates(request).all;
    call.trace?.matched(candidates.length);
    const results: PolicyResult[] = [];
    let context = new RequestContext(request);
    let object = original;
    const breather = new Breather(this.#options.loader);
    for (const candidate of candidates) {
      const {policy} = candidate;
      if (!mayConcern(candidate, context) || !this.#serves(policy, call, named, request)) continue;
      if (breather.isDue()) yield breather.rest();
      if (this.#asksConditions(policy) && !(yield* this.#conditionsHold(policy, context.request, runs))) continue;
      const started = this.#options.loader.now();
      const traced = call.trace?.policy(policy.ref);
      const outcome = yield* this.#mutatePolicy(candidate, context, runs, snapshot);
      if (outcome.rules.length === 0) {
        traced?.();
        continue;
      }
      const result = resultOf(policy, outcome.rules, this.#summary(started, call));
      results.push(result);
      traced?.(result);
      const failed = outcome.rules.filter(rule => rule.status === 'error' || rule.status === 'fail');
      if (failed.length > 0) {
        if (result.failurePolicy === 'Ignore') continue;
        const texts = failed.map(rule => `${rule.rule}: ${rule.message}`).join(' ');
        const denied = `mutation policy ${policy.ref.name} error: failed to apply policy ${policy.ref.name} rules [${texts}]`;
        return {results, object: original, patch: [], denied};
      }
      object = outcome.context.request.object ?? object;
      context = outcome.context;
    }
    const patch = object === original ? [] : diffJson(original, object);
    return {results, object: patch.length === 0 ? original : object, patch};
  }

  verifyImages(request: EngineRequest, call: MutateOptions): MutateResponse | Promise<MutateResponse> {
    return drive(this.#verifyImages(request, call));
  }

  /**
   * Policies on the running object, digests put in, and the record of what was found instead of whatever the object says
   * of itself: of policies that are asked elsewhere their lines stay, all others are ours to write.
   */
  *#verifyImages(request: EngineRequest, call: MutateOptions): Steps<MutateResponse> {
    const original = request.object;
    if (original === undefined || request.operation === 'DELETE') return {results: [], object: original, patch: []};
    const snapshot = this.#options.policies.current;
    call.trace?.loaded();
    const named = call.only !== undefined;
    const found = named
      ? namedCandidates(snapshot, call.only ?? [], policy => policy.imageRules)
      : snapshot.imageCandidates(request).all;
    const candidates = found.filter(
      ({policy, rules}) => rules.length > 0 && this.#serves(policy, call, named, request),
    );
    call.trace?.matched(candidates.length);
    if (candidates.length === 0) return {results: [], object: original, patch: []};
    const elsewhere = this.#askedElsewhere(snapshot, call, request);
    let record = ImageRecord.of(original).filter(policy => elsewhere.has(policy));
    let context = new RequestContext(request);
    const runs = new RunPool(this.#options, call.deadline);
    const results: PolicyResult[] = [];
    const watch = watchRequest(this.#options.quarantine);
    const breather = new Breather(this.#options.loader);
    for (const candidate of candidates) {
      const {policy} = candidate;
      if (!mayConcern(candidate, context)) continue;
      if (breather.isDue()) yield breather.rest();
      if (this.#asksConditions(policy) && !(yield* this.#conditionsHold(policy, context.request, runs))) continue;
      const started = this.#options.loader.now();
      const traced = call.trace?.policy(policy.ref);
      const rules: RuleResult[] = [];
      for (const rule of candidate.rules) {
        if (!rule.mayMatch(context)) continue;
        const run = runs.for(policy);
        run.startRule();
        const current = context;
        const answer = run.complete(() =>
          imagesRule({rule, policy, context: current, run, snapshot, refusal: watch?.refusal}),
        );
        const outcome = isPromise(answer) ? ((yield answer) as Awaited<typeof answer>) : answer;
        if (outcome === undefined) continue;
        watch?.saw(policy, run);
        rules.push(...outcome.results);
        record = record.with(recordKey(policy.ref), rule.name, outcome.statuses);
        if (outcome.object !== undefined) context = context.withObject(outcome.object);
        if (
          policy.source.spec.applyRules === 'One' &&
          outcome.results.some(({status}) => status === 'pass' || status === 'fail')
        )
          break;
      }
      const result = rules.length > 0 ? resultOf(policy, rules, this.#summary(started, call)) : undefined;
      if (result !== undefined) results.push(result);
      traced?.(result);
    }
    watch?.done();
    const object = record.writeTo(context.request.object ?? original);
    const patch = object === original ? [] : diffJson(original, object);
    return {results, object: patch.length === 0 ? original : object, patch};
  }

  /** What generate rules would create and what mutate rules make of existing objects; nothing is written. */
  async generate(request: EngineRequest, call: MutateOptions): Promise<GenerateResponse> {
    const snapshot = this.#options.policies.current;
    const named = call.only !== undefined;
    const context = new RequestContext(request);
    const candidates = named
      ? namedCandidates(snapshot, call.only ?? [], policy => policy.backgroundRules)
      : snapshot.backgroundCandidates(request).select(context);
    if (candidates.length === 0) return nothing;
    const runs = new RunPool(this.#options, call.deadline);
    const results: PolicyResult[] = [];
    const watch = watchRequest(this.#options.quarantine);
    for (const {policy, rules: wanted} of candidates) {
      if (!this.#serves(policy, call, named, request)) continue;
      const phase = request.user === undefined ? 'background' : 'admission';
      if (this.#asksConditions(policy, phase) && !(await drive(this.#conditionsHold(policy, request, runs)))) continue;
      const started = this.#options.loader.now();
      const rules: RuleResult[] = [];
      for (const rule of wanted) {
        if (call.rules !== undefined && !call.rules.includes(rule.name)) continue;
        const run = runs.for(policy);
        run.startRule();
        const answer = run.complete(() =>
          backgroundRule({rule, policy, context, run, snapshot, refusal: watch?.refusal}, call.selectOnly),
        );
        const found = isPromise(answer) ? await answer : answer;
        if (found.length > 0) watch?.saw(policy, run);
        rules.push(...found);
        if (policy.source.spec.applyRules === 'One' && found.some(result => result.status !== 'skip')) break;
      }
      if (rules.length > 0) results.push(resultOf(policy, rules, this.#summary(started, call)));
    }
    watch?.done();
    return {results};
  }

  /** One policy on the running object; its patches count only when none of its rules failed. */
  *#mutatePolicy(
    candidate: Candidate<CompiledMutateRule>,
    before: RequestContext,
    runs: RunPool,
    snapshot: PolicySnapshot,
  ): Steps<{rules: RuleResult[]; context: RequestContext}> {
    const {policy} = candidate;
    const rules: RuleResult[] = [];
    const watch = watchRequest(this.#options.quarantine);
    let context = before;
    for (const rule of candidate.rules) {
      if (!rule.mayMatch(context)) continue;
      const run = runs.for(policy);
      run.startRule();
      const current = context;
      const answer = run.complete(() =>
        mutateRule({rule, policy, context: current, run, snapshot, refusal: watch?.refusal}),
      );
      const outcome = isPromise(answer) ? ((yield answer) as Awaited<typeof answer>) : answer;
      if (outcome === undefined) continue;
      watch?.saw(policy, run);
      rules.push(outcome.result);
      if (outcome.object !== undefined) context = context.withObject(outcome.object);
      if (policy.source.spec.applyRules === 'One' && outcome.result.status === 'pass') break;
    }
    watch?.done();
    return {rules, context};
  }

  /** Requests of an API server come only where it found that the conditions hold. */
  #asksConditions({conditions}: CompiledPolicy, phase: ValidatePart['phase'] = 'admission'): boolean {
    return conditions !== undefined && (conditions.alone || phase === 'background');
  }

  *#conditionsHold(policy: CompiledPolicy, request: EngineRequest, runs: RunPool): Steps<boolean> {
    const {conditions} = policy;
    if (conditions === undefined) return true;
    const run = runs.for(policy);
    run.startRule();
    const answer = run.complete(() => conditions.hold(request, run));
    return isPromise(answer) ? ((yield answer) as boolean) : answer;
  }

  #serves(policy: CompiledPolicy, call: MutateOptions, named: boolean, request: EngineRequest): boolean {
    if (call.failurePolicy !== undefined && !named && this.#failurePolicy(policy) !== call.failurePolicy) return false;
    return concernsNamespace(policy, request);
  }

  /** Policies on images that have their say about the same request, but in another call. */
  #askedElsewhere(snapshot: PolicySnapshot, call: MutateOptions, request: EngineRequest): ReadonlySet<string> {
    const found = new Set<string>();
    for (const policy of snapshot.policies.values()) {
      if (policy.imageRules.length === 0 || !concernsNamespace(policy, request)) continue;
      const here =
        call.only?.includes(policy.ref.key) ??
        (!policy.fineGrained &&
          (call.failurePolicy === undefined || this.#failurePolicy(policy) === call.failurePolicy));
      if (!here) found.add(recordKey(policy.ref));
    }
    return found;
  }

  #summary(started: number, call: MutateOptions) {
    return {
      errors: this.#options.forceIgnore === true ? ('Ignore' as const) : call.errors,
      duration: (this.#options.loader.now() - started) * 1e6,
    };
  }

  #failurePolicy(policy: CompiledPolicy) {
    return this.#options.forceIgnore === true ? 'Ignore' : policy.failurePolicy;
  }
}

function mayConcern(
  {rules}: Candidate<CompiledValidateRule | CompiledMutateRule | CompiledImagesRule>,
  context: RequestContext,
): boolean {
  for (const rule of rules) if (rule.mayMatch(context)) return true;
  return false;
}

function concernsNamespace({ref: {namespace}}: CompiledPolicy, request: EngineRequest): boolean {
  return namespace === '' || (namespace === request.namespace && !isNamespaceObject(request));
}

/** A namespaced policy never sees cluster-scoped objects, its own Namespace among them. */
function isNamespaceObject(request: EngineRequest): boolean {
  return request.kind.kind === 'Namespace' && request.kind.group === '';
}

/** Exactly these policies, in their order on the path. Unknown names are for the caller to refuse. */
function namedCandidates<R extends CompiledRule>(
  snapshot: PolicySnapshot,
  keys: readonly string[],
  rulesOf: (policy: CompiledPolicy) => readonly R[],
): Array<Candidate<R>> {
  return [...new Set(keys)]
    .map(key => snapshot.byKey(key))
    .filter(policy => policy !== undefined)
    .sort(comparePolicies)
    .map(policy => ({policy, rules: rulesOf(policy)}));
}

/** One run per scope: what a namespaced policy fetched is never another scope's. */
class RunPool {
  readonly #runs = new Map<string, RuleRun>();
  readonly #options: EngineOptions;
  readonly #limits: BudgetLimits;

  readonly #cachedImagesOnly: boolean;

  constructor(options: EngineOptions, deadline: number, cachedImagesOnly = false) {
    this.#options = options;
    this.#cachedImagesOnly = cachedImagesOnly;
    this.#limits = {...defaultLimits, ...options.limits, deadline};
  }

  for(policy: CompiledPolicy): RuleRun {
    const {namespace} = policy.ref;
    const known = this.#runs.get(namespace);
    if (known !== undefined) return known;
    const {loader, regex, allowServiceCalls = false} = this.#options;
    const run = new RuleRun({
      loader: scopeLoader(loader, namespace === '' ? {kind: 'cluster'} : {kind: 'namespace', namespace}, {
        allowServiceCalls,
      }),
      regex,
      limits: this.#limits,
      given: this.#options.given,
      resources: this.#options.resources?.() ?? builtinResourceMap,
      operatorNamespace: this.#options.operatorNamespace ?? 'kyverno',
      secretNamespace: namespace || undefined,
      cachedImagesOnly: this.#cachedImagesOnly,
    });
    this.#runs.set(namespace, run);
    return run;
  }
}
