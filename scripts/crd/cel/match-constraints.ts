import {labelSelector} from '../selector.js';
import {as, atomic, list, named, type SchemaNode, text, texts, word} from '../schema.js';

const resourceRule: SchemaNode = atomic(
  named('ResourceRule', 'Requests for some resources.', {
    apiGroups: texts('API groups; empty text for the core group, * for all.'),
    apiVersions: texts('API versions, * for all.'),
    resources: texts('Plural names, with /subresource if wanted; * and */* for all.'),
    resourceNames: texts('Names of objects; empty = all.'),
    operations: texts('CREATE, UPDATE, DELETE, CONNECT, * for all.'),
    scope: word('Only objects with or without a namespace; * when unset.', ['Cluster', 'Namespaced', '*']),
  }),
);

const parts = {
  resourceRules: list('Requests that are meant; one entry is enough.', resourceRule),
  excludeResourceRules: list('Requests that are left out; looked at first.', resourceRule),
  namespaceSelector: as(labelSelector, 'Labels of the namespace that the object is in.'),
  objectSelector: as(labelSelector, 'Labels of the object before or after the request.'),
  matchPolicy: word('Whether requests through other versions of the resource are meant too.', ['Exact', 'Equivalent']),
};

export const matchConstraints: SchemaNode = atomic(named('MatchConstraints', 'Which requests are meant.', parts));

export const targetMatchConstraints: SchemaNode = atomic(
  named('TargetMatchConstraints', 'Which existing objects are changed.', {
    ...parts,
    expression: text('CEL that gives the objects.'),
  }),
);
