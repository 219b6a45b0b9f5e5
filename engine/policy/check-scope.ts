import type {JsonObject} from '../json/types.js';
import type {ResourceMap} from '../resource-map.js';
import type {Faults} from './faults.js';

/** What every check may know of the policy beside the part it looks at. */
export interface Scope {
  readonly faults: Faults;
  readonly resources: ResourceMap;
  /** A Policy, not a ClusterPolicy. */
  readonly namespaced: boolean;
  /** The Policy's own namespace; empty for ClusterPolicies and when not known yet. */
  readonly namespace: string;
  readonly background: boolean;
  readonly spec: JsonObject;
  /** `spec.rules[3]` for each rule that is checked. */
  readonly rulePaths: readonly string[];
  /** A rule of the policy changes existing objects, which frees it of the limits of background variables. */
  readonly mutatesExisting: boolean;
  readonly unknownKinds: 'warn' | 'refuse';
}
