import {
  auditAnnotationsShape,
  matchConstraintsShape,
  mutationsShape,
  validationActionsShape,
  validationsShape,
} from '../cel-policies/load/shapes.js';
import {labelSelectorShape} from '../policy/known-fields.js';
import type {ObjectShape, Shape} from '../policy/shape.js';

const string: Shape = {type: 'string'};
const named: Shape = {type: 'list', items: {type: 'object', fields: {name: string, expression: string}}};
const paramKind: Shape = {type: 'object', fields: {apiVersion: string, kind: string}};

export const paramRefShape: ObjectShape = {
  type: 'object',
  fields: {
    name: string,
    namespace: string,
    selector: labelSelectorShape,
    parameterNotFoundAction: {type: 'string', values: ['Allow', 'Deny']},
  },
};

const common = {
  paramKind,
  matchConstraints: matchConstraintsShape,
  matchConditions: named,
  variables: named,
  failurePolicy: {type: 'string', values: ['Fail', 'Ignore']},
} as const;

export const validatingShape: ObjectShape = {
  type: 'object',
  fields: {...common, validations: validationsShape, auditAnnotations: auditAnnotationsShape},
};

export const mutatingShape: ObjectShape = {
  type: 'object',
  fields: {
    ...common,
    mutations: mutationsShape,
    reinvocationPolicy: {type: 'string', values: ['Never', 'IfNeeded']},
  },
};

export const bindingShape: ObjectShape = {
  type: 'object',
  fields: {
    policyName: string,
    paramRef: paramRefShape,
    matchResources: matchConstraintsShape,
    validationActions: validationActionsShape,
  },
};
