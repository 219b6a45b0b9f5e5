import {flag, list, named, text, word} from '../schema.js';
import {plainStatus} from './cel-status.js';
import {auditAnnotations, matchConditions, variables} from './expressions.js';
import {matchConstraints} from './match-constraints.js';
import {toggle, webhookConfiguration} from './settings.js';
import {twins} from './twins.js';

const generation = named('Generation', 'Objects to make; exactly one of expression and template.', {
  expression: text('CEL that makes objects and gives a bool.'),
  template: named('GenerationTemplate', 'Objects as YAML.', {
    value: text('One or more YAML documents.'),
    interpolate: word('Whether (( … )) holds CEL; none when unset.', ['none', 'cel']),
  }),
});

const spec = named('GeneratingPolicySpec', 'What the policy makes.', {
  matchConstraints,
  matchConditions,
  variables,
  generate: list('What is made.', generation),
  auditAnnotations,
  webhookConfiguration,
  useServerSideApply: flag('Make and update objects by server-side apply.'),
  evaluation: named('GeneratingEvaluation', 'When the policy works.', {
    admission: toggle('Act on requests; on when unset.'),
    generateExisting: toggle('Act on objects that existed before the policy; off when unset.'),
    synchronize: toggle('Keep the made objects in step; off when unset.'),
    orphanDownstreamOnPolicyDelete: toggle('Leave the made objects when the policy is deleted; off when unset.'),
    skipBackgroundRequests: flag('Leave out requests that the background work itself makes; true when unset.'),
  }),
});

export const generatingPolicies = twins({
  kind: 'GeneratingPolicy',
  plural: 'generatingpolicies',
  shortName: 'gpol',
  description: 'Makes other objects with CEL.',
  spec,
  status: plainStatus,
  showsReady: false,
  selectsMode: false,
});
