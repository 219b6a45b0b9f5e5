import type {JsonObject} from '../../engine/json/types.js';

/** The parts of a Validating- or MutatingWebhookConfiguration that we write. Field order is the order of output. */
export interface WebhookRule {
  readonly apiGroups: readonly string[];
  readonly apiVersions: readonly string[];
  readonly operations: readonly string[];
  readonly resources: readonly string[];
  readonly scope: 'Namespaced' | 'Cluster' | '*';
}

export interface WebhookMatchCondition {
  readonly name: string;
  readonly expression: string;
}

export interface WebhookEntry {
  readonly name: string;
  /** Path on the service, e.g. `/validate/fail`. */
  readonly path: string;
  readonly failurePolicy: 'Fail' | 'Ignore';
  readonly rules: readonly WebhookRule[];
  readonly timeoutSeconds: number;
  readonly sideEffects: 'None' | 'NoneOnDryRun';
  readonly matchConditions: readonly WebhookMatchCondition[];
  readonly objectSelector?: JsonObject;
  /** Joined with that of the installation. */
  readonly namespaceSelector?: JsonObject;
  /** Default: `Equivalent`. */
  readonly matchPolicy?: 'Exact';
  /** Of mutating entries; default: `IfNeeded`. */
  readonly reinvocationPolicy?: 'Never';
  /** Only objects of this namespace are sent. */
  readonly namespace?: string;
  /** Of entries that fail closed: `included` = there too, `only` = nowhere else. Absent: they are kept out, see `guardSystemNamespaces`. */
  readonly systemNamespaces?: 'included' | 'only';
}

export type ConfigurationKind = 'ValidatingWebhookConfiguration' | 'MutatingWebhookConfiguration';

export interface ConfigurationPlan {
  readonly kind: ConfigurationKind;
  readonly name: string;
  readonly entries: readonly WebhookEntry[];
}

/** What a policy's author has to know of its webhooks. */
export interface PolicyWebhookNote {
  /** Key of the policy. */
  readonly policy: string;
  /**
   * `bootstrap`: kinds that are intercepted with Ignore only; `unresolved`: kinds the cluster does not have; `risk`: what
   * keeps a cluster from locking itself out does not hold for the policy.
   */
  readonly reason: 'bootstrap' | 'unresolved' | 'timeout' | 'risk';
  readonly message: string;
}
