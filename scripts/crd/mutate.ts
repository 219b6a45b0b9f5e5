import {freeConditions} from './any-all-conditions.js';
import {context} from './context-entry.js';
import {labelSelector} from './selector.js';
import {as, flag, free, list, named, type SchemaNode, text, word} from './schema.js';

const patchStrategicMerge: SchemaNode = free(
  'Partial object to merge in; maps may hold anchors such as (key) or +(key).',
);
const patchesJson6902: SchemaNode = text('JSON patch, as YAML or JSON text.');

const foreach: SchemaNode = list(
  'Changes for every element of a list.',
  named('MutateForeach', 'A list and what is changed for its elements.', {
    list: text('JMESPath that gives the list.'),
    order: word('Order of the elements.', ['Ascending', 'Descending']),
    context,
    preconditions: freeConditions('Which elements are looked at.'),
    patchStrategicMerge,
    patchesJson6902,
    foreach: free('A list inside of the element.', 'MutateForeach[]'),
  }),
);

const target: SchemaNode = named(
  'MutateTarget',
  'Objects of the cluster that are changed instead of the requested one.',
  {
    apiVersion: text('API group and version.'),
    kind: text('Kind.'),
    namespace: text('Namespace, may hold variables.'),
    name: text('Name, with wildcards, may hold variables.'),
    uid: text('UID.'),
    selector: as(labelSelector, 'Labels of the objects.'),
    context,
    preconditions: freeConditions('Which of the objects are changed.'),
  },
);

const operation: SchemaNode = named('JsonPatchOperation', 'One operation of a JSON patch.', {
  op: text('Operation: add, remove, replace, move, copy or test.'),
  path: text('JSON pointer.'),
  from: text('JSON pointer of the source.'),
  value: free('Value.'),
});

export const mutate: SchemaNode = named('Mutate', 'Changes the object.', {
  patchStrategicMerge,
  patchesJson6902,
  foreach,
  targets: list('Existing objects to change when the rule matches a request.', target),
  mutateExistingOnPolicyUpdate: flag('Change the targets also when the policy changes.'),
  overlay: free('Older form of patchStrategicMerge.'),
  patches: list('Older form of patchesJson6902.', operation),
});
