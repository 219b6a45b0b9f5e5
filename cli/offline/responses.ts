import type {JsonObject} from '../../engine/json/types.js';
import type {RuleResult, RuleStatus, RuleType} from '../../engine/types.js';
import {nameOf, namespaceOf} from '../files/load-policies.js';
import {groupVersionOf, kindOf} from '../files/load-resources.js';
import type {PolicyFamily} from '../files/policy-kinds.js';

export type Phase = 'mutate' | 'verifyImages' | 'validate' | 'generate' | 'cleanup';

/** What one rule said of one resource. */
export interface RuleResponse {
  /** As it ran, autogen prefix included; empty for policies without rule names. */
  readonly rule: string;
  readonly type: RuleType | 'Cleanup';
  readonly status: RuleStatus;
  readonly message: string;
  /** Whether a failure would only be audited. */
  readonly audit: boolean;
  readonly properties: Readonly<Record<string, string>>;
  /** `namespace/name` of exceptions that freed the resource. */
  readonly exceptions: readonly string[];
  /** Objects that a generate rule made. */
  readonly generated: readonly JsonObject[];
  /** Existing objects that a mutate rule changed, as they are after it. */
  readonly targets: readonly JsonObject[];
  /** This release cannot judge the rule; `message` says what is missing. Counts as an error, never as expected. */
  readonly unserved: boolean;
  /** Who judged, in reports; `kyverno` when absent. */
  readonly source?: string;
}

export interface PolicyIdentity {
  readonly family: PolicyFamily;
  readonly kind: string;
  readonly name: string;
  /** Empty for cluster-scoped policies. */
  readonly namespace: string;
  /** `name` or `namespace/name`. */
  readonly key: string;
  readonly raw: JsonObject;
}

/** All rules of one policy in one phase; without rules when the policy does not select the resource. */
export interface PolicyResponse {
  readonly policy: PolicyIdentity;
  readonly phase: Phase;
  /** The resource as the phase met it. */
  readonly resource: JsonObject;
  /** The resource after the phase. */
  readonly patched: JsonObject;
  readonly rules: readonly RuleResponse[];
}

const noProperties: Readonly<Record<string, string>> = Object.freeze({});

export function toResponse(rule: RuleResult, source?: string): RuleResponse {
  const targets = rule.targets ?? [];
  return {
    rule: rule.rule,
    type: rule.type,
    status: rule.status,
    message: rule.message,
    audit: rule.action === 'Audit',
    properties: rule.properties ?? noProperties,
    exceptions: rule.exceptions ?? [],
    generated: rule.type === 'Generation' ? targets : [],
    targets: rule.type === 'Mutation' && rule.status === 'pass' ? targets : [],
    unserved: false,
    ...(source !== undefined && {source}),
  };
}

export interface ResourceKey {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

export function keyOf(object: JsonObject): ResourceKey {
  const {group, version} = groupVersionOf(object);
  return {
    apiVersion: group === '' ? version : `${group}/${version}`,
    kind: kindOf(object),
    namespace: namespaceOf(object),
    name: nameOf(object),
  };
}

/** `apps/v1/Deployment/default/web`; empty segments stay. A payload has its name alone. */
export function keyText({apiVersion, kind, namespace, name}: ResourceKey): string {
  if (apiVersion === '' && kind === '' && namespace === '') return name;
  return `${apiVersion}/${kind}/${namespace}/${name}`;
}
