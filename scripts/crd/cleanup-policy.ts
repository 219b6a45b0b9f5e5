import {anyAllConditions} from './any-all-conditions.js';
import {context} from './context-entry.js';
import type {Column, Definition} from './definition.js';
import {exclude, match} from './match.js';
import {as, named, type SchemaNode, text, time, word} from './schema.js';
import {conditions, observedGeneration} from './status-condition.js';

const spec: SchemaNode = named('CleanupPolicySpec', 'What is deleted when.', {
  schedule: text('Cron expression, in UTC.'),
  match: as(match, 'Which objects are deleted.'),
  exclude: as(exclude, 'Which of them are kept.'),
  context,
  conditions: as(anyAllConditions, 'What must be true of an object; expressions find it as target.'),
  deletionPropagationPolicy: word('What happens to objects that the deleted one owns.', [
    'Foreground',
    'Background',
    'Orphan',
  ]),
});

const status: SchemaNode = named('CleanupPolicyStatus', 'What the operator made of the policy.', {
  observedGeneration,
  conditions,
  lastExecutionTime: time('When it last ran.'),
});

const columns: readonly Column[] = [
  {name: 'Schedule', type: 'string', jsonPath: '.spec.schedule'},
  {name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp'},
];

const shared = {
  group: 'kyverno.io',
  categories: ['kyverno'],
  versions: [
    {name: 'v2', storage: true},
    {name: 'v2beta1', deprecatedFor: 'v2'},
    {name: 'v2alpha1', deprecatedFor: 'v2'},
  ],
  columns,
  properties: {spec, status},
  required: ['spec'],
  explainsFirstVersionOnly: true,
} as const;

export const cleanupPolicy: Definition = {
  ...shared,
  kind: 'CleanupPolicy',
  plural: 'cleanuppolicies',
  scope: 'Namespaced',
  shortNames: ['cleanpol'],
  description: 'Deletes objects of its own namespace on a schedule.',
};

export const clusterCleanupPolicy: Definition = {
  ...shared,
  kind: 'ClusterCleanupPolicy',
  plural: 'clustercleanuppolicies',
  scope: 'Cluster',
  shortNames: ['ccleanpol'],
  description: 'Deletes objects of the whole cluster on a schedule.',
};
