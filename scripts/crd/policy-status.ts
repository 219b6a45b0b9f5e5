import {conditions, observedGeneration} from './status-condition.js';
import {flag, freeObject, int32, list, named, type SchemaNode, text, time} from './schema.js';

export const policyStatus: SchemaNode = named('PolicyStatus', 'What the operator made of the policy.', {
  observedGeneration,
  conditions,
  admission: flag('Whether the policy judges requests: spec.admission, or true when that is unset.'),
  background: flag('Whether the policy judges existing objects: spec.background, or true when that is unset.'),
  failurePolicy: text('What an error does to a request, after all settings: Fail or Ignore.'),
  rulecount: named('RuleCount', 'Number of rules as written, derived ones not counted.', {
    validate: int32('Rules with validate.'),
    mutate: int32('Rules with mutate.'),
    generate: int32('Rules with generate.'),
    verifyimages: int32('Rules with verifyImages.'),
  }),
  autogen: freeObject('Rules derived for Pod controllers, under rules.', '{rules?: Rule[]}'),
  validatingadmissionpolicy: named('AdmissionPolicyStatus', 'The ValidatingAdmissionPolicy made of this policy.', {
    generated: flag('Whether there is one.'),
    message: text('Why there is none.'),
  }),
  cleanup: list(
    'When clean-ups of rules ran last.',
    named('RuleCleanupStatus', 'The last run of a clean-up in a rule.', {
      rule: text('Name of the rule.'),
      lastExecutionTime: time('When it last ran.'),
    }),
  ),
  ready: flag('No longer written; see conditions.'),
});
