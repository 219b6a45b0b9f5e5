import {imageParts} from '../../cel-image/read-parts.js';
import type {JsonObject} from '../../json/types.js';
import {child, flag, has, integer, objects, strings, text} from '../../policy/access.js';
import type {FailurePolicy} from '../../types.js';
import type {DeletingSpec, GeneratingSpec, ImageValidatingSpec, MutatingSpec, ValidatingSpec} from '../model.js';
import {
  auditAnnotations,
  isEnabled,
  matchConstraints,
  mutations,
  namedExpressions,
  validationActions,
  validations,
} from './read-parts.js';

/** Specs of the kinds with their defaults filled in. */
function commonSpec(spec: JsonObject) {
  const evaluation = child(spec, 'evaluation');
  const controllers = child(child(spec, 'autogen'), 'podControllers');
  return {
    matchConstraints: matchConstraints(child(spec, 'matchConstraints')),
    matchConditions: namedExpressions(spec, 'matchConditions'),
    variables: namedExpressions(spec, 'variables'),
    auditAnnotations: auditAnnotations(spec),
    failurePolicy: (text(spec, 'failurePolicy') ?? 'Fail') as FailurePolicy,
    timeoutSeconds: integer(child(spec, 'webhookConfiguration'), 'timeoutSeconds'),
    mode: text(evaluation, 'mode') || 'Kubernetes',
    admission: isEnabled(evaluation, 'admission', true),
    background: isEnabled(evaluation, 'background', true),
    podControllers: has(controllers, 'controllers') ? strings(controllers, 'controllers') : undefined,
  };
}

export function validatingSpec(spec: JsonObject): ValidatingSpec {
  return {
    ...commonSpec(spec),
    validations: validations(spec),
    validationActions: validationActions(spec),
    generateAdmissionPolicy: isEnabled(child(spec, 'autogen'), 'validatingAdmissionPolicy', false),
  };
}

export function mutatingSpec(spec: JsonObject): MutatingSpec {
  const evaluation = child(spec, 'evaluation');
  const targets = child(spec, 'targetMatchConstraints');
  const constraints = matchConstraints(targets);
  return {
    ...commonSpec(spec),
    mutations: mutations(spec),
    targetMatchConstraints:
      constraints === undefined ? undefined : {...constraints, expression: text(targets, 'expression') || undefined},
    targetMatchConditions: namedExpressions(spec, 'targetMatchConditions'),
    reinvocationPolicy: text(spec, 'reinvocationPolicy') === 'IfNeeded' ? 'IfNeeded' : 'Never',
    mutateExisting: isEnabled(evaluation, 'mutateExisting', false),
    skipBackgroundRequests: flag(evaluation, 'skipBackgroundRequests') ?? true,
    useServerSideApply: flag(evaluation, 'useServerSideApply') ?? false,
    generateAdmissionPolicy: isEnabled(child(spec, 'autogen'), 'mutatingAdmissionPolicy', false),
  };
}

/** Creation happens after the answer: whatever fails, the request goes on. */
export function generatingSpec(spec: JsonObject): GeneratingSpec {
  const evaluation = child(spec, 'evaluation');
  return {
    ...commonSpec(spec),
    failurePolicy: 'Ignore',
    background: false,
    podControllers: [],
    generate: objects(spec, 'generate').map(entry => {
      const template = child(entry, 'template');
      return {
        expression: text(entry, 'expression'),
        template:
          template === undefined
            ? undefined
            : {
                value: text(template, 'value') ?? '',
                interpolate: text(template, 'interpolate') === 'cel' ? ('cel' as const) : ('none' as const),
              },
      };
    }),
    generateExisting: isEnabled(evaluation, 'generateExisting', false),
    synchronize: isEnabled(evaluation, 'synchronize', false),
    orphanDownstreamOnPolicyDelete: isEnabled(evaluation, 'orphanDownstreamOnPolicyDelete', false),
    skipBackgroundRequests: flag(evaluation, 'skipBackgroundRequests') ?? true,
    useServerSideApply: flag(spec, 'useServerSideApply') ?? false,
  };
}

export function deletingSpec(spec: JsonObject): DeletingSpec {
  return {
    matchConstraints: matchConstraints(child(spec, 'matchConstraints')),
    conditions: namedExpressions(spec, 'conditions'),
    variables: namedExpressions(spec, 'variables'),
    schedule: text(spec, 'schedule') ?? '',
    deletionPropagationPolicy: text(spec, 'deletionPropagationPolicy') as DeletingSpec['deletionPropagationPolicy'],
  };
}

export function imageValidatingSpec(spec: JsonObject): ImageValidatingSpec {
  return {
    ...commonSpec(spec),
    ...imageParts(spec),
    validations: validations(spec),
    validationActions: validationActions(spec),
    images: namedExpressions(spec, 'images'),
  };
}
