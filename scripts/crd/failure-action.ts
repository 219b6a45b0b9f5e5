import {labelSelector} from './selector.js';
import {as, list, named, type SchemaNode, texts, word} from './schema.js';

export const failureAction: SchemaNode = word(
  'What a failure does, in any case: Enforce refuses, Audit only reports.',
  ['Audit', 'Enforce'],
);

export const failureActionOverrides: SchemaNode = list(
  'Other actions for some namespaces; the first that fits decides.',
  named('FailureActionOverride', 'An action for some namespaces.', {
    action: failureAction,
    namespaces: texts('Namespaces, with wildcards.'),
    namespaceSelector: as(labelSelector, 'Labels of the namespaces.'),
  }),
);
