import type {ContextEntry, FilterGroup} from '../policy/model.js';
import type {Json, JsonObject} from '../json/types.js';
import type {PolicyRef} from '../types.js';
import type {Schedule} from './schedule.js';

export type Propagation = 'Foreground' | 'Background' | 'Orphan';

/** A CleanupPolicy or ClusterCleanupPolicy in canonical form. Made by `loadCleanupPolicy`. */
export interface CleanupPolicy {
  readonly ref: PolicyRef;
  readonly uid: string;
  readonly generation: number;
  readonly match: FilterGroup;
  readonly exclude: FilterGroup | undefined;
  readonly conditions: Json | undefined;
  readonly context: readonly ContextEntry[];
  readonly schedule: Schedule;
  /** undefined = the API server's default for the kind. */
  readonly propagation: Propagation | undefined;
  readonly raw: JsonObject;
}
