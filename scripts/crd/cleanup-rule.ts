import {labelSelector} from './selector.js';
import {as, list, named, type SchemaNode, text, texts} from './schema.js';

export const cleanup: SchemaNode = named('CleanupRule', 'Deletes objects from time to time; never acts on requests.', {
  schedule: text('Cron expression; every five minutes when unset.'),
  removeResources: list(
    'What is deleted.',
    named('RemoveResource', 'Objects to delete; needs a kind and one of selector, names, namespaces.', {
      apiVersion: text('API group and version; found by discovery when unset.'),
      kind: text('Kind. Of Job only finished ones.'),
      selector: as(labelSelector, 'Labels of the objects.'),
      names: texts('Names, with wildcards.'),
      namespaces: texts('Namespaces, with wildcards.'),
    }),
  ),
});
