import {age, type Column, type Definition} from './definition.js';
import {policySpec} from './policy-spec.js';
import {policyStatus} from './policy-status.js';

/** Effective values come from the status: the spec has no defaults that could be shown. */
const columns: readonly Column[] = [
  {name: 'ADMISSION', type: 'boolean', jsonPath: '.status.admission'},
  {name: 'BACKGROUND', type: 'boolean', jsonPath: '.status.background'},
  {name: 'READY', type: 'string', jsonPath: '.status.conditions[?(@.type == "Ready")].status'},
  age,
  {name: 'FAILURE POLICY', type: 'string', jsonPath: '.status.failurePolicy', wide: true},
  {name: 'VALIDATE', type: 'integer', jsonPath: '.status.rulecount.validate', wide: true},
  {name: 'MUTATE', type: 'integer', jsonPath: '.status.rulecount.mutate', wide: true},
  {name: 'GENERATE', type: 'integer', jsonPath: '.status.rulecount.generate', wide: true},
  {name: 'VERIFY IMAGES', type: 'integer', jsonPath: '.status.rulecount.verifyimages', wide: true},
  {name: 'MESSAGE', type: 'string', jsonPath: '.status.conditions[?(@.type == "Ready")].message'},
];

const shared = {
  group: 'kyverno.io',
  categories: ['kyverno'],
  versions: [{name: 'v1', storage: true}, {name: 'v2beta1'}],
  columns,
  properties: {spec: policySpec, status: policyStatus},
  required: ['spec'],
  explainsFirstVersionOnly: true,
} as const;

export const clusterPolicy: Definition = {
  ...shared,
  kind: 'ClusterPolicy',
  plural: 'clusterpolicies',
  scope: 'Cluster',
  shortNames: ['cpol'],
  description: 'Rules for the whole cluster: what objects must look like, what is changed, made and checked.',
};

export const policy: Definition = {
  ...shared,
  kind: 'Policy',
  plural: 'policies',
  scope: 'Namespaced',
  shortNames: ['pol'],
  description: 'Rules for the namespace that the policy is in.',
};
