import {freeConditions} from './any-all-conditions.js';
import {context} from './context-entry.js';
import {labelSelector} from './selector.js';
import {as, flag, free, list, named, type SchemaNode, text, texts} from './schema.js';

const source = {
  apiVersion: text('API group and version of the new object; found by discovery when unset.'),
  kind: text('Kind of the new object.'),
  namespace: text('Namespace of the new object, may hold variables.'),
  name: text('Name of the new object, may hold variables.'),
  uid: text('Not looked at.'),
  data: free('The new object, may hold variables.'),
  clone: named('Clone', 'Copy an existing object.', {
    namespace: text('Namespace of the source.'),
    name: text('Name of the source.'),
  }),
  cloneList: named('CloneList', 'Copy several existing objects.', {
    namespace: text('Namespace of the sources.'),
    kinds: texts('Kinds of the sources, as version/Kind or group/version/Kind.'),
    selector: as(labelSelector, 'Labels of the sources.'),
  }),
};

export const generate: SchemaNode = named('Generate', 'Makes other objects.', {
  ...source,
  synchronize: flag('Keep the made objects in step with rule and source.'),
  generateExisting: flag('Make them also for objects that existed before the policy.'),
  orphanDownstreamOnPolicyDelete: flag('Leave the made objects when the policy is deleted.'),
  foreach: list(
    'Makes objects for every element of a list.',
    named('GenerateForeach', 'A list and what is made for its elements.', {
      list: text('JMESPath that gives the list.'),
      context,
      preconditions: freeConditions('Which elements are looked at.'),
      ...source,
    }),
  ),
});
