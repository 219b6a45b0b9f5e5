import type {Diagnostic} from '../../diagnostic.js';
import type {ExceptionRules} from '../../exception/compile-exception.js';
import type {EngineRequest} from '../../types.js';
import type {CelException} from '../model.js';
import type {PolicyException} from '../run/exceptions.js';
import type {CompiledCelPolicy, PolicyVariant} from '../types.js';
import {type CelCandidate, ResourceIndex} from './resource-index.js';

/** What is asked of policies: each run looks at one kind. */
export type CelRun = 'validating' | 'imageValidating' | 'mutating' | 'generating' | 'deleting';

/** Distinct (run, resource, operation, namespace) keys kept; beyond it the memo starts over. */
const memoLimit = 4096;
const none: readonly PolicyException[] = [];

export interface VariantExceptions {
  readonly exceptions: readonly PolicyException[];
  readonly readsNamespace: boolean;
}

/**
 * An immutable view of all CEL policies and their exceptions. Requests hold one snapshot from start to end.
 *
 * Order: cluster policies before namespaced ones, each by name.
 */
export class CelSnapshot {
  static readonly empty = new CelSnapshot([], [], {enabled: false, operatorNamespace: '', exceptionNamespace: ''});

  /** By `<Kind>/<name>` or `<Kind>/<namespace>/<name>`. */
  readonly policies: ReadonlyMap<string, CompiledCelPolicy>;
  readonly #byRun: Readonly<Record<CelRun, ResourceIndex>>;
  readonly #payload: readonly CompiledCelPolicy[];
  readonly #exceptions = new Map<string, CelException[]>();
  readonly #rules: ExceptionRules;
  readonly #compiled = new Map<PolicyVariant, VariantExceptions>();
  readonly #memo = new Map<string, readonly CelCandidate[]>();

  constructor(policies: Iterable<CompiledCelPolicy>, exceptions: Iterable<CelException>, rules: ExceptionRules) {
    const ordered = [...policies].sort(compareCelPolicies);
    this.policies = new Map(ordered.map(policy => [celPolicyId(policy.ref), policy]));
    const judging = ordered.filter(({source}) => source.type === 'deleting' || source.spec.mode === 'Kubernetes' || source.type === 'mutating' || source.type === 'generating');
    this.#payload = ordered.filter(policy => policy.source.type === 'deleting' || !judging.includes(policy));
    const ofRun = (run: CelRun) => new ResourceIndex(judging.filter(({source}) => source.type === run));
    this.#byRun = {
      validating: ofRun('validating'),
      imageValidating: ofRun('imageValidating'),
      mutating: ofRun('mutating'),
      generating: ofRun('generating'),
      deleting: ofRun('deleting'),
    };
    this.#rules = rules;
    if (!rules.enabled) return;
    for (const exception of [...exceptions].sort((a, b) => compareText(a.key, b.key))) {
      for (const {kind, name} of exception.policyRefs) {
        const key = `${kind}/${name}`;
        const list = this.#exceptions.get(key);
        if (list === undefined) this.#exceptions.set(key, [exception]);
        else if (!list.includes(exception)) list.push(exception);
      }
    }
  }

  /** Policies whose rules may concern the request. */
  candidates(run: CelRun, request: EngineRequest): readonly CelCandidate[] {
    const {group, version, resource} = request.resource;
    const key = `${run}|${group}/${version}/${resource}/${request.subResource}|${request.namespace}`;
    const known = this.#memo.get(key);
    if (known !== undefined) return known;
    const found = this.#byRun[run].find(request);
    if (this.#memo.size >= memoLimit) this.#memo.clear();
    this.#memo.set(key, found);
    return found;
  }

  /** Policies that judge payloads of a mode: `JSON` (deleting ones among them), or what proxies ask. */
  payloadPolicies(mode: string): readonly CompiledCelPolicy[] {
    return this.#payload.filter(({source}) =>
      source.type === 'validating' || source.type === 'imageValidating' ? source.spec.mode === mode : mode === 'JSON',
    );
  }

  /** Exceptions that name the policy, compiled for it. One that does not compile frees nothing; see `exceptionProblems`. */
  exceptionsFor(policy: CompiledCelPolicy, variant: PolicyVariant): VariantExceptions {
    const known = this.#compiled.get(variant);
    if (known !== undefined) return known;
    const compiled = this.#compile(policy, variant);
    this.#compiled.set(variant, compiled);
    return compiled;
  }

  /** Whether some exception names the policy, whatever it comes to. */
  isExcepted(policy: CompiledCelPolicy): boolean {
    return this.#named(policy).length > 0;
  }

  /** What is wrong with exceptions, as the policies they name see it: by the exception's key. */
  exceptionProblems(): ReadonlyMap<string, readonly Diagnostic[]> {
    const problems = new Map<string, Diagnostic[]>();
    for (const policy of this.policies.values()) {
      const [variant] = policy.variants;
      if (variant === undefined) continue;
      for (const source of this.#named(policy)) {
        const found = variant.compileExceptionConditions(source.matchConditions).problems ?? [];
        if (found.length > 0) problems.set(source.key, [...(problems.get(source.key) ?? []), ...found]);
      }
    }
    return problems;
  }

  #named({ref}: CompiledCelPolicy): readonly CelException[] {
    return this.#exceptions.get(`${ref.kind}/${ref.name}`) ?? [];
  }

  #compile(policy: CompiledCelPolicy, variant: PolicyVariant): VariantExceptions {
    const named = this.#named(policy);
    if (named.length === 0) return {exceptions: none, readsNamespace: false};
    let readsNamespace = false;
    const exceptions = named.flatMap((source): PolicyException[] => {
      const outcome = variant.compileExceptionConditions(source.matchConditions);
      if (outcome.conditions === undefined) return [];
      readsNamespace ||= outcome.readsNamespace;
      return [{source, conditions: outcome.conditions, confined: !this.#freesEverywhere(source), readsHome: !this.#isTrusted(source)}];
    });
    return {exceptions, readsNamespace};
  }

  #freesEverywhere(source: CelException): boolean {
    return this.#rules.exceptionNamespace === '*' || this.#isTrusted(source);
  }

  /** Where the admin alone writes. That anybody's exceptions count does not let anybody read what policies may. */
  #isTrusted({namespace}: CelException): boolean {
    const {operatorNamespace, exceptionNamespace} = this.#rules;
    return namespace === exceptionNamespace || namespace === operatorNamespace;
  }
}

/** Two kinds may hold policies of one name. */
export function celPolicyId({kind, key}: {readonly kind: string; readonly key: string}): string {
  return `${kind}/${key}`;
}

function compareCelPolicies(a: CompiledCelPolicy, b: CompiledCelPolicy): number {
  return (
    compareText(a.ref.namespace, b.ref.namespace) ||
    compareText(a.ref.name, b.ref.name) ||
    compareText(a.ref.kind, b.ref.kind)
  );
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
