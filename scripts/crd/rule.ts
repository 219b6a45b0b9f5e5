import {freeConditions} from './any-all-conditions.js';
import {cleanup} from './cleanup-rule.js';
import {context} from './context-entry.js';
import {generate} from './generate-rule.js';
import {exclude, match} from './match.js';
import {mutate} from './mutate.js';
import {as, flag, list, named, quiet, type SchemaNode, text, textMap} from './schema.js';
import {validate} from './validate.js';
import {imageExtractors, verifyImages} from './verify-images.js';

export const matchConditions: SchemaNode = list(
  'CEL that must all be true for the request to be looked at.',
  named('MatchCondition', 'A named CEL condition.', {name: text('Name.'), expression: text('CEL that gives a bool.')}),
);

export const rule: SchemaNode = named(
  'Rule',
  'One rule: whom it meets and exactly one of validate, mutate, generate, verifyImages, cleanup.',
  {
    name: text('Name, unique in the policy, at most 63 characters.'),
    match,
    exclude,
    context,
    preconditions: freeConditions('What must be true for the rule to act.'),
    celPreconditions: as(matchConditions, 'The same in CEL, for validate.cel.'),
    validate,
    mutate,
    generate,
    verifyImages,
    imageExtractors,
    reportProperties: textMap('Properties for report results, may hold variables.'),
    skipBackgroundRequests: flag('Leave out requests that the background work itself makes; true when unset.'),
    cleanup,
    validation: as(quiet(validate), 'Loose name of validate; fields as there.'),
    mutation: as(quiet(mutate), 'Loose name of mutate; fields as there.'),
    generation: as(quiet(generate), 'Loose name of generate; fields as there.'),
  },
);
