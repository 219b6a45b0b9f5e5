import type {CompiledCleanup} from '../../engine/cleanup/compile-cleanup-policy.js';
import type {Propagation} from '../../engine/cleanup/model.js';
import type {Schedule} from '../../engine/cleanup/schedule.js';
import type {MaybePromise} from '../../engine/context-loader.js';
import type {JsonObject} from '../../engine/json/types.js';
import type {GroupVersionResource} from '../../engine/types.js';
import type {EventSubject} from '../events/event.js';

/** A collection to look through for objects that are to go. */
export interface CleanupTarget extends GroupVersionResource {
  readonly kind: string;
  readonly namespaced: boolean;
}

/** Something that removes objects again and again, whatever kind of policy says so. */
export interface CleanupJob {
  /** Unique, stable over restarts: `CleanupPolicy/shop/old-pods`, `ClusterPolicy/x#rule`. */
  readonly id: string;
  readonly policy: EventSubject;
  /** Empty where the policy is the clean-up. */
  readonly rule: string;
  readonly schedule: Schedule;
  /** Runs are counted from here until there was one; milliseconds since the epoch. */
  readonly created: number;
  /** Empty = everywhere. */
  readonly namespace: string;
  readonly propagation: Propagation | undefined;
  readonly labelSelector: string | undefined;
  /** Nothing is deleted: what would be is counted and told. */
  readonly dryRun: boolean;
  /** A run that selects more than this share (0 to 1) of what it looked at deletes nothing. */
  readonly maxShare: number | undefined;
  /** Why the policy's guards cannot be read; the job is then a dry run. */
  readonly guardProblem: string | undefined;
  /** Resolved anew for each run: kinds come and go. `unresolved`: kinds that the cluster does not have. */
  targets(): {readonly found: readonly CleanupTarget[]; readonly unresolved: readonly string[]};
  /** A judge for one run. It throws EvalError for what cannot be told: such an object stays. */
  judge(): (object: JsonObject) => MaybePromise<boolean>;
}

export interface CleanupProblem {
  /** One line. */
  readonly message: string;
  /** It is a right that is missing, which `forbidden` names. */
  readonly isForbidden: boolean;
}

/** What one run came to. */
export interface CleanupReport {
  readonly looked: number;
  readonly deleted: number;
  /** Selected in a dry run, or by a run that its share limit stopped. */
  readonly spared: number;
  /** Those of the whole run, then the first ones of kinds and objects. */
  readonly problems: readonly CleanupProblem[];
  /** Kinds that may not be listed or deleted: the rule to add. */
  readonly forbidden: readonly string[];
}

export type {CompiledCleanup};
