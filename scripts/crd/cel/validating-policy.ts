import {named} from '../schema.js';
import {generatedStatus} from './cel-status.js';
import {auditAnnotations, matchConditions, validations, variables} from './expressions.js';
import {matchConstraints} from './match-constraints.js';
import {
  evaluationParts,
  failurePolicy,
  podControllers,
  toggle,
  validationActions,
  webhookConfiguration,
} from './settings.js';
import {twins} from './twins.js';

const spec = named('ValidatingPolicySpec', 'What the policy asks for.', {
  matchConstraints,
  matchConditions,
  variables,
  validations,
  auditAnnotations,
  validationActions,
  failurePolicy,
  webhookConfiguration,
  evaluation: named('ValidatingEvaluation', 'When and on what the policy works.', evaluationParts),
  autogen: named('ValidatingAutogen', 'What is derived from the policy.', {
    podControllers,
    validatingAdmissionPolicy: toggle('Make a native ValidatingAdmissionPolicy; off when unset.'),
  }),
});

export const validatingPolicies = twins({
  kind: 'ValidatingPolicy',
  plural: 'validatingpolicies',
  shortName: 'vpol',
  description: 'Checks objects with CEL.',
  spec,
  status: generatedStatus,
  showsReady: true,
  selectsMode: true,
});
