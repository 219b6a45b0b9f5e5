import type {CompiledPolicy, CompiledRule} from '../compile/types.js';
import {compileKindSelector} from '../match/kind-selector.js';
import type {EngineRequest} from '../types.js';
import {hasWildcard} from '../values/glob.js';
import type {Candidate} from './policy-snapshot.js';

interface Indexed<R> {
  readonly policy: CompiledPolicy;
  readonly rule: R;
  /** Position in the canonical order. */
  readonly order: number;
}

/** Rules by the kind name they select, cluster-wide and per namespace; selectors with wildcards are kept apart. */
export class KindIndex<R extends CompiledRule> {
  readonly #buckets = new Map<string, Bucket<R>>();

  /** `policies` in canonical order; `fineGrained` ones only where they are not reached by name. */
  constructor(
    policies: readonly CompiledPolicy[],
    rulesOf: (policy: CompiledPolicy) => readonly R[],
    {fineGrained}: {readonly fineGrained: 'included' | 'by name'} = {fineGrained: 'by name'},
  ) {
    let order = 0;
    for (const policy of policies) {
      if (policy.fineGrained && fineGrained === 'by name') continue;
      for (const rule of rulesOf(policy)) {
        order += 1;
        this.#bucket(policy.ref.namespace).add({policy, rule, order});
      }
    }
  }

  find(request: EngineRequest): Array<Candidate<R>> {
    const found = this.#buckets.get('')?.find(request) ?? [];
    if (request.namespace !== '') found.push(...(this.#buckets.get(request.namespace)?.find(request) ?? []));
    found.sort((a, b) => a.order - b.order);
    const candidates: Array<{policy: CompiledPolicy; rules: R[]}> = [];
    for (const {policy, rule} of found) {
      const last = candidates.at(-1);
      if (last?.policy === policy) last.rules.push(rule);
      else candidates.push({policy, rules: [rule]});
    }
    return candidates;
  }

  #bucket(namespace: string): Bucket<R> {
    let bucket = this.#buckets.get(namespace);
    if (bucket === undefined) {
      bucket = new Bucket<R>();
      this.#buckets.set(namespace, bucket);
    }
    return bucket;
  }
}

class Bucket<R extends CompiledRule> {
  readonly #byKind = new Map<string, Array<Indexed<R>>>();
  readonly #wild: Array<Indexed<R>> = [];

  add(indexed: Indexed<R>): void {
    const kinds = new Set(indexed.rule.kinds.map(selector => selector.kind));
    if ([...kinds].some(hasWildcard)) {
      this.#wild.push(indexed);
      return;
    }
    for (const kind of kinds) {
      const list = this.#byKind.get(kind);
      if (list === undefined) this.#byKind.set(kind, [indexed]);
      else list.push(indexed);
    }
  }

  find(request: EngineRequest): Array<Indexed<R>> {
    const subject = {...request.kind, subresource: request.subResource};
    return [...(this.#byKind.get(request.kind.kind) ?? []), ...this.#wild].filter(({rule}) => {
      if (rule.operations !== undefined && !rule.operations.has(request.operation)) return false;
      return rule.kinds.some(selector => compileKindSelector(selector)(subject));
    });
  }
}
