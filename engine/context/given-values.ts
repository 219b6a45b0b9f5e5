import type {Json, JsonObject} from '../json/types.js';
import type {ContextEntry} from '../policy/model.js';
import type {EngineRequest, PolicyRef} from '../types.js';

/**
 * Values that an offline run is given in place of what a cluster would answer (values files, `--set`). A cluster run
 * has none.
 */
export interface GivenValues {
  /** Found under the rule's context entries and merged into `request` and the like; nested objects by path. */
  below(policy: PolicyRef, rule: string, request: EngineRequest): JsonObject | undefined;
  /** Found above the rule's context entries. */
  above(policy: PolicyRef, rule: string): Readonly<Record<string, Json>> | undefined;
  /** Entries of a type that cannot be resolved are not loaded: what is given under their name stands. */
  resolves(type: ContextEntry['type']): boolean;
}
