import {imageFields} from '../../cel-image/shapes.js';
import {labelSelectorShape} from '../../policy/known-fields.js';
import type {ObjectShape, Shape} from '../../policy/shape.js';

/** Every field of the CEL kinds with its type. All versions of a kind share one form. */
const string: Shape = {type: 'string'};
const boolean: Shape = {type: 'boolean'};
const strings: Shape = {type: 'strings'};
const stringMap: Shape = {type: 'map', values: string};
const any: Shape = {type: 'any'};

function object(fields: ObjectShape['fields']): ObjectShape {
  return {type: 'object', fields};
}

function list(items: Shape): Shape {
  return {type: 'list', items};
}

function oneOf(...values: readonly string[]): Shape {
  return {type: 'string', values};
}

const enabled = object({enabled: boolean});
const expressions = list(object({name: string, expression: string}));
const failurePolicy = oneOf('Fail', 'Ignore');
const timeout = object({
  timeoutSeconds: {type: 'integer', min: 1, max: 30, message: 'the timeout value must be between 1 and 30 seconds'},
});

const resourceRules = list(
  object({
    apiGroups: strings,
    apiVersions: strings,
    resources: strings,
    operations: list(oneOf('CREATE', 'UPDATE', 'DELETE', 'CONNECT', '*')),
    scope: oneOf('Cluster', 'Namespaced', '*'),
    resourceNames: strings,
  }),
);

const constraintFields = {
  resourceRules,
  excludeResourceRules: resourceRules,
  namespaceSelector: labelSelectorShape,
  objectSelector: labelSelectorShape,
  matchPolicy: oneOf('Exact', 'Equivalent'),
} as const;

export const matchConstraintsShape = object(constraintFields);

export const validationsShape = list(
  object({
    expression: string,
    message: string,
    messageExpression: string,
    reason: oneOf('Unauthorized', 'Forbidden', 'Invalid', 'RequestEntityTooLarge'),
  }),
);

export const auditAnnotationsShape = list(object({key: string, valueExpression: string}));
export const validationActionsShape = list(oneOf('Deny', 'Audit', 'Warn'));
export const mutationsShape = list(
  object({
    patchType: oneOf('ApplyConfiguration', 'JSONPatch'),
    applyConfiguration: object({expression: string}),
    jsonPatch: object({expression: string}),
  }),
);

const common = {
  matchConstraints: matchConstraintsShape,
  matchConditions: expressions,
  variables: expressions,
  auditAnnotations: auditAnnotationsShape,
  failurePolicy,
  webhookConfiguration: timeout,
} as const;

const podControllers = object({controllers: strings});

export const validatingSpecShape = object({
  ...common,
  validations: validationsShape,
  validationActions: validationActionsShape,
  evaluation: object({mode: string, admission: enabled, background: enabled}),
  autogen: object({podControllers, validatingAdmissionPolicy: enabled}),
});

export const mutatingSpecShape = object({
  ...common,
  mutations: mutationsShape,
  targetMatchConstraints: object({...constraintFields, expression: string}),
  targetMatchConditions: expressions,
  reinvocationPolicy: oneOf('Never', 'IfNeeded'),
  evaluation: object({
    mode: string,
    admission: enabled,
    background: enabled,
    mutateExisting: enabled,
    skipBackgroundRequests: boolean,
    useServerSideApply: boolean,
  }),
  autogen: object({podControllers, mutatingAdmissionPolicy: enabled}),
});

export const generatingSpecShape = object({
  matchConstraints: matchConstraintsShape,
  matchConditions: expressions,
  variables: expressions,
  auditAnnotations: auditAnnotationsShape,
  webhookConfiguration: timeout,
  generate: list(object({expression: string, template: object({value: string, interpolate: oneOf('none', 'cel')})})),
  useServerSideApply: boolean,
  evaluation: object({
    admission: enabled,
    generateExisting: enabled,
    synchronize: enabled,
    orphanDownstreamOnPolicyDelete: enabled,
    skipBackgroundRequests: boolean,
  }),
});

export const deletingSpecShape = object({
  matchConstraints: matchConstraintsShape,
  conditions: expressions,
  variables: expressions,
  schedule: string,
  deletionPropagationPolicy: oneOf('Foreground', 'Background', 'Orphan'),
});

export const imageValidatingSpecShape = object({
  ...common,
  ...imageFields,
  validations: validationsShape,
  validationActions: validationActionsShape,
  evaluation: object({mode: string, admission: enabled, background: enabled}),
  autogen: object({podControllers}),
});

export const exceptionSpecShape = object({
  policyRefs: list(object({name: string, kind: string})),
  matchConditions: expressions,
  images: strings,
  allowedValues: strings,
  reportResult: oneOf('skip', 'pass'),
  expiresAt: string,
  properties: stringMap,
  evaluationMode: string,
});

export const objectShape = object({apiVersion: string, kind: string, metadata: any, spec: any, status: any});
