import {attestorTexts, mapAttestorTexts} from '../../cel-image/attestor-texts.js';
import {deepClone} from '../../json/clone.js';
import {isObject, type Json, type JsonObject, own} from '../../json/types.js';
import type {ResourceMap} from '../../resource-map.js';
import type {
  ImageValidatingPolicy,
  ImageValidatingSpec,
  MatchConstraints,
  MutatingPolicy,
  MutatingSpec,
  NamedExpression,
  ValidatingPolicy,
  ValidatingSpec,
} from '../model.js';
import {
  rewriteApplyConfiguration,
  rewriteExpression,
  rewriteJsonPatch,
  rewriteMessage,
  type TemplatePath,
} from './rewrite-expression.js';

export interface AutogenTarget {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly kind: string;
}

/** An entry of `status.autogen.configs`. */
export interface AutogenConfig {
  readonly name: 'defaults' | 'cronjobs' | 'extract';
  /** Sorted by group, version, resource. */
  readonly targets: readonly AutogenTarget[];
  /** The spec for these, as users would write it. */
  readonly spec: JsonObject;
}

/** A policy for Pod controllers, derived from one for Pods. */
export interface DerivedVariant<P> {
  readonly config: AutogenConfig;
  readonly model: P;
}

type Controlled = ValidatingPolicy | MutatingPolicy | ImageValidatingPolicy;

const controllers: ReadonlyMap<string, AutogenTarget> = new Map(
  (
    [
      ['daemonsets', 'apps', 'DaemonSet'],
      ['deployments', 'apps', 'Deployment'],
      ['replicasets', 'apps', 'ReplicaSet'],
      ['statefulsets', 'apps', 'StatefulSet'],
      ['jobs', 'batch', 'Job'],
      ['cronjobs', 'batch', 'CronJob'],
    ] as const
  ).map(([resource, group, kind]) => [resource, {group, version: 'v1', resource, kind}]),
);

const template: TemplatePath = ['spec', 'template'];
const jobTemplate: TemplatePath = ['spec', 'jobTemplate', 'spec', 'template'];

/** What autogen makes of a policy: at most one variant each for controllers, for CronJobs and for other workloads. */
export function deriveVariants<P extends Controlled>(policy: P, resources: ResourceMap): Array<DerivedVariant<P>> {
  const constraints = policy.spec.matchConstraints;
  if (constraints === undefined || !concernsPodsAlone(constraints)) return [];
  const wanted = policy.spec.podControllers ?? [...controllers.keys()];
  const known = [...new Set(wanted)].flatMap(name => controllers.get(name) ?? []);
  const others = [...new Set(wanted)].flatMap(name => (controllers.has(name) ? [] : (workload(name, resources) ?? [])));
  const groups: ReadonlyArray<readonly [AutogenConfig['name'], readonly AutogenTarget[], TemplatePath]> = [
    ['defaults', known.filter(target => target.resource !== 'cronjobs'), template],
    ['cronjobs', known.filter(target => target.resource === 'cronjobs'), jobTemplate],
    ['extract', others, []],
  ];
  return groups.flatMap(([name, targets, path]) =>
    targets.length === 0 ? [] : [derive(policy, constraints, {name, targets: sorted(targets), path})],
  );
}

/** Names in `podControllers.controllers` that mean nothing. */
export function unknownControllers(policy: Controlled, resources: ResourceMap): readonly string[] {
  return (policy.spec.podControllers ?? []).filter(
    name => !controllers.has(name) && workload(name, resources) === undefined,
  );
}

/** Criteria of a Pod that a controller has not cannot be carried over. */
function concernsPodsAlone({objectSelector, excludeResourceRules, resourceRules}: MatchConstraints): boolean {
  const [rule, second] = resourceRules;
  if (rule === undefined || second !== undefined || excludeResourceRules.length > 0) return false;
  const selects =
    Object.keys(objectSelector?.matchLabels ?? {}).length > 0 || (objectSelector?.matchExpressions ?? []).length > 0;
  if (selects || rule.resourceNames.length > 0) return false;
  return isOnly(rule.apiGroups, '') && isOnly(rule.apiVersions, 'v1') && isOnly(rule.resources, 'pods');
}

function isOnly(values: readonly string[], value: string): boolean {
  return values.length === 1 && values[0] === value;
}

/** `jobsets.v1alpha2.jobset.x-k8s.io`, or the plural of a kind that is known. */
function workload(name: string, resources: ResourceMap): AutogenTarget | undefined {
  const [resource = '', version, ...group] = name.split('.');
  if (version !== undefined && group.length > 0) {
    const found = resources.kindOf({group: group.join('.'), version, resource});
    return {group: group.join('.'), version, resource, kind: found?.kind ?? guessKind(resource)};
  }
  const found = version === undefined ? resources.all().find(info => info.resource === resource) : undefined;
  if (found === undefined || (found.group === '' && found.resource === 'pods')) return undefined;
  return {group: found.group, version: found.version, resource, kind: found.kind};
}

function guessKind(resource: string): string {
  const singular = resource.endsWith('s') ? resource.slice(0, -1) : resource;
  return `${singular.charAt(0).toUpperCase()}${singular.slice(1)}`;
}

function sorted(targets: readonly AutogenTarget[]): AutogenTarget[] {
  const key = ({group, version, resource}: AutogenTarget) => `${group}/${version}/${resource}`;
  return [...targets].sort((a, b) => (key(a) < key(b) ? -1 : 1));
}

interface Group {
  readonly name: AutogenConfig['name'];
  readonly targets: readonly AutogenTarget[];
  /** Empty: the policy stays as it is, and judges Pods that are made of what the object holds. */
  readonly path: TemplatePath;
}

function derive<P extends Controlled>(policy: P, constraints: MatchConstraints, group: Group): DerivedVariant<P> {
  const matchConstraints = constraintsFor(constraints, group.targets);
  const {path} = group;
  const spec = {...rewriteSpec(policy, path), matchConstraints};
  const written = own(policy.raw, 'spec');
  return {
    model: {...policy, spec} as P,
    config: {
      name: group.name,
      targets: group.targets,
      spec: {
        ...(isObject(written) ? writtenSpec(written, spec) : {}),
        matchConstraints: constraintsJson(matchConstraints),
      },
    },
  };
}

/** One rule per group and version, with the operations of the Pods' rule; what else it asks for is dropped. */
function constraintsFor(
  {resourceRules, namespaceSelector}: MatchConstraints,
  targets: readonly AutogenTarget[],
): MatchConstraints {
  const operations = resourceRules[0]?.operations ?? [];
  const groups = new Map<string, AutogenTarget[]>();
  for (const target of targets) {
    const key = `${target.group}/${target.version}`;
    groups.set(key, [...(groups.get(key) ?? []), target]);
  }
  return {
    resourceRules: [...groups.values()].map(members => ({
      apiGroups: [members[0]!.group],
      apiVersions: [members[0]!.version],
      resources: members.map(({resource}) => resource),
      operations,
      scope: '*',
      resourceNames: [],
    })),
    excludeResourceRules: [],
    namespaceSelector,
    objectSelector: undefined,
    matchPolicy: undefined,
  };
}

function constraintsJson({resourceRules, namespaceSelector}: MatchConstraints): JsonObject {
  return {
    resourceRules: resourceRules.map(({apiGroups, apiVersions, resources, operations}) => ({
      apiGroups: [...apiGroups],
      apiVersions: [...apiVersions],
      resources: [...resources],
      operations: [...operations],
    })),
    ...(namespaceSelector !== undefined && {namespaceSelector: deepClone(namespaceSelector as unknown as JsonObject)}),
  };
}

function rewriteSpec(policy: Controlled, path: TemplatePath): Controlled['spec'] {
  switch (policy.type) {
    case 'validating':
      return rewriteValidating(policy.spec, path);
    case 'mutating':
      return rewriteMutating(policy.spec, path);
    case 'imageValidating':
      return rewriteImageValidating(policy.spec, path);
  }
}

function rewriteNamed(list: readonly NamedExpression[], path: TemplatePath): NamedExpression[] {
  return list.map(({name, expression}) => ({name, expression: rewriteExpression(expression, path)}));
}

function rewriteImageValidating(spec: ImageValidatingSpec, path: TemplatePath): ImageValidatingSpec {
  if (path.length === 0) return spec;
  return {
    ...rewriteValidating(spec, path),
    images: rewriteNamed(spec.images, path),
    attestors: spec.attestors.map(attestor => mapAttestorTexts(attestor, text => rewriteExpression(text, path))),
  };
}

function rewriteValidating<S extends ValidatingSpec | ImageValidatingSpec>(spec: S, path: TemplatePath): S {
  if (path.length === 0) return spec;
  return {
    ...spec,
    ...rewriteShared(spec, path),
    validations: spec.validations.map(({expression, message, messageExpression, reason}) => ({
      expression: rewriteExpression(expression, path),
      message: message === undefined ? undefined : rewriteMessage(message, path),
      messageExpression: messageExpression === undefined ? undefined : rewriteExpression(messageExpression, path),
      reason,
    })),
  };
}

function rewriteShared(spec: Controlled['spec'], path: TemplatePath) {
  return {
    matchConditions: rewriteNamed(spec.matchConditions, path),
    variables: rewriteNamed(spec.variables, path),
    auditAnnotations: spec.auditAnnotations.map(({key, valueExpression}) => ({
      key,
      valueExpression: rewriteExpression(valueExpression, path),
    })),
  };
}

function rewriteMutating(spec: MutatingSpec, path: TemplatePath): MutatingSpec {
  if (path.length === 0) return spec;
  return {
    ...spec,
    ...rewriteShared(spec, path),
    mutations: spec.mutations.map(({patchType, applyConfiguration, jsonPatch}) => ({
      patchType,
      applyConfiguration:
        applyConfiguration === undefined ? undefined : rewriteApplyConfiguration(applyConfiguration, path),
      jsonPatch: jsonPatch === undefined ? undefined : rewriteJsonPatch(jsonPatch, path),
    })),
  };
}

/** The written spec with the rewritten expressions in their places. */
function writtenSpec(written: JsonObject, spec: Controlled['spec']): JsonObject {
  const result = deepClone(written) as JsonObject;
  const put = (list: Json | undefined, index: number, field: string, value: string | undefined) => {
    const entry = Array.isArray(list) ? list[index] : undefined;
    if (isObject(entry) && value !== undefined && own(entry, field) !== undefined) entry[field] = value;
  };
  for (const field of ['matchConditions', 'variables'] as const) {
    spec[field].forEach(({expression}, index) => {
      put(own(result, field), index, 'expression', expression);
    });
  }
  spec.auditAnnotations.forEach(({valueExpression}, index) => {
    put(own(result, 'auditAnnotations'), index, 'valueExpression', valueExpression);
  });
  if ('attestors' in spec) putImageParts(result, spec);
  if ('validations' in spec) {
    spec.validations.forEach((entry, index) => {
      for (const field of ['expression', 'message', 'messageExpression'] as const) {
        put(own(result, 'validations'), index, field, entry[field]);
      }
    });
  } else {
    const mutations = own(result, 'mutations');
    spec.mutations.forEach(({applyConfiguration, jsonPatch}, index) => {
      const entry = Array.isArray(mutations) ? mutations[index] : undefined;
      for (const [field, expression] of [
        ['applyConfiguration', applyConfiguration],
        ['jsonPatch', jsonPatch],
      ] as const) {
        const block = isObject(entry) ? own(entry, field) : undefined;
        if (isObject(block) && expression !== undefined) block['expression'] = expression;
      }
    });
  }
  return result;
}

/** What only policies on images have; defaults are told, so that readers need not know them. */
function putImageParts(result: JsonObject, spec: ImageValidatingSpec): void {
  const {mutateDigest, verifyDigest, required} = spec;
  result['validationConfigurations'] = {mutateDigest, verifyDigest, required};
  const lists = {images: own(result, 'images'), attestors: own(result, 'attestors')};
  spec.images.forEach(({expression}, index) => {
    const entry = Array.isArray(lists.images) ? lists.images[index] : undefined;
    if (isObject(entry)) entry['expression'] = expression;
  });
  spec.attestors.forEach((attestor, index) => {
    const entry = Array.isArray(lists.attestors) ? lists.attestors[index] : undefined;
    for (const {place, expression} of attestorTexts(attestor)) putText(entry, place, expression);
  });
}

/** `place` is made of names and positions: `cosign.keyless.identities[0].subjectExpression`. */
function putText(entry: Json | undefined, place: string, text: string): void {
  const steps = place.split(/[.[\]]+/);
  const last = steps.pop()!;
  let holder = entry;
  for (const step of steps) holder = Array.isArray(holder) ? holder[Number(step)] : isObject(holder) ? own(holder, step) : undefined;
  if (isObject(holder)) holder[last] = text;
}
