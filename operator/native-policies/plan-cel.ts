import type {CompiledCelPolicy} from '../../engine/cel-policies/types.js';
import type {MutatingPolicy, NamedExpression, ValidatingPolicy, Validation} from '../../engine/cel-policies/model.js';
import type {PolicyException} from '../../engine/cel-policies/run/exceptions.js';
import type {JsonObject} from '../../engine/json/types.js';
import {type ExceptionParts, exceptionParts} from './exception-parts.js';
import {constraintsJson, makePlan, type NativeWish, skipped} from './native-plan.js';

export interface CelPlanInput {
  readonly exceptions: readonly PolicyException[];
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** Native copies of ValidatingPolicies and MutatingPolicies; `undefined` for other kinds. */
export function planCelPolicy({ref, source, autogen}: CompiledCelPolicy, input: CelPlanInput): NativeWish | undefined {
  if (ref.namespace !== '') return undefined;
  if (source.type === 'validating') return planValidating(source, autogen.length > 0, input);
  if (source.type === 'mutating') return planMutating(source, autogen.length > 0, input);
  return undefined;
}

function planValidating(policy: ValidatingPolicy, isExtended: boolean, {exceptions, now}: CelPlanInput): NativeWish {
  const {spec} = policy;
  const skip = skipped.validating;
  if (!spec.generateAdmissionPolicy) return skip('not enabled.');
  if (isExtended) return skip('pod controllers autogen is enabled.');
  const other = commonReason(policy);
  if (other !== undefined) return skip(other);
  const parts = exceptionParts({
    exceptions,
    conditions: spec.matchConditions,
    variables: spec.variables,
    expressions: [
      ...spec.variables.map(({expression}) => expression),
      ...spec.validations.flatMap(({expression, messageExpression = ''}) => [expression, messageExpression]),
      ...spec.auditAnnotations.map(({valueExpression}) => valueExpression),
    ],
    now,
  });
  return {
    plan: makePlan(
      {ref: policy.ref, labels: policy.labels},
      {
        type: 'validating',
        until: parts.until,
        spec: {
          failurePolicy: spec.failurePolicy,
          ...(spec.matchConstraints !== undefined && {matchConstraints: constraintsJson(spec.matchConstraints)}),
          matchConditions: [...named(spec.matchConditions), ...named(parts.conditions)],
          variables: variablesOf(spec.variables, parts),
          validations: spec.validations.map(validation => validationJson(validation, parts.rewrite)),
          auditAnnotations: spec.auditAnnotations.map(({key, valueExpression}) => ({key, valueExpression: parts.rewrite(valueExpression)})),
        },
        binding: {validationActions: [...spec.validationActions]},
      },
    ),
  };
}

function planMutating(policy: MutatingPolicy, isExtended: boolean, {exceptions, now}: CelPlanInput): NativeWish {
  const {spec} = policy;
  const skip = skipped.mutating;
  if (!spec.generateAdmissionPolicy) return skip('not enabled.');
  if (isExtended) return skip('pod controllers autogen is enabled.');
  if (spec.useServerSideApply) return skip('useServerSideApply is enabled, which mutates atomic fields that a native MutatingAdmissionPolicy rejects.');
  const other = commonReason(policy);
  if (other !== undefined) return skip(other);
  if (spec.targetMatchConstraints !== undefined || spec.targetMatchConditions.length > 0) return skip('it changes existing objects, which a native MutatingAdmissionPolicy does not.');
  const texts = spec.mutations.flatMap(({applyConfiguration = '', jsonPatch = ''}) => [applyConfiguration, jsonPatch]);
  const parts = exceptionParts({
    exceptions,
    conditions: spec.matchConditions,
    variables: spec.variables,
    expressions: [...spec.variables.map(({expression}) => expression), ...texts],
    now,
  });
  return {
    plan: makePlan(
      {ref: policy.ref, labels: policy.labels},
      {
        type: 'mutating',
        until: parts.until,
        spec: {
          failurePolicy: spec.failurePolicy,
          reinvocationPolicy: spec.reinvocationPolicy,
          ...(spec.matchConstraints !== undefined && {matchConstraints: constraintsJson(spec.matchConstraints)}),
          matchConditions: [...named(parts.conditions), ...named(spec.matchConditions)],
          variables: variablesOf(spec.variables, parts),
          mutations: spec.mutations.map(({patchType, applyConfiguration, jsonPatch}) => ({
            patchType,
            ...(applyConfiguration !== undefined && {applyConfiguration: {expression: parts.rewrite(applyConfiguration)}}),
            ...(jsonPatch !== undefined && {jsonPatch: {expression: parts.rewrite(jsonPatch)}}),
          })),
        },
        binding: {},
      },
    ),
  };
}

/** What both kinds cannot hand over. */
function commonReason({spec}: ValidatingPolicy | MutatingPolicy): string | undefined {
  if (spec.mode !== 'Kubernetes') return `evaluation mode is ${spec.mode}.`;
  if (!spec.admission) return 'admission is disabled.';
  if ((spec.matchConstraints?.resourceRules ?? []).length === 0) return 'no resource rules found.';
  return undefined;
}

function named(expressions: readonly NamedExpression[]): JsonObject[] {
  return expressions.map(({name, expression}) => ({name, expression}));
}

/** What exceptions allow comes first: the policy's own variables may read it. */
function variablesOf(variables: readonly NamedExpression[], parts: ExceptionParts): JsonObject[] {
  return [...named(parts.variables), ...variables.map(({name, expression}) => ({name, expression: parts.rewrite(expression)}))];
}

export function validationJson({expression, message, messageExpression, reason}: Validation, rewrite: (expression: string) => string = text => text): JsonObject {
  return {
    expression: rewrite(expression),
    ...(message !== undefined && {message}),
    ...(messageExpression !== undefined && {messageExpression: rewrite(messageExpression)}),
    ...(reason !== undefined && {reason}),
  };
}
