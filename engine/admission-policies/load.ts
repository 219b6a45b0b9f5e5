import {checkConstraintBlock, checkExpressions} from '../cel-policies/load/check-spec.js';
import {
  auditAnnotations,
  labelSelector,
  matchConstraints,
  mutations,
  namedExpressions,
  validationActions,
  validations,
} from '../cel-policies/load/read-parts.js';
import {objectShape} from '../cel-policies/load/shapes.js';
import {type JsonObject, own} from '../json/types.js';
import {child, has, list, objects, stringMap, text} from '../policy/access.js';
import {Faults, shown} from '../policy/faults.js';
import {isLoadable, readMetadata} from '../policy/load-policy.js';
import type {LoadResult} from '../policy/model.js';
import {readObject} from '../policy/shape.js';
import type {FailurePolicy} from '../types.js';
import type {AdmissionBinding, AdmissionPolicy, ParamRef} from './model.js';
import {bindingShape, mutatingShape, validatingShape} from './shapes.js';

const group = 'admissionregistration.k8s.io/';

interface Read {
  readonly kind: string;
  readonly metadata: JsonObject;
  readonly spec: JsonObject;
}

/** A ValidatingAdmissionPolicy or MutatingAdmissionPolicy of any version → its model, or every fault. Never throws. */
export function loadAdmissionPolicy(raw: JsonObject): LoadResult<AdmissionPolicy> {
  const faults = new Faults();
  const done = (policy: AdmissionPolicy | undefined) => ({policy, errors: faults.errors, warnings: faults.warnings});
  const read = readParts(raw, policyShapes, faults);
  if (read === undefined) return done(undefined);
  const {spec} = read;
  const constraints = child(spec, 'matchConstraints');
  if (objects(constraints, 'resourceRules').length === 0) {
    faults.error('match-constraints', 'spec.matchConstraints.resourceRules', 'Required value');
  }
  if (constraints !== undefined) checkConstraintBlock(constraints, 'spec.matchConstraints', faults);
  checkExpressions(spec, faults);
  const kind = child(spec, 'paramKind');
  for (const field of ['apiVersion', 'kind']) {
    if (kind !== undefined && !text(kind, field))
      faults.error('param-kind', `spec.paramKind.${field}`, 'Required value');
  }
  return done(faults.errors.length > 0 ? undefined : buildPolicy(raw, read));
}

/** A binding of either kind → its model, or every fault. Never throws. */
export function loadAdmissionBinding(raw: JsonObject): LoadResult<AdmissionBinding> {
  const faults = new Faults();
  const done = (policy: AdmissionBinding | undefined) => ({policy, errors: faults.errors, warnings: faults.warnings});
  const read = readParts(raw, bindingShapes, faults);
  if (read === undefined) return done(undefined);
  const {spec} = read;
  if (!text(spec, 'policyName')) faults.error('policy-name', 'spec.policyName', 'Required value');
  const resources = child(spec, 'matchResources');
  if (resources !== undefined) checkConstraintBlock(resources, 'spec.matchResources', faults);
  const ref = child(spec, 'paramRef');
  if (ref !== undefined && (has(ref, 'name') && text(ref, 'name') !== '') === has(ref, 'selector')) {
    faults.error('param-ref', 'spec.paramRef', 'one of name or selector must be specified');
  }
  return done(faults.errors.length > 0 ? undefined : buildBinding(raw, read));
}

const policyShapes = {ValidatingAdmissionPolicy: validatingShape, MutatingAdmissionPolicy: mutatingShape};
const bindingShapes = {ValidatingAdmissionPolicyBinding: bindingShape, MutatingAdmissionPolicyBinding: bindingShape};

function readParts(
  raw: JsonObject,
  shapes: Readonly<Record<string, typeof bindingShape>>,
  faults: Faults,
): Read | undefined {
  if (!isLoadable(raw, faults)) return undefined;
  const outer = readObject(raw, objectShape, '', faults) ?? {};
  const metadata = readMetadata(raw, faults);
  const kind = text(outer, 'kind') ?? '';
  const shape = Object.hasOwn(shapes, kind) ? shapes[kind] : undefined;
  if (shape === undefined) {
    faults.error('kind', 'kind', `expected ${Object.keys(shapes).join(' or ')}, found ${shown(own(outer, 'kind'))}`);
    return undefined;
  }
  if (!text(outer, 'apiVersion')?.startsWith(group)) {
    faults.error('api-version', 'apiVersion', `expected ${group}v1, found ${shown(own(outer, 'apiVersion'))}`);
  }
  if (!text(metadata, 'name')) faults.error('name-missing', 'metadata.name', 'name is required');
  if (!has(raw, 'spec')) {
    faults.error('spec-missing', 'spec', 'spec: Required value: spec must not be nil');
    return undefined;
  }
  return {kind, metadata, spec: readObject(own(raw, 'spec'), shape, 'spec', faults) ?? {}};
}

function buildPolicy(raw: JsonObject, {kind, metadata, spec}: Read): AdmissionPolicy {
  const name = text(metadata, 'name') ?? '';
  const paramKind = child(spec, 'paramKind');
  const base = {
    ref: {apiVersion: text(raw, 'apiVersion') ?? '', kind, namespace: '', name, key: name},
    annotations: stringMap(metadata, 'annotations') ?? {},
    labels: stringMap(metadata, 'labels') ?? {},
    paramKind:
      paramKind === undefined
        ? undefined
        : {apiVersion: text(paramKind, 'apiVersion') ?? '', kind: text(paramKind, 'kind') ?? ''},
    matchConstraints: matchConstraints(child(spec, 'matchConstraints')),
    matchConditions: namedExpressions(spec, 'matchConditions'),
    variables: namedExpressions(spec, 'variables'),
    failurePolicy: (text(spec, 'failurePolicy') ?? 'Fail') as FailurePolicy,
    raw,
  };
  if (kind === 'MutatingAdmissionPolicy') {
    const reinvocationPolicy = text(spec, 'reinvocationPolicy') === 'IfNeeded' ? 'IfNeeded' : 'Never';
    return {...base, type: 'mutating', mutations: mutations(spec), reinvocationPolicy};
  }
  return {...base, type: 'validating', validations: validations(spec), auditAnnotations: auditAnnotations(spec)};
}

function buildBinding(raw: JsonObject, {kind, metadata, spec}: Read): AdmissionBinding {
  return {
    type: kind === 'MutatingAdmissionPolicyBinding' ? 'mutating' : 'validating',
    name: text(metadata, 'name') ?? '',
    policyName: text(spec, 'policyName') ?? '',
    paramRef: paramRef(child(spec, 'paramRef')),
    matchResources: matchConstraints(child(spec, 'matchResources')),
    validationActions: list(spec, 'validationActions').length === 0 ? [] : validationActions(spec),
    raw,
  };
}

export function paramRef(ref: JsonObject | undefined): ParamRef | undefined {
  if (ref === undefined) return undefined;
  return {
    name: text(ref, 'name') || undefined,
    namespace: text(ref, 'namespace') || undefined,
    selector: labelSelector(child(ref, 'selector')),
    parameterNotFoundAction: text(ref, 'parameterNotFoundAction') === 'Deny' ? 'Deny' : 'Allow',
  };
}
