import type {Column, Definition} from './definition.js';
import {objectReference} from './object-reference.js';
import {labelSelector} from './selector.js';
import {
  as,
  atomic,
  flag,
  int32,
  int64,
  list,
  named,
  requiring,
  type SchemaNode,
  text,
  textMap,
  word,
} from './schema.js';

const outcomes = ['pass', 'fail', 'warn', 'error', 'skip'] as const;

const result: SchemaNode = requiring(
  named('ReportResult', 'What one rule said of one object.', {
    source: text('Who judged.'),
    policy: text('Policy, as name or namespace/name.'),
    rule: text('Rule.'),
    result: word('What came out.', outcomes),
    message: text('One line for people.'),
    severity: word('How bad a failure is.', ['critical', 'high', 'medium', 'low', 'info']),
    category: text('Category of the policy.'),
    scored: flag('Whether a failure counts as one.'),
    timestamp: named('ReportTimestamp', 'When it was judged.', {
      seconds: int64('Seconds since 1970.'),
      nanos: int32('Nanoseconds.'),
    }),
    resources: list('Objects that were judged; the scope of the report when unset.', objectReference),
    resourceSelector: as(labelSelector, 'Objects that were judged, by labels.'),
    properties: textMap('Further facts.'),
  }),
  'policy',
);

const results: SchemaNode = list('Results, one per rule.', result);

const summary: SchemaNode = named('ReportSummary', 'Number of results by outcome.', {
  pass: int32('Passed.'),
  fail: int32('Failed.'),
  warn: int32('Failed, not scored.'),
  error: int32('Could not be judged.'),
  skip: int32('Skipped.'),
});

function counts(prefix: string): readonly Column[] {
  return (['Pass', 'Fail', 'Warn', 'Error', 'Skip'] as const).map(name => ({
    name,
    type: 'integer',
    jsonPath: `${prefix}.summary.${name.toLowerCase()}`,
  }));
}

const age: Column = {name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp'};

const policyReportParts = {
  group: 'wgpolicyk8s.io',
  categories: [],
  versions: [{name: 'v1alpha2', storage: true}],
  columns: [
    {name: 'Kind', type: 'string', jsonPath: '.scope.kind'},
    {name: 'Name', type: 'string', jsonPath: '.scope.name'},
    ...counts(''),
    age,
  ],
  properties: {
    scope: as(objectReference, 'Object that the report is about.'),
    scopeSelector: as(labelSelector, 'Objects that the report is about, by labels.'),
    results,
    summary,
  },
} as const;

export const policyReport: Definition = {
  ...policyReportParts,
  kind: 'PolicyReport',
  plural: 'policyreports',
  scope: 'Namespaced',
  shortNames: ['polr'],
  description: 'What the policies say of an object in this namespace.',
};

export const clusterPolicyReport: Definition = {
  ...policyReportParts,
  kind: 'ClusterPolicyReport',
  plural: 'clusterpolicyreports',
  scope: 'Cluster',
  shortNames: ['cpolr'],
  description: 'What the policies say of an object without a namespace.',
};

const owner: SchemaNode = atomic(
  named('ReportOwner', 'Object that the report is about.', {
    apiVersion: text('API group and version.'),
    kind: text('Kind.'),
    name: text('Name.'),
    uid: text('UID.'),
    controller: flag('Not looked at.'),
    blockOwnerDeletion: flag('Not looked at.'),
  }),
);

function label(name: string, key: string, wide = false): Column {
  const jsonPath = `.metadata.labels['audit\\.kyverno\\.io/${key}']`;
  return {name, type: 'string', jsonPath, ...(wide ? {wide} : {})};
}

const ephemeralParts = {
  group: 'reports.kyverno.io',
  categories: ['kyverno'],
  versions: [{name: 'v1', storage: true}],
  columns: [
    label('Source', 'source'),
    label('Group', 'resource\\.group'),
    label('Kind', 'resource\\.kind'),
    {name: 'Owner', type: 'string', jsonPath: ".metadata.annotations['audit\\.kyverno\\.io/resource\\.name']"},
    ...counts('.spec'),
    age,
    label('Uid', 'resource\\.uid', true),
    label('Hash', 'resource\\.hash', true),
  ],
  properties: {spec: named('EphemeralReportSpec', 'Results on their way into a report.', {owner, results, summary})},
  required: ['spec'],
} as const;

export const ephemeralReport: Definition = {
  ...ephemeralParts,
  kind: 'EphemeralReport',
  plural: 'ephemeralreports',
  scope: 'Namespaced',
  shortNames: ['ephr'],
  description: 'Results for an object in this namespace, on their way into its report. Made by the operator.',
};

export const clusterEphemeralReport: Definition = {
  ...ephemeralParts,
  kind: 'ClusterEphemeralReport',
  plural: 'clusterephemeralreports',
  scope: 'Cluster',
  shortNames: ['cephr'],
  description: 'Results for an object without a namespace, on their way into its report. Made by the operator.',
};
