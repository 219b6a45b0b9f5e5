import {named, text, word} from '../schema.js';
import {executionStatus} from './cel-status.js';
import {distinctExpressions, variables} from './expressions.js';
import {matchConstraints} from './match-constraints.js';
import {twins} from './twins.js';

const spec = named('DeletingPolicySpec', 'What is deleted when.', {
  schedule: text('Cron expression, in UTC.'),
  matchConstraints,
  conditions: distinctExpressions('CEL that must all be true for an object to be deleted.'),
  variables,
  deletionPropagationPolicy: word('What happens to objects that the deleted one owns.', [
    'Foreground',
    'Background',
    'Orphan',
  ]),
});

export const deletingPolicies = twins({
  kind: 'DeletingPolicy',
  plural: 'deletingpolicies',
  shortName: 'dpol',
  description: 'Deletes objects on a schedule, chosen with CEL.',
  spec,
  status: executionStatus,
  showsReady: true,
  selectsMode: false,
});
