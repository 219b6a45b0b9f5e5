import {labelSelector} from './selector.js';
import {as, atomic, list, named, quiet, type SchemaNode, text, textMap, texts} from './schema.js';

const resources: SchemaNode = named('ResourceDescription', 'Which objects are meant; every part given must hold.', {
  kinds: texts('Kinds: Kind, version/Kind, group/version/Kind, each also with /subresource; * and ? are wildcards.'),
  name: text('Name of the object, with wildcards. Older form of names.'),
  names: texts('Names of the object, with wildcards.'),
  namespaces: texts('Namespaces, with wildcards.'),
  annotations: textMap('Annotations; keys and values take wildcards.'),
  selector: as(labelSelector, 'Labels of the object; matchLabels takes wildcards.'),
  namespaceSelector: as(labelSelector, 'Labels of the namespace that the object is in.'),
  operations: texts('Requests: CREATE, UPDATE, DELETE, CONNECT. Empty = all.'),
  labels: textMap('Loose form of selector.matchLabels.'),
});

const resourcesWithExclusion: SchemaNode = {
  ...resources,
  name: 'MatchResourceDescription',
  about: 'Which objects are meant; every part given must hold.',
  properties: {
    ...resources.properties,
    excludeResources: as(
      quiet(resources),
      'Loose form of an exclude block of the rule; fields as in exclude.resources.',
    ),
  },
};

const subject: SchemaNode = atomic(
  named('Subject', 'A user, group or service account.', {
    kind: text('User, Group or ServiceAccount.'),
    name: text('Name, with wildcards.'),
    namespace: text('Namespace of a service account.'),
    apiGroup: text('API group of the subject; not looked at.'),
  }),
);

function filter(name: string, description: string, described: SchemaNode): SchemaNode {
  return named(name, description, {
    resources: described,
    subjects: list('Who asks; one entry is enough.', subject),
    roles: texts('Roles of the requester, as namespace:name.'),
    clusterRoles: texts('Cluster roles of the requester.'),
    operations: texts('Loose form of resources.operations.'),
  });
}

function block(name: string, description: string, entry: SchemaNode): SchemaNode {
  return named(name, description, {
    any: list('One of these filters is enough.', entry),
    all: list('All of these filters must hold.', entry),
    ...entry.properties,
  });
}

export const match: SchemaNode = block(
  'Match',
  'Which requests are meant: any, or all, or one filter written directly.',
  filter('MatchFilter', 'A filter; every part given must hold.', resourcesWithExclusion),
);

export const exclude: SchemaNode = block(
  'Exclude',
  'Which of the matched requests are left out: any, or all, or one filter written directly.',
  filter('ExcludeFilter', 'A filter; every part given must hold.', resources),
);
