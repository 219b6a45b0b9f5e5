import type {
  CompiledGenerateRule,
  CompiledImagesRule,
  CompiledMutateRule,
  CompiledPolicy,
  CompiledRule,
  CompiledTargetsRule,
  CompiledValidateRule,
} from '../compile/types.js';
import type {CompiledException} from '../exception/compile-exception.js';
import type {EngineRequest, FailureAction, ValidateOptions} from '../types.js';
import {CandidateIndex} from './candidate-index.js';
import {KindIndex} from './kind-index.js';

/** Rules of one policy that may concern a request, in rule order. */
export interface Candidate<R extends CompiledRule> {
  readonly policy: CompiledPolicy;
  readonly rules: readonly R[];
}

export type BackgroundRule = CompiledGenerateRule | CompiledTargetsRule;

const noExceptions: readonly CompiledException[] = [];
/** Distinct (kind, subresource, operation, namespace) keys kept; beyond it the memo starts over. */
const memoLimit = 4096;

/** In which run a policy is asked: at admission or in background scans, and there in which bucket. */
export interface ValidatePart {
  readonly phase: 'admission' | 'background';
  readonly bucket: ValidateOptions['bucket'];
}

/**
 * An immutable view of all policies and exceptions. Requests hold one snapshot from start to end; handlers publish the
 * next one. Look-up costs one hash access per request once its (kind, operation, namespace) was seen.
 *
 * Order: cluster policies before namespaced ones, each by name; within a policy as declared, derived rules last.
 */
export class PolicySnapshot {
  static readonly empty = new PolicySnapshot(new Map(), new Map());

  readonly policies: ReadonlyMap<string, CompiledPolicy>;
  readonly exceptions: ReadonlyMap<string, CompiledException>;
  readonly #exceptionsByPolicy = new Map<string, CompiledException[]>();
  readonly #validate: KindIndex<CompiledValidateRule>;
  readonly #scan: KindIndex<CompiledValidateRule>;
  readonly #mutate: KindIndex<CompiledMutateRule>;
  readonly #images: KindIndex<CompiledImagesRule>;
  readonly #background: KindIndex<BackgroundRule>;
  readonly #memo = new Map<string, CandidateIndex<CompiledRule>>();

  private constructor(
    policies: ReadonlyMap<string, CompiledPolicy>,
    exceptions: ReadonlyMap<string, CompiledException>,
  ) {
    this.policies = policies;
    this.exceptions = exceptions;
    const ordered = [...policies.values()].sort(comparePolicies);
    this.#validate = new KindIndex(ordered, policy => policy.validateRules);
    this.#scan = new KindIndex(ordered, policy => policy.scanRules, {fineGrained: 'included'});
    this.#mutate = new KindIndex(ordered, policy => policy.mutateRules);
    this.#images = new KindIndex(ordered, policy => policy.imageRules);
    this.#background = new KindIndex(ordered, policy => policy.backgroundRules);
    for (const exception of [...exceptions.values()].sort((a, b) => compareText(a.key, b.key))) {
      for (const policy of exception.policies) {
        const list = this.#exceptionsByPolicy.get(policy);
        if (list === undefined) this.#exceptionsByPolicy.set(policy, [exception]);
        else list.push(exception);
      }
    }
  }

  static of(policies: Iterable<CompiledPolicy>, exceptions: Iterable<CompiledException> = []): PolicySnapshot {
    return new PolicySnapshot(
      new Map([...policies].map(policy => [policyId(policy), policy])),
      new Map([...exceptions].map(exception => [exception.key, exception])),
    );
  }

  /** Policies that are in the shared webhook entries, take part and may concern the request. */
  validateCandidates(request: EngineRequest, part: ValidatePart): CandidateIndex<CompiledValidateRule> {
    return this.#candidates(`validate ${part.phase} ${part.bucket}`, request, () =>
      partOf((part.phase === 'background' ? this.#scan : this.#validate).find(request), part),
    );
  }

  mutateCandidates(request: EngineRequest): CandidateIndex<CompiledMutateRule> {
    return this.#candidates('mutate', request, () => this.#mutate.find(request));
  }

  /** Rules that verify the images of a request's object. */
  imageCandidates(request: EngineRequest): CandidateIndex<CompiledImagesRule> {
    return this.#candidates('images', request, () => this.#images.find(request));
  }

  /** Rules that a request triggers but that do not answer it. */
  backgroundCandidates(request: EngineRequest): CandidateIndex<BackgroundRule> {
    return this.#candidates('background', request, () => this.#background.find(request));
  }

  /** A policy by `name` or `namespace/name`. */
  byKey(key: string): CompiledPolicy | undefined {
    return this.policies.get(key);
  }

  /** Exceptions that name the policy, or any policy; sorted by namespace and name. */
  exceptionsFor(policyKey: string): readonly CompiledException[] {
    const named = this.#exceptionsByPolicy.get(policyKey);
    const any = this.#exceptionsByPolicy.get('*');
    if (named === undefined) return any ?? noExceptions;
    return any === undefined ? named : [...new Set([...named, ...any])].sort((a, b) => compareText(a.key, b.key));
  }

  #candidates<R extends CompiledRule>(
    type: string,
    request: EngineRequest,
    find: () => ReadonlyArray<Candidate<R>>,
  ): CandidateIndex<R> {
    const {group, version, kind} = request.kind;
    const key = `${type}|${group}/${version}/${kind}/${request.subResource}|${request.operation}|${request.namespace}`;
    const known = this.#memo.get(key);
    if (known !== undefined) return known as CandidateIndex<R>;
    const found = new CandidateIndex(find());
    if (this.#memo.size >= memoLimit) this.#memo.clear();
    this.#memo.set(key, found as unknown as CandidateIndex<CompiledRule>);
    return found;
  }
}

/** What of the candidates takes part in a run. */
export function partOf(found: ReadonlyArray<Candidate<CompiledValidateRule>>, {phase, bucket}: ValidatePart) {
  const candidates: Array<Candidate<CompiledValidateRule>> = [];
  for (const {policy, rules} of found) {
    const {spec} = policy.source;
    if (!spec[phase]) continue;
    if (bucket === 'audit-warn' && !spec.emitWarning) continue;
    if (bucket === 'audit' && spec.emitWarning) continue;
    const wanted = rules.filter(rule => rule.fixedAction === undefined || ruleInBucket(bucket, rule, rule.fixedAction));
    if (wanted.length > 0) candidates.push({policy, rules: wanted});
  }
  return candidates;
}

/** A rule that blocks is judged in the request; the rest is reported, with or without a warning. */
export function inBucket(bucket: ValidateOptions['bucket'], action: FailureAction): boolean {
  return bucket === 'all' || (bucket === 'enforce') === (action === 'Enforce');
}

/** Whether a rule takes part: what verifyImages rules check is part of every answer and of no audit. */
export function ruleInBucket(
  bucket: ValidateOptions['bucket'],
  rule: CompiledValidateRule,
  action: FailureAction,
): boolean {
  return rule.isImageCheck === true ? bucket === 'all' || bucket === 'enforce' : inBucket(bucket, action);
}

/** Identity of a policy in the snapshot: its key; two kinds never share one, as namespaced keys hold a slash. */
export function policyId(policy: CompiledPolicy): string {
  return policy.ref.key;
}

export function comparePolicies(a: CompiledPolicy, b: CompiledPolicy): number {
  return compareText(a.ref.namespace, b.ref.namespace) || compareText(a.ref.name, b.ref.name);
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
