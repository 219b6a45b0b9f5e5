import {describe, expect, it} from 'vitest';
import {builtinResourceMap} from '../../engine/builtin-resources.js';
import type {CompiledPolicy} from '../../engine/compile/types.js';
import {type Json, type JsonObject, ownPath} from '../../engine/json/types.js';
import {compileState} from '../../engine/snapshot/policy-cache.js';
import {bootstrapMatchCondition} from './bootstrap-kinds.js';
import {planFixedWebhooks, planResourceWebhooks} from './plan-resource-webhooks.js';
import {renderConfiguration} from './render-configuration.js';

interface PolicyParts {
  readonly name?: string;
  readonly namespace?: string;
  readonly kinds?: readonly string[];
  readonly operations?: readonly string[];
  readonly exclude?: Json;
  readonly spec?: JsonObject;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly mutate?: boolean;
}

function policy(parts: PolicyParts): CompiledPolicy {
  const {name = 'p', namespace, kinds = ['ConfigMap'], operations, exclude, spec, annotations = {}, mutate} = parts;
  const rule: JsonObject = {
    name: 'r',
    match: {any: [{resources: {kinds: [...kinds], ...(operations !== undefined && {operations: [...operations]})}}]},
    ...(exclude !== undefined && {exclude}),
    ...(mutate === true
      ? {mutate: {patchStrategicMerge: {metadata: {labels: {a: 'b'}}}}}
      : {validate: {message: 'm', pattern: {metadata: {name: '?*'}}}}),
  };
  const state = compileState(
    {
      apiVersion: 'kyverno.io/v1',
      kind: namespace === undefined ? 'ClusterPolicy' : 'Policy',
      metadata: {
        name,
        ...(namespace !== undefined && {namespace}),
        annotations: {'pod-policies.kyverno.io/autogen-controllers': 'none', ...annotations},
      },
      spec: {background: false, rules: [rule], ...spec},
    },
    {resources: () => builtinResourceMap, compile: {matchConditions: 'by-api-server'}},
  );
  if (state.status === 'refused') throw new Error(JSON.stringify(state.problems));
  return state.policy;
}

function plan(policies: readonly CompiledPolicy[], forceIgnore = false) {
  return planResourceWebhooks({
    policies,
    resources: builtinResourceMap,
    defaultTimeout: 10,
    forceIgnore,
    matchConditions: [],
  });
}

const all = ['CONNECT', 'CREATE', 'DELETE', 'UPDATE'];

describe('planResourceWebhooks', () => {
  it('leaves both configurations empty without policies', () => {
    expect(plan([]).validating.entries).toEqual([]);
    expect(plan([]).mutating.entries).toEqual([]);
  });

  it('intercepts exactly the kinds and operations that a policy needs, in the shared Fail entry', () => {
    const {validating, mutating} = plan([policy({kinds: ['ConfigMap', 'Secret']})]);
    expect(mutating.entries).toEqual([]);
    expect(validating.entries).toEqual([
      {
        name: 'validate.kyverno.io',
        path: '/validate/fail',
        failurePolicy: 'Fail',
        rules: [
          {
            apiGroups: [''],
            apiVersions: ['v1'],
            operations: all,
            resources: ['configmaps', 'secrets'],
            scope: 'Namespaced',
          },
        ],
        timeoutSeconds: 10,
        sideEffects: 'NoneOnDryRun',
        matchConditions: [],
      },
    ]);
  });

  const ruleCases: ReadonlyArray<{name: string; parts: PolicyParts; rules: unknown}> = [
    {
      name: 'Pods bring ephemeral containers',
      parts: {kinds: ['Pod'], operations: ['CREATE']},
      rules: [
        {
          apiGroups: [''],
          apiVersions: ['v1'],
          operations: ['CREATE'],
          resources: ['pods', 'pods/ephemeralcontainers'],
          scope: 'Namespaced',
        },
      ],
    },
    {
      name: 'a subresource is intercepted without its parent',
      parts: {kinds: ['Pod/exec']},
      rules: [{apiGroups: [''], apiVersions: ['v1'], operations: all, resources: ['pods/exec'], scope: 'Namespaced'}],
    },
    {
      name: 'one subresource of every kind',
      parts: {kinds: ['*/scale']},
      rules: [{apiGroups: ['*'], apiVersions: ['*'], operations: all, resources: ['*/scale'], scope: '*'}],
    },
    {
      name: 'cluster-scoped kinds are asked for in any scope',
      parts: {kinds: ['CustomResourceDefinition']},
      rules: [
        {
          apiGroups: ['apiextensions.k8s.io'],
          apiVersions: ['v1'],
          operations: all,
          resources: ['customresourcedefinitions'],
          scope: '*',
        },
      ],
    },
    {
      name: 'an exclusion by operation alone takes the operation away',
      parts: {exclude: {any: [{resources: {operations: ['DELETE', 'CONNECT']}}]}, kinds: ['Secret']},
      rules: [
        {
          apiGroups: [''],
          apiVersions: ['v1'],
          operations: ['CREATE', 'UPDATE'],
          resources: ['secrets'],
          scope: 'Namespaced',
        },
      ],
    },
    {
      name: 'an exclusion with any other criterion takes nothing away',
      parts: {exclude: {any: [{resources: {operations: ['DELETE'], namespaces: ['x']}}]}, kinds: ['Secret']},
      rules: [{apiGroups: [''], apiVersions: ['v1'], operations: all, resources: ['secrets'], scope: 'Namespaced'}],
    },
  ];
  for (const {name, parts, rules} of ruleCases) {
    it(name, () => expect(plan([policy(parts)]).validating.entries[0]?.rules).toEqual(rules));
  }

  it('drops what a wider rule covers, for the same operation only', () => {
    const {validating} = plan([
      policy({name: 'wide', kinds: ['*'], operations: ['CREATE']}),
      policy({name: 'narrow', kinds: ['Secret'], operations: ['CREATE', 'DELETE']}),
    ]);
    expect(validating.entries[0]?.rules).toEqual([
      {apiGroups: [''], apiVersions: ['v1'], operations: ['DELETE'], resources: ['secrets'], scope: 'Namespaced'},
      {
        apiGroups: ['*'],
        apiVersions: ['*'],
        operations: ['CREATE'],
        resources: ['*', 'pods/ephemeralcontainers'],
        scope: '*',
      },
    ]);
  });

  it('is the same whatever the order of policies', () => {
    const policies = [
      policy({name: 'a', kinds: ['Secret']}),
      policy({name: 'b', kinds: ['Deployment', 'Pod']}),
      policy({name: 'c', kinds: ['ConfigMap'], operations: ['CREATE']}),
    ];
    expect(plan([...policies].reverse())).toEqual(plan(policies));
  });

  it('gives mutate rules their own configuration, never for DELETE', () => {
    const {validating, mutating} = plan([policy({mutate: true, operations: ['CREATE', 'DELETE']})]);
    expect(validating.entries).toEqual([]);
    expect(mutating.entries.map(entry => [entry.name, entry.path, entry.rules[0]?.operations])).toEqual([
      ['mutate.kyverno.svc-fail', '/mutate/fail', ['CREATE']],
    ]);
  });

  it('splits by failure policy', () => {
    const {validating} = plan([policy({name: 'a'}), policy({name: 'b', spec: {failurePolicy: 'Ignore'}})]);
    expect(validating.entries.map(entry => [entry.name, entry.path, entry.failurePolicy])).toEqual([
      ['validate.kyverno.io', '/validate/fail', 'Fail'],
      ['validate.kyverno.svc-ignore', '/validate/ignore', 'Ignore'],
    ]);
  });

  it('makes everything Ignore when the installation says so', () => {
    expect(plan([policy({})], true).validating.entries.map(entry => entry.failurePolicy)).toEqual(['Ignore']);
  });

  it('takes the longest timeout that a policy asks for, at most 30 s', () => {
    const {validating} = plan([
      policy({name: 'a'}),
      policy({name: 'b', spec: {webhookConfiguration: {timeoutSeconds: 20}}}),
    ]);
    expect(validating.entries[0]?.timeoutSeconds).toBe(20);
    expect(
      plan([policy({spec: {webhookConfiguration: {timeoutSeconds: 5}}})]).validating.entries[0]?.timeoutSeconds,
    ).toBe(10);
  });

  it('gives a policy with match conditions an entry of its own, with its own conditions', () => {
    const conditions = [{name: 'no-nodes', expression: '!("system:nodes" in request.userInfo.groups)'}];
    const {validating} = plan([
      policy({name: 'fine', namespace: 'team', spec: {webhookConfiguration: {matchConditions: conditions}}}),
    ]);
    expect(validating.entries).toMatchObject([
      {
        name: 'validate.kyverno.svc-fail-finegrained-team-fine',
        path: '/validate/fail/finegrained/team/fine',
        matchConditions: conditions,
      },
    ]);
  });

  it('keeps the conditions of a namespaced policy inside its namespace', () => {
    const spec = {webhookConfiguration: {matchConditions: [{name: 'c', expression: 'object.spec.absent'}]}};
    const entries = (namespace?: string) =>
      plan([policy({name: 'fine', ...(namespace !== undefined && {namespace}), spec})]).validating.entries;
    expect(entries('team').map(entry => entry.namespace)).toEqual(['team']);
    expect(entries().map(entry => entry.namespace)).toEqual([undefined]);
    const render = {
      service: {namespace: 'kyverno', name: 's', port: 443},
      serverIP: '',
      caBundle: '',
      labels: {},
      annotations: {},
      namespaceSelector: undefined,
      objectSelector: undefined,
      owner: undefined,
    };
    const rendered = renderConfiguration(
      {
        kind: 'ValidatingWebhookConfiguration',
        name: 'kyverno-resource-validating-webhook-cfg',
        entries: entries('team'),
      },
      render,
    );
    expect(ownPath((rendered['webhooks'] as Json[])[0], 'namespaceSelector', 'matchExpressions')).toEqual([
      {key: 'kubernetes.io/metadata.name', operator: 'NotIn', values: ['kyverno']},
      {key: 'kubernetes.io/metadata.name', operator: 'In', values: ['team']},
    ]);
  });

  it('gives each policy its own entry where names run together, and the plain name to the cluster policy', () => {
    const spec = {webhookConfiguration: {matchConditions: [{name: 'c', expression: 'true'}]}};
    const policies = [
      policy({name: 'b', namespace: 'a', spec}),
      policy({name: 'a-b', spec}),
      policy({name: 'b-c', namespace: 'a', spec}),
      policy({name: 'c', namespace: 'a-b', spec}),
    ];
    const named = (list: readonly CompiledPolicy[]) =>
      plan(list).validating.entries.map(entry => [entry.name, entry.path]);
    expect(new Set(named(policies).map(([name]) => name)).size).toBe(4);
    expect(
      named(policies)
        .map(([, path]) => path)
        .sort(),
    ).toEqual(['a-b', 'a-b/c', 'a/b', 'a/b-c'].map(key => `/validate/fail/finegrained/${key}`));
    expect(named(policies)).toContainEqual([
      'validate.kyverno.svc-fail-finegrained-a-b',
      '/validate/fail/finegrained/a-b',
    ]);
    expect(named([...policies].reverse())).toEqual(named(policies));
  });

  it('lets no namespaced policy opt the cluster into Fail on boot kinds', () => {
    const annotations = {'webhook.kyverno.io/fail-on-bootstrap-kinds': 'true'};
    const {validating} = plan([policy({namespace: 'team', kinds: ['Lease'], annotations})]);
    expect(validating.entries.map(entry => entry.failurePolicy)).toEqual(['Ignore']);
  });

  it('never intercepts what a cluster needs to boot by wildcard', () => {
    expect(plan([policy({kinds: ['*']})]).validating.entries[0]?.matchConditions).toEqual([bootstrapMatchCondition]);
    expect(
      plan([policy({kinds: ['*'], spec: {failurePolicy: 'Ignore', background: false}})]).validating.entries[0]
        ?.matchConditions,
    ).toEqual([]);
  });

  it('intercepts boot kinds that a policy names with Ignore, and says so', () => {
    const {validating, notes} = plan([policy({kinds: ['Node', 'ConfigMap']})]);
    expect(
      validating.entries.map(entry => [entry.name, entry.path, entry.failurePolicy, entry.rules[0]?.resources]),
    ).toEqual([
      ['validate.kyverno.io', '/validate/fail', 'Fail', ['configmaps']],
      ['validate.kyverno.svc-bootstrap', '/validate/bootstrap', 'Ignore', ['nodes']],
    ]);
    expect(notes).toMatchObject([{policy: 'p', reason: 'bootstrap'}]);
  });

  it('intercepts boot kinds with Fail when the policy opts in', () => {
    const {validating, notes} = plan([
      policy({kinds: ['Node'], annotations: {'webhook.kyverno.io/fail-on-bootstrap-kinds': 'true'}}),
    ]);
    expect(validating.entries.map(entry => [entry.name, entry.failurePolicy])).toEqual([
      ['validate.kyverno.io', 'Fail'],
    ]);
    expect(notes).toMatchObject([{policy: 'p', reason: 'risk'}]);
  });

  it('gives a policy that opts in an entry of its own for system namespaces, and says so', () => {
    const {validating, notes} = plan([
      policy({annotations: {'webhook.kyverno.io/fail-on-system-namespaces': 'true'}}),
      policy({name: 'q'}),
    ]);
    expect(validating.entries.map(entry => [entry.path, entry.failurePolicy, entry.systemNamespaces])).toEqual([
      ['/validate/fail', 'Fail', undefined],
      ['/validate/fail/finegrained/p', 'Fail', 'only'],
    ]);
    expect(notes).toMatchObject([{policy: 'p', reason: 'risk'}]);
  });

  it('lets no namespaced policy opt in to that', () => {
    const {validating} = plan([
      policy({namespace: 'team', annotations: {'webhook.kyverno.io/fail-on-system-namespaces': 'true'}}),
    ]);
    expect(validating.entries.map(entry => entry.systemNamespaces)).toEqual([undefined]);
  });

  it('leaves system namespaces to match conditions that a policy brings, and says so', () => {
    const matchConditions = [{name: 'c', expression: 'true'}];
    const {validating, notes} = plan([policy({name: 'fine', spec: {webhookConfiguration: {matchConditions}}})]);
    expect(validating.entries.map(entry => [entry.matchConditions, entry.systemNamespaces])).toEqual([
      [matchConditions, 'included'],
    ]);
    expect(notes).toMatchObject([{policy: 'fine', reason: 'risk'}]);
  });

  it('notes kinds that the cluster does not have and goes on with the rest', () => {
    const {validating, notes} = plan([policy({kinds: ['ConfigMap', 'Widget']})]);
    expect(validating.entries[0]?.rules[0]?.resources).toEqual(['configmaps']);
    expect(notes).toEqual([{policy: 'p', reason: 'unresolved', message: 'the cluster has no kind Widget'}]);
  });

  it('asks a namespaced policy for namespaced kinds only', () => {
    expect(plan([policy({namespace: 'team', kinds: ['ConfigMap']})]).validating.entries[0]?.rules[0]?.scope).toBe(
      'Namespaced',
    );
  });

  it('leaves policies out that are not for admission', () => {
    expect(plan([policy({spec: {admission: false, background: true}})]).validating.entries).toEqual([]);
  });
});

describe('planFixedWebhooks', () => {
  it('sends everything but boot kinds to the Fail entry', () => {
    const [validating, mutating] = planFixedWebhooks({defaultTimeout: 10});
    expect(validating?.entries.map(entry => [entry.name, entry.failurePolicy, entry.matchConditions.length])).toEqual([
      ['validate.kyverno.io', 'Fail', 1],
      ['validate.kyverno.svc-ignore', 'Ignore', 0],
    ]);
    expect(mutating?.entries[0]?.rules[0]?.operations).toEqual(['CREATE', 'UPDATE']);
  });
});

describe('rules that verify images', () => {
  const images = (entry: JsonObject, operations?: readonly string[]): CompiledPolicy => {
    const rule = {
      name: 'r',
      match: {any: [{resources: {kinds: ['Pod'], ...(operations !== undefined && {operations})}}]},
      verifyImages: [{imageReferences: ['*'], ...entry}],
    };
    const raw = {
      apiVersion: 'kyverno.io/v1',
      kind: 'ClusterPolicy',
      metadata: {name: 'p', annotations: {'pod-policies.kyverno.io/autogen-controllers': 'none'}},
      spec: {background: false, rules: [rule]},
    };
    const state = compileState(raw as unknown as JsonObject, {
      resources: () => builtinResourceMap,
      compile: {matchConditions: 'by-api-server'},
    });
    if (state.status === 'refused') throw new Error(JSON.stringify(state.problems));
    return state.policy;
  };

  it('are asked when objects are mutated and when they are validated, where there are images', () => {
    const {mutating, validating} = plan([images({})]);
    for (const {entries} of [mutating, validating]) {
      expect(entries.flatMap(({rules}) => rules)).toEqual([
        {
          apiGroups: [''],
          apiVersions: ['v1'],
          operations: ['CREATE', 'UPDATE'],
          resources: ['pods', 'pods/ephemeralcontainers'],
          scope: 'Namespaced',
        },
      ]);
    }
  });

  it('are not asked in validation when they look at nothing there', () => {
    const {mutating, validating} = plan([images({required: false, verifyDigest: false})]);
    expect([mutating.entries.length, validating.entries.length]).toEqual([1, 0]);
  });

  it('have nothing to say on deletion', () => {
    const {mutating, validating} = plan([images({}, ['DELETE'])]);
    expect([mutating.entries, validating.entries]).toEqual([[], []]);
  });
});
