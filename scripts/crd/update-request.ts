import type {Column, Definition} from './definition.js';
import {resourceSpec} from './object-reference.js';
import {as, flag, freeObject, int32, list, map, named, type SchemaNode, text, texts, word} from './schema.js';

const userInfo: SchemaNode = named('UserInfo', 'The user, as the API server knows it.', {
  username: text('Name.'),
  uid: text('UID.'),
  groups: texts('Groups.'),
  extra: map('Further facts.', {type: 'array', items: {type: 'string'}}),
});

const requestContext: SchemaNode = named('UpdateRequestContext', 'The request that caused the work.', {
  userInfo: named('RequestInfo', 'Who asked.', {
    userInfo,
    roles: {...texts('Roles, as namespace:name.'), nullable: true},
    clusterRoles: {...texts('Cluster roles.'), nullable: true},
    synchronize: flag('Whether the request was a dry run.'),
  }),
  admissionRequestInfo: named('AdmissionRequestInfo', 'What was asked.', {
    operation: text('CREATE, UPDATE, DELETE or CONNECT.'),
    admissionRequest: freeObject('The AdmissionRequest.'),
  }),
});

const spec: SchemaNode = named('UpdateRequestSpec', 'Work to be done in the background.', {
  requestType: word('Kind of work.', ['mutate', 'generate', 'cel-generate', 'cel-mutate']),
  policy: text('Policy, as name or namespace/name.'),
  rule: text('Rule.'),
  resource: as(resourceSpec, 'Object that caused the work.'),
  ruleContext: list(
    'Rules and the objects that caused them.',
    named('RuleContext', 'A rule and the object that caused it.', {
      rule: text('Rule.'),
      trigger: as(resourceSpec, 'Object that caused the work.'),
      deleteDownstream: flag('Delete the made objects instead.'),
      synchronize: flag('Keep the made objects in step.'),
      cacheRestore: flag('Only learn which objects were made.'),
    }),
  ),
  context: requestContext,
  deleteDownstream: flag('Older place of the setting in ruleContext.'),
  synchronize: flag('Older place of the setting in ruleContext.'),
});

const status: SchemaNode = named('UpdateRequestStatus', 'How far the work is.', {
  state: word('State of the work.', ['Pending', 'Completed', 'Failed', 'Skip']),
  message: text('Why it failed.'),
  generatedResources: list('Objects that were made.', resourceSpec),
  retryCount: int32('How often it was tried again.'),
  handler: text('Replica that worked on it; no longer written.'),
});

const columns: readonly Column[] = [
  {name: 'Policy', type: 'string', jsonPath: '.spec.policy'},
  {name: 'RuleType', type: 'string', jsonPath: '.spec.requestType'},
  {name: 'ResourceKind', type: 'string', jsonPath: '.spec.resource.kind'},
  {name: 'ResourceName', type: 'string', jsonPath: '.spec.resource.name'},
  {name: 'ResourceNamespace', type: 'string', jsonPath: '.spec.resource.namespace'},
  {name: 'status', type: 'string', jsonPath: '.status.state'},
  {name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp'},
];

export const updateRequest: Definition = {
  group: 'kyverno.io',
  kind: 'UpdateRequest',
  plural: 'updaterequests',
  scope: 'Namespaced',
  shortNames: ['ur'],
  categories: ['kyverno'],
  versions: [
    {name: 'v2', storage: true},
    {name: 'v1beta1', deprecatedFor: 'v2'},
  ],
  columns,
  description: 'Work that a request left to be done in the background. Made by the operator, not by users.',
  properties: {spec, status},
};
