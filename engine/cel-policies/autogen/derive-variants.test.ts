import {describe, expect, it} from 'vitest';
import {builtinResourceMap} from '../../builtin-resources.js';
import {loadCelPolicy} from '../load/load-cel-policy.js';
import type {ValidatingPolicy} from '../model.js';
import {celPolicy} from '../testing/cel-engines.js';
import {deriveVariants, unknownControllers} from './derive-variants.js';

const validations = 'validations: [{expression: "object.spec.x == 1", message: object.spec.x is wrong}]';

function policy(spec: string): ValidatingPolicy {
  const {policy: loaded, errors} = loadCelPolicy(celPolicy('ValidatingPolicy', `{${spec}, ${validations}}`));
  if (loaded?.type !== 'validating') throw new Error(JSON.stringify(errors));
  return loaded;
}

const variants = (spec: string) =>
  deriveVariants(policy(spec), builtinResourceMap).map(
    ({config}) => `${config.name}: ${config.targets.map(({resource}) => resource).join(' ')}`,
  );
const rule = (more: string) =>
  `matchConstraints: {resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [pods]${more}`;

describe('which policies are extended to Pod controllers', () => {
  it.each<[what: string, spec: string, variants: readonly string[]]>([
    [
      'one about Pods alone, to all six',
      'failurePolicy: Fail',
      ['defaults: daemonsets deployments replicasets statefulsets jobs', 'cronjobs: cronjobs'],
    ],
    [
      'to those that it names',
      'autogen: {podControllers: {controllers: [cronjobs, nonsense]}}',
      ['cronjobs: cronjobs'],
    ],
    ['to none', 'autogen: {podControllers: {controllers: []}}', []],
    ['not with names', `${rule(', resourceNames: [a]')}}]}`, []],
    ['not with an object selector', `${rule('')}}], objectSelector: {matchLabels: {a: b}}}`, []],
    [
      'not with exclusions',
      `${rule('')}}], excludeResourceRules: [{apiGroups: [""], apiVersions: [v1], operations: ["*"], resources: [pods]}]}`,
      [],
    ],
    [
      'an empty selector is none',
      `${rule('')}}], objectSelector: {}}`,
      ['defaults: daemonsets deployments replicasets statefulsets jobs', 'cronjobs: cronjobs'],
    ],
    [
      'workloads of other kinds by version and group',
      'autogen: {podControllers: {controllers: [jobsets.v1alpha2.jobset.x-k8s.io, deployments]}}',
      ['defaults: deployments', 'extract: jobsets'],
    ],
  ])('%s', (_what, spec, wanted) => {
    expect(variants(spec)).toEqual(wanted);
  });
});

it('the variant is a whole policy for its resources', () => {
  const [defaults] = deriveVariants(
    policy(`${rule('')}}], namespaceSelector: {matchLabels: {a: b}}, matchPolicy: Exact}`),
    builtinResourceMap,
  );
  expect(defaults?.config).toEqual({
    name: 'defaults',
    targets: [
      {group: 'apps', version: 'v1', resource: 'daemonsets', kind: 'DaemonSet'},
      {group: 'apps', version: 'v1', resource: 'deployments', kind: 'Deployment'},
      {group: 'apps', version: 'v1', resource: 'replicasets', kind: 'ReplicaSet'},
      {group: 'apps', version: 'v1', resource: 'statefulsets', kind: 'StatefulSet'},
      {group: 'batch', version: 'v1', resource: 'jobs', kind: 'Job'},
    ],
    spec: {
      matchConstraints: {
        resourceRules: [
          {
            apiGroups: ['apps'],
            apiVersions: ['v1'],
            operations: ['CREATE'],
            resources: ['daemonsets', 'deployments', 'replicasets', 'statefulsets'],
          },
          {apiGroups: ['batch'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['jobs']},
        ],
        namespaceSelector: {matchLabels: {a: 'b'}},
      },
      validations: [{expression: 'object.spec.template.spec.x == 1', message: 'object.spec.template.spec.x is wrong'}],
    },
  });
});

it('names that mean nothing are told', () => {
  expect(
    unknownControllers(policy('autogen: {podControllers: {controllers: [jobs, nonsense, pods]}}'), builtinResourceMap),
  ).toEqual(['nonsense', 'pods']);
});
