import type {RuleExplanation} from '../../engine/explain/index.js';
import type {ResourceKey} from '../offline/responses.js';

/** One policy on one object: an element of `explanations` in the JSON form (docs/explain.md). */
export interface Explained {
  readonly policy: {
    readonly apiVersion: string;
    readonly kind: string;
    readonly namespace: string;
    readonly name: string;
  };
  readonly resource: ResourceKey;
  readonly operation: string;
  readonly rules: readonly RuleExplanation[];
}
