import {failureAction, failureActionOverrides} from './failure-action.js';
import {flag, int32, list, named, type SchemaNode, word} from './schema.js';
import {matchConditions, rule} from './rule.js';

const failurePolicy: SchemaNode = word('What an error of the policy does to a request; Fail when unset.', [
  'Fail',
  'Ignore',
]);

export const policySpec: SchemaNode = named('PolicySpec', 'What the policy asks for.', {
  rules: list('Rules, judged in order.', rule),
  applyRules: word('One stops after the first rule that acts; All when unset.', ['All', 'One']),
  admission: flag('Judge requests; true when unset.'),
  background: flag('Judge existing objects; true when unset.'),
  emitWarning: flag('Show failures that do not refuse as warnings to the requester.'),
  webhookConfiguration: named('WebhookConfiguration', 'How the API server asks for this policy.', {
    failurePolicy,
    timeoutSeconds: {...int32('How long the API server waits, 1 to 30 seconds.')},
    matchConditions,
  }),
  useServerSideApply: flag('Make and update generated objects by server-side apply.'),
  validationFailureAction: {
    ...failureAction,
    description: `${failureAction.description} For rules that say nothing; Audit when unset.`,
  },
  validationFailureActionOverrides: failureActionOverrides,
  failurePolicy: {
    ...failurePolicy,
    description: `Older place of webhookConfiguration.failurePolicy. ${failurePolicy.description}`,
  },
  webhookTimeoutSeconds: int32('Older place of webhookConfiguration.timeoutSeconds.'),
  mutateExistingOnPolicyUpdate: flag('Older place of the setting in mutate.'),
  generateExisting: flag('Older place of the setting in generate.'),
  generateExistingOnPolicyUpdate: flag('Older name of generateExisting.'),
  schemaValidation: flag('Without effect.'),
});
