import type {EngineRequest} from '../../types.js';
import type {CompiledCelPolicy, PolicyVariant} from '../types.js';

/** A variant that may concern a request, with its policy. */
export interface CelCandidate {
  readonly policy: CompiledCelPolicy;
  readonly variant: PolicyVariant;
}

interface Indexed extends CelCandidate {
  /** Position in the canonical order. */
  readonly order: number;
}

/**
 * Variants by group and resource of their rules, cluster-wide and per namespace, so that a request's cost grows with the
 * policies about its resource alone. Rules with wildcards are kept apart.
 */
export class ResourceIndex {
  readonly #buckets = new Map<string, Bucket>();

  /** `policies` in canonical order. */
  constructor(policies: readonly CompiledCelPolicy[]) {
    let order = 0;
    for (const policy of policies) {
      for (const variant of policy.variants) {
        order += 1;
        this.#bucket(policy.ref.namespace).add({policy, variant, order});
      }
    }
  }

  /** In canonical order; a policy's variants one after another. */
  find(request: EngineRequest): CelCandidate[] {
    const found = this.#buckets.get('')?.find(request) ?? [];
    if (request.namespace !== '') found.push(...(this.#buckets.get(request.namespace)?.find(request) ?? []));
    return found.sort((a, b) => a.order - b.order);
  }

  #bucket(namespace: string): Bucket {
    let bucket = this.#buckets.get(namespace);
    if (bucket === undefined) {
      bucket = new Bucket();
      this.#buckets.set(namespace, bucket);
    }
    return bucket;
  }
}

class Bucket {
  readonly #byResource = new Map<string, Indexed[]>();
  readonly #wild: Indexed[] = [];

  add(indexed: Indexed): void {
    const keys = keysOf(indexed.variant);
    if (keys === undefined) {
      this.#wild.push(indexed);
      return;
    }
    for (const key of keys) {
      const list = this.#byResource.get(key);
      if (list === undefined) this.#byResource.set(key, [indexed]);
      else list.push(indexed);
    }
  }

  find({resource}: EngineRequest): Indexed[] {
    return [...(this.#byResource.get(`${resource.group}/${resource.resource}`) ?? []), ...this.#wild];
  }
}

/** `undefined`: may concern any resource. */
function keysOf({constraints}: PolicyVariant): ReadonlySet<string> | undefined {
  const rules = constraints?.resourceRules ?? [];
  if (constraints !== undefined && rules.length === 0) return undefined;
  const keys = new Set<string>();
  for (const {apiGroups, resources} of rules) {
    for (const group of apiGroups) {
      for (const text of resources) {
        const name = text.split('/')[0] ?? '';
        if (group === '*' || name === '*') return undefined;
        keys.add(`${group}/${name}`);
      }
    }
  }
  return keys;
}
