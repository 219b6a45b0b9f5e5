import type {Thing} from './policies.js';

export interface RuleSample {
  readonly name?: string;
  readonly kinds?: readonly string[];
  readonly operations?: readonly string[];
  readonly namespaces?: readonly string[];
  readonly [field: string]: unknown;
}

export interface PolicySample {
  readonly namespace?: string;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly rules: readonly RuleSample[];
  readonly spec?: Readonly<Record<string, unknown>>;
}

/** A ClusterPolicy in mode Enforce, or a Policy when a namespace is given. */
export function policy(name: string, {namespace, annotations, rules, spec}: PolicySample): Thing {
  return {
    apiVersion: 'kyverno.io/v1',
    kind: namespace === undefined ? 'ClusterPolicy' : 'Policy',
    metadata: {name, ...(namespace !== undefined && {namespace}), ...(annotations !== undefined && {annotations})},
    spec: {validationFailureAction: 'Enforce', background: false, ...spec, rules: rules.map(rule)},
  };
}

function rule({name = 'rule', kinds = ['ConfigMap'], operations, namespaces, ...rest}: RuleSample) {
  const resources = {
    kinds,
    ...(operations !== undefined && {operations}),
    ...(namespaces !== undefined && {namespaces}),
  };
  return {name, match: {any: [{resources}]}, ...rest};
}

/** Refuses objects without the label. */
export function labelRule(label: string, rest: RuleSample = {}): RuleSample {
  const pattern = {metadata: {labels: {[label]: '?*'}}};
  return {name: `has-${label}`, validate: {message: `label ${label} is missing`, pattern}, ...rest};
}

/** Refuses everything it matches. */
export function denyRule(message: string, rest: RuleSample = {}): RuleSample {
  return {validate: {message, deny: {}}, ...rest};
}

export function configMap(
  name: string,
  rest: Partial<Thing['metadata']> & {readonly data?: Readonly<Record<string, string>>} = {},
): Thing {
  const {data, ...metadata} = rest;
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {namespace: 'shop', ...metadata, name},
    ...(data !== undefined && {data}),
  };
}

export function pod(name: string, rest: Partial<Thing['metadata']> = {}): Thing {
  const spec = {containers: [{name: 'app', image: 'registry.example/app:1'}]};
  return {apiVersion: 'v1', kind: 'Pod', metadata: {namespace: 'shop', ...rest, name}, spec};
}
