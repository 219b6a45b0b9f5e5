import type {LabelSelector} from '../../engine/policy/model.js';
import type {MatchConstraints, ResourceRule} from '../../engine/cel-policies/model.js';
import {isObject, type Json, type JsonObject} from '../../engine/json/types.js';
import type {PolicyRef} from '../../engine/types.js';

export type NativeType = 'validating' | 'mutating';

/** What one policy comes to as a policy of the API server's own, defaults filled in and empty lists left out. */
export interface NativePlan {
  readonly type: NativeType;
  readonly name: string;
  readonly bindingName: string;
  readonly spec: JsonObject;
  readonly binding: JsonObject;
  readonly labels: Readonly<Record<string, string>>;
  /** Milliseconds since the epoch at which it will be another one; `undefined` = not by itself. */
  readonly until: number | undefined;
}

/** Either what is to be there, or why nothing is: `status…message`. */
export type NativeWish =
  | {readonly plan: NativePlan; readonly skip?: undefined}
  | {readonly plan?: undefined; readonly skip: string};

/** Of a policy that may have a native copy. */
export interface NativeSource {
  readonly ref: PolicyRef;
  readonly labels: Readonly<Record<string, string>>;
}

const prefixes: Readonly<Record<string, string>> = {ValidatingPolicy: 'vpol', MutatingPolicy: 'mpol', ClusterPolicy: 'cpol'};
export const nativeSourceKinds = Object.keys(prefixes);

export const managedByLabel = 'app.kubernetes.io/managed-by';
const silentLabel = 'reports.kyverno.io/disabled';

export function nativeName(kind: string, name: string): string {
  return `${prefixes[kind] ?? ''}-${name}`;
}

export function makePlan(source: NativeSource, parts: Pick<NativePlan, 'type' | 'spec' | 'until'> & {readonly binding: JsonObject}): NativePlan {
  const name = nativeName(source.ref.kind, source.ref.name);
  return {
    ...parts,
    name,
    bindingName: `${name}-binding`,
    spec: compact(parts.spec),
    binding: compact({policyName: name, ...parts.binding}),
    labels: {[managedByLabel]: 'kyverno', ...(Object.hasOwn(source.labels, silentLabel) && {[silentLabel]: 'true'})},
  };
}

/** Without lists that are empty, as the API server stores objects. */
export function compact(object: JsonObject): JsonObject {
  return compactValue(object) as JsonObject;
}

function compactValue(value: Json): Json {
  if (Array.isArray(value)) return value.map(compactValue);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, item]) => item !== undefined && item !== null && !(Array.isArray(item) && item.length === 0))
      .map(([key, item]) => [key, compactValue(item)]),
  );
}

/** `matchConstraints` as the API server stores them. */
export function constraintsJson(constraints: MatchConstraints): JsonObject {
  return {
    resourceRules: constraints.resourceRules.map(ruleJson),
    excludeResourceRules: constraints.excludeResourceRules.map(ruleJson),
    namespaceSelector: selectorJson(constraints.namespaceSelector),
    objectSelector: selectorJson(constraints.objectSelector),
    matchPolicy: constraints.matchPolicy ?? 'Equivalent',
  };
}

function ruleJson(rule: ResourceRule): JsonObject {
  return {
    apiGroups: [...rule.apiGroups],
    apiVersions: [...rule.apiVersions],
    operations: [...rule.operations],
    resources: [...rule.resources],
    resourceNames: [...rule.resourceNames],
    scope: rule.scope,
  };
}

function selectorJson(selector: LabelSelector | undefined): JsonObject {
  const {matchLabels = {}, matchExpressions = []} = selector ?? {};
  return {
    ...(Object.keys(matchLabels).length > 0 && {matchLabels: {...matchLabels}}),
    matchExpressions: matchExpressions.map(({key, operator, values = []}) => ({key, operator, values: [...values]})),
  };
}

export const skipped = {
  validating: (why: string): NativeWish => ({skip: `skip generating ValidatingAdmissionPolicy: ${why}`}),
  mutating: (why: string): NativeWish => ({skip: `skip generating MutatingAdmissionPolicy: ${why}`}),
};
