import {conditions, observedGeneration} from '../status-condition.js';
import {flag, freeObject, named, type SchemaNode, text, time} from '../schema.js';

const conditionStatus: SchemaNode = named('ConditionStatus', 'State in the older place.', {
  ready: flag('True when all conditions are.'),
  message: text('One line for people.'),
  conditions,
});

const base = {observedGeneration, conditions, conditionStatus};
const autogen = freeObject('Forms derived for Pod controllers, under configs.', '{configs?: Record<string, unknown>}');

export const plainStatus: SchemaNode = named('CelPolicyStatus', 'What the operator made of the policy.', base);

export const autogenStatus: SchemaNode = named('CelAutogenPolicyStatus', 'What the operator made of the policy.', {
  ...base,
  autogen,
});

export const generatedStatus: SchemaNode = named('CelGeneratedPolicyStatus', 'What the operator made of the policy.', {
  ...base,
  autogen,
  generated: flag('Whether the API server judges by a native policy made of this one.'),
});

export const executionStatus: SchemaNode = named('DeletingPolicyStatus', 'What the operator made of the policy.', {
  ...base,
  lastExecutionTime: time('When it last ran.'),
});
