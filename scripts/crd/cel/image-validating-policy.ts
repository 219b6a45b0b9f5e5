import {registryCredentials} from '../context-entry.js';
import {flag, list, named, text} from '../schema.js';
import {autogenStatus} from './cel-status.js';
import {auditAnnotations, namedExpressions, plainConditions, plainVariables, validations} from './expressions.js';
import {imageAttestations, imageAttestors} from './image-attestor.js';
import {matchConstraints} from './match-constraints.js';
import {evaluationParts, failurePolicy, podControllers, validationActions, webhookConfiguration} from './settings.js';
import {twins} from './twins.js';

const spec = named('ImageValidatingPolicySpec', 'Which images must be signed by whom.', {
  matchConstraints,
  matchConditions: plainConditions,
  matchImageReferences: list(
    'Images that are meant; all when empty.',
    named('ImageMatch', 'Some images; exactly one of glob and expression.', {
      glob: text('Glob over the full reference.'),
      expression: text('CEL over ref that gives a bool.'),
    }),
  ),
  images: namedExpressions('CEL that gives images of the object, for use as images.NAME.'),
  attestors: imageAttestors,
  attestations: imageAttestations,
  variables: plainVariables,
  validations,
  auditAnnotations,
  validationActions,
  validationConfigurations: named('ImageValidationConfiguration', 'What is asked of every image that is meant.', {
    mutateDigest: flag('Replace tags by digests; true when unset.'),
    verifyDigest: flag('Ask for a digest; true when unset.'),
    required: flag('Ask for a verified image; true when unset.'),
  }),
  credentials: registryCredentials,
  failurePolicy,
  webhookConfiguration,
  evaluation: named('ImageEvaluation', 'When and on what the policy works.', evaluationParts),
  autogen: named('ImageAutogen', 'What is derived from the policy.', {podControllers}),
});

export const imageValidatingPolicies = twins({
  kind: 'ImageValidatingPolicy',
  plural: 'imagevalidatingpolicies',
  shortName: 'ivpol',
  description: 'Checks signatures of images with CEL.',
  spec,
  status: autogenStatus,
  showsReady: true,
  selectsMode: false,
});
