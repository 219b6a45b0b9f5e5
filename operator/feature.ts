import type {Clock} from '../adapters/clock.js';
import type {LoopShare} from '../adapters/loop-share.js';
import type {Congestion} from '../adapters/kube/congestion.js';
import type {Discovery} from '../adapters/kube/discovery.js';
import type {KubeClient} from '../adapters/kube/types.js';
import type {SearchRoom} from '../adapters/kube/search-room.js';
import type {Logger} from '../adapters/log/logger.js';
import type {ContextLoader} from '../engine/context-loader.js';
import type {RegexEngine} from '../engine/regex/types.js';
import type {ResourceMap} from '../engine/resource-map.js';
import type {CelPolicyState} from '../engine/cel-policies/snapshot/cel-policy-cache.js';
import type {PolicyCache, PolicyState} from '../engine/snapshot/policy-cache.js';
import type {Engine} from '../engine/types.js';
import type {Metrics} from '../webhook/metrics/metrics.js';
import type {AdmissionObserver, AuditSink, RequestFilters} from '../webhook/types.js';
import type {CelFamily} from './cel-policies/cel-serving.js';
import type {OperatorConfig} from './config/config-map.js';
import type {OperatorEnvironment} from './config/environment.js';
import type {Duty} from './duties/duties.js';
import type {Flags} from './config/flags.js';
import type {EntryStore} from './global-context/entry-store.js';
import type {EventEmitter} from './events/event-emitter.js';
import type {NativePolicies} from './native-policies/native-states.js';
import type {Manager, Registration} from './manager/manager.js';
import type {Findings} from './reports/findings.js';
import type {LiveReplica} from './leases/live-replicas.js';
import type {Settings} from './settings/settings.js';
import type {QuarantineNotices} from './quarantine/quarantine-notices.js';
import type {OwnRights} from './permissions/own-rights.js';
import type {BackgroundConditions} from './status/background-conditions.js';
import type {ClassicKind} from './policies/policy-handlers.js';

/** What every room of the operator may use of the process, on either of its threads. */
export interface Core {
  readonly client: KubeClient;
  /** Changes objects of users in the name of the duty's service account; `client` where that is the process's own. */
  readonly worker: KubeClient;
  readonly clock: Clock;
  readonly log: Logger;
  readonly discovery: Discovery;
  readonly resources: () => ResourceMap;
  readonly manager: Manager;
  readonly cache: PolicyCache;
  /** The same of policies written in CEL. */
  readonly cel: CelFamily;
  readonly native: NativePolicies;
  readonly engine: Engine;
  readonly loader: ContextLoader;
  readonly regex: RegexEngine;
  readonly metrics: Metrics;
  readonly events: EventEmitter;
  readonly flags: Flags;
  /** Where `flags` and `config` come from. */
  readonly settings: Settings;
  readonly environment: OperatorEnvironment;
  /** The ConfigMap's values of the moment. */
  readonly config: () => OperatorConfig;
  /** Requests and objects that no policy sees, as the ConfigMap has it. */
  readonly filters: () => RequestFilters;
  /** Policies that the engines keep away, and let go again. */
  readonly quarantined: QuarantineNotices;
  /** Values of global context entries. */
  readonly globalContext: EntryStore;
  /** Whether this replica has the feature's duty. */
  readonly isLeading: () => boolean;
}

/** The same on the main thread, where admission is. */
export interface AdmissionCore extends Core {
  /** Which wording of a policy the webhook configurations in force cover; `undefined` also on replicas that do not lead. */
  readonly covered: (kind: string, key: string) => {readonly uid: string; readonly generation: number} | undefined;
  /** Webhook configurations and the policy's status are worked out anew. */
  readonly touchPolicy: (kind: string, key: string) => void;
  readonly rights: OwnRights;
  /** Replicas whose Lease is alive. */
  readonly replicas: () => readonly LiveReplica[];
  /** What this replica has to tell of policies, for their status; the leader writes its own. */
  readonly conditions: BackgroundConditions;
}

/** The same where work is done that can wait: scans, generation, reports. */
export interface BackgroundCore extends Core {
  /** Where what `loader` finds for a piece of work is counted. */
  readonly searchRoom: SearchRoom;
  /** False while webhooks that nobody serves could refuse what is written: after a peer's end, or with a stale authority. */
  readonly webhooksServed: () => boolean | Promise<boolean>;
  /** How much bulk work the API server takes on at one time. */
  readonly congestion: Congestion;
  /** How much of the event loop bulk work may take. */
  readonly share: LoopShare;
  /** What work in the background found, for reports. */
  readonly findings: Findings;
}

/**
 * A part of the process that stands on its own: it names the kinds it mirrors, is told when this replica leads and when
 * policies change, and may listen to admission. One that fails takes no other down: what it throws is logged.
 */
export interface Feature {
  readonly name: string;
  /** Whose leadership it follows; `admission` when absent. */
  readonly duty?: Duty;
  readonly registrations?: readonly Registration[];
  /** Gets what was judged, after the answer; see AuditSink. */
  readonly sink?: AuditSink;
  /** May do work that only the request is evidence of, before the answer. */
  readonly observer?: AdmissionObserver;
  /** Told once caches are complete, and on each change of leadership after that. */
  setLeading?(leading: boolean): void;
  /** A policy was served, refused or dropped. */
  onPolicy?(kind: ClassicKind, key: string, state: PolicyState | undefined, before: PolicyState | undefined): void;
  /** The same of policies written in CEL. */
  onCelPolicy?(kind: string, key: string, state: CelPolicyState | undefined): void;
  /** An exception of either family came, went or changed. */
  onException?(): void;
  /** Kinds came or went. */
  onDiscovery?(): void;
  /** Settings changed: a key of the ConfigMap, or of the KyvernoConfiguration. */
  onConfig?(config: OperatorConfig): void;
  /** A replica came, went, or has news in its Lease. */
  onReplicas?(): void;
  /** Caches are complete. */
  start?(): Promise<void> | void;
  stop?(): Promise<void> | void;
}
