import type {ContextLoader} from '../context-loader.js';
import type {JsonObject} from '../json/types.js';
import type {ClassicPolicy, ClassicRule} from '../policy/model.js';
import type {RegexEngine} from '../regex/types.js';
import type {ResourceMap} from '../resource-map.js';

export type Severity = 'error' | 'warning' | 'info';

/** Something in a policy that is legal and yet likely to hurt. */
export interface Finding {
  /** Stable kebab-case; the loader's own diagnostics keep their codes. */
  readonly id: string;
  readonly severity: Severity;
  readonly message: string;
  /** What to write instead. */
  readonly hint: string;
  /** `spec.rules[0].validate.pattern.spec`; empty for the policy as a whole. */
  readonly path: string;
  /** Empty for findings about the policy. */
  readonly rule: string;
}

/** What a check reports; the rest comes from its rule. */
export interface Fault {
  readonly path: string;
  readonly message: string;
  readonly hint?: string;
  readonly severity?: Severity;
}

export interface RuleSubject {
  readonly policy: ClassicPolicy;
  readonly rule: ClassicRule;
}

/** One thing the linter looks for. */
export interface LintRule {
  readonly id: string;
  readonly severity: Severity;
  /** One line for lists and SARIF. */
  readonly summary: string;
  readonly hint: string;
  check(subject: RuleSubject): Iterable<Fault>;
}

export interface LintOptions {
  readonly resources: ResourceMap;
  readonly loader: ContextLoader;
  readonly regex: RegexEngine;
  /** Objects that mutate rules are tried on, beside those that are built for the rule. */
  readonly samples?: readonly JsonObject[];
}
