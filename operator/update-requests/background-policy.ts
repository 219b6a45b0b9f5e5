import type {JsonObject} from '../../engine/json/types.js';
import type {KindInfo} from '../../engine/resource-map.js';
import type {WritePlace} from '../../engine/targets/subresource.js';
import type {EngineRequest, Operation, PolicyRef, RuleStatus} from '../../engine/types.js';
import type {AdmissionRoute} from '../../webhook/routes.js';
import type {NamedObject} from './trigger.js';

export type RequestType = 'generate' | 'mutate' | 'cel-generate' | 'cel-mutate';

/** What background work has to know of a rule. A policy written in CEL is one rule that bears its name. */
export interface BackgroundRule {
  readonly name: string;
  readonly type: 'generate' | 'mutate';
  readonly synchronize: boolean;
  /** Made objects stay when the rule or its policy goes. */
  readonly orphan: boolean;
  /** Work on objects that are there when the policy comes or changes. */
  readonly existing: boolean;
  /** `undefined` = any but DELETE. */
  readonly operations: ReadonlySet<Operation> | undefined;
  /** Asks who made the request, or for other things that only the request knows. */
  readonly needsRequest: boolean;
  /** Its conditions or its output read what only the request knows: without it they may fail, or say anything. */
  readonly judgesByRequest: boolean;
  /** That it selects nothing when nobody is known to have asked does not say that it would select nothing for anybody. */
  readonly selectsByRequest: boolean;
  /** Every request counts: what comes out is another thing each time. */
  readonly repeats: boolean;
  /** Paths below `object` and `oldObject` that the rule reads, as far as its text tells. */
  readonly reads: readonly (readonly string[])[];
  readonly readsOld: boolean;
  /** Changes with what names the rule's targets. */
  readonly pattern: string;
  /** Copies the trigger into other namespaces: new ones count as a change of the trigger. */
  readonly fansOut: boolean;
  readonly skipBackgroundRequests: boolean;
  /** Kinds of its triggers. */
  readonly triggers: () => readonly KindInfo[];
  /** Of mutation: what is changed depends on the trigger. */
  readonly targetsByTrigger: boolean;
  /** Kinds of what it copies. */
  readonly sources: () => readonly KindInfo[];
  /** Where from; `undefined` = anywhere. */
  readonly sourceNamespaces: ReadonlySet<string> | undefined;
  /** Kinds of what it makes, as far as the rule says. */
  readonly makes: () => readonly KindInfo[];
}

export interface BackgroundPolicy {
  /** `ClusterPolicy/name`, `Policy/namespace/name`, `GeneratingPolicy/name` … */
  readonly id: string;
  readonly ref: PolicyRef;
  readonly uid: string;
  /** Milliseconds since the epoch. */
  readonly created: number;
  /** Changes with what the policy says. */
  readonly version: string;
  /** Objects whose immutable fields would change may be made anew. */
  readonly recreates: boolean;
  /** What others add to its objects stays, as with any server-side apply. */
  readonly keepsAdditions: boolean;
  /** What its rules made is applied at each request that triggers them, also where it is not kept in step. */
  readonly appliesAgain: boolean;
  /** Only the first of its rules that has something to say of a trigger is applied; behind an error none is. */
  readonly appliesOne: boolean;
  readonly rules: readonly BackgroundRule[];
}

export interface MadeTarget {
  readonly object: JsonObject;
  /** Of a copy. */
  readonly source: NamedObject | undefined;
  /** Where a changed object is written to. */
  readonly place: WritePlace;
}

/** What a rule came to for a trigger. No outcome of a rule = it does not concern the trigger. */
export interface RuleOutcome {
  readonly rule: string;
  readonly status: RuleStatus;
  readonly message: string;
  readonly targets: readonly MadeTarget[];
}

export interface Triggered {
  readonly policy: BackgroundPolicy;
  readonly rules: readonly BackgroundRule[];
}

/** A family of policies as background work sees it. */
export interface BackgroundFamily {
  policies(): Iterable<BackgroundPolicy>;
  policy(id: string): BackgroundPolicy | undefined;
  /** Policies that an update request of this type names. */
  idOf(type: RequestType, key: string): string | undefined;
  requestType(rule: BackgroundRule): RequestType;
  /** Quick: could the request trigger anything that this route is for? */
  concerns(request: EngineRequest, route: AdmissionRoute): boolean;
  /**
   * What the request triggers, as soon as it is known: each policy for itself, but for those that wait for the same answers. What
   * cannot be told by `deadline` counts as triggered.
   */
  triggered(request: EngineRequest, route: AdmissionRoute, deadline: number): ReadonlyArray<Promise<readonly Triggered[]>>;
  /** Nothing is written. */
  evaluate(policy: BackgroundPolicy, rules: readonly BackgroundRule[], request: EngineRequest, deadline: number): Promise<readonly RuleOutcome[]>;
}
