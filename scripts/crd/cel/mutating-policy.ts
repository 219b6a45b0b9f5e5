import {flag, list, named, text, word} from '../schema.js';
import {generatedStatus} from './cel-status.js';
import {auditAnnotations, distinctExpressions, matchConditions, variables} from './expressions.js';
import {matchConstraints, targetMatchConstraints} from './match-constraints.js';
import {evaluationParts, failurePolicy, podControllers, toggle, webhookConfiguration} from './settings.js';
import {twins} from './twins.js';

const mutation = named('Mutation', 'One change.', {
  patchType: word('Which of the two forms is used.', ['ApplyConfiguration', 'JSONPatch']),
  applyConfiguration: named('ApplyConfiguration', 'A partial object to merge in.', {
    expression: text('CEL that gives an Object{}.'),
  }),
  jsonPatch: named('CelJsonPatch', 'A JSON patch.', {expression: text('CEL that gives a list of JSONPatch{}.')}),
});

const spec = named('MutatingPolicySpec', 'What the policy changes.', {
  matchConstraints,
  matchConditions,
  variables,
  mutations: list('Changes, each made on the result of the one before.', mutation),
  targetMatchConstraints,
  targetMatchConditions: distinctExpressions('CEL that must all be true for an existing object to be changed.'),
  auditAnnotations,
  failurePolicy,
  reinvocationPolicy: word('Whether a native policy made of this one runs again after other changes.', [
    'Never',
    'IfNeeded',
  ]),
  webhookConfiguration,
  evaluation: named('MutatingEvaluation', 'When and on what the policy works.', {
    ...evaluationParts,
    mutateExisting: toggle('Change existing objects; off when unset.'),
    skipBackgroundRequests: flag('Leave out requests that the background work itself makes; true when unset.'),
    useServerSideApply: flag('Merge as server-side apply does; lists may be replaced whole.'),
  }),
  autogen: named('MutatingAutogen', 'What is derived from the policy.', {
    podControllers,
    mutatingAdmissionPolicy: toggle('Make a native MutatingAdmissionPolicy; off when unset.'),
  }),
});

export const mutatingPolicies = twins({
  kind: 'MutatingPolicy',
  plural: 'mutatingpolicies',
  shortName: 'mpol',
  description: 'Changes objects with CEL.',
  spec,
  status: generatedStatus,
  showsReady: true,
  selectsMode: true,
});
