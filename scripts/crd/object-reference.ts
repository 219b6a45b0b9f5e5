import {atomic, named, type SchemaNode, text} from './schema.js';

/** Names one object of the cluster. */
export const objectReference: SchemaNode = atomic(
  named('ObjectReference', 'Names an object.', {
    apiVersion: text('API group and version.'),
    kind: text('Kind.'),
    namespace: text('Namespace; empty for cluster-scoped kinds.'),
    name: text('Name.'),
    uid: text('UID.'),
    resourceVersion: text('Resource version.'),
    fieldPath: text('Part of the object that is meant.'),
  }),
);

export const resourceSpec: SchemaNode = named('ResourceSpec', 'Names an object.', {
  apiVersion: text('API group and version.'),
  kind: text('Kind.'),
  namespace: text('Namespace; empty for cluster-scoped kinds.'),
  name: text('Name.'),
  uid: text('UID.'),
});
