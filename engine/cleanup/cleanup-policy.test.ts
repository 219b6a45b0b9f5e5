import {describe, expect, it} from 'vitest';
import {createOfflineContextLoader} from '../../adapters/offline-context-loader.js';
import {createRegexEngine} from '../../adapters/regex/regex-engine.js';
import {defaultLimits} from '../budget.js';
import {builtinResourceMap} from '../builtin-resources.js';
import {RuleRun} from '../context/rule-run.js';
import {formatDiagnostic} from '../diagnostic.js';
import type {JsonObject} from '../json/types.js';
import {loadClassicPolicy} from '../policy/index.js';
import {yamlObject} from '../policy/testing/build.js';
import {compileCleanupPolicy} from './compile-cleanup-policy.js';
import {compileCleanupRules} from './compile-cleanup-rule.js';
import {loadCleanupPolicy} from './load-cleanup-policy.js';

const options = {resources: builtinResourceMap};

function runOver(resources: readonly JsonObject[] = []): RuleRun {
  const loader = createOfflineContextLoader({resources, resourceMap: builtinResourceMap, now: () => 1_700_000_000_000});
  return new RuleRun({
    loader,
    regex: createRegexEngine(),
    limits: defaultLimits,
    resources: builtinResourceMap,
    operatorNamespace: '',
  });
}

function policy(spec: string, kind = 'ClusterCleanupPolicy', apiVersion = 'kyverno.io/v2'): JsonObject {
  const metadata = kind === 'CleanupPolicy' ? {name: 'p', namespace: 'team'} : {name: 'p'};
  const base = {schedule: '*/5 * * * *', match: {any: [{resources: {kinds: ['Pod']}}]}};
  return {apiVersion, kind, metadata, spec: {...base, ...yamlObject(spec)}};
}

function pod(metadata: string): JsonObject {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {name: 'a', namespace: 'team', ...yamlObject(metadata)},
    spec: {containers: [{name: 'c', image: 'nginx'}]},
  };
}

function matches(raw: JsonObject, object: JsonObject, others: readonly JsonObject[] = []): boolean {
  const {policy: loaded, errors} = loadCleanupPolicy(raw, options);
  if (loaded === undefined) throw new Error(errors.map(formatDiagnostic).join('\n'));
  const compiled = compileCleanupPolicy(loaded);
  const run = runOver(others);
  const answer = run.complete(() => compiled.matches(object, run));
  if (answer instanceof Promise) throw new Error('the offline loader answers at once');
  return answer;
}

describe('what a clean-up policy takes away', () => {
  const cases: readonly {title: string; spec: string; object: JsonObject; wanted: boolean; kind?: string}[] = [
    {title: 'a matched kind', spec: '{}', object: pod('{}'), wanted: true},
    {
      title: 'no other kind',
      spec: '{}',
      object: {apiVersion: 'v1', kind: 'Secret', metadata: {name: 'a', namespace: 'team'}},
      wanted: false,
    },
    {
      title: 'what the conditions say of the target',
      spec: 'conditions: {all: [{key: "{{ target.metadata.name }}", operator: Equals, value: a}]}',
      object: pod('{}'),
      wanted: true,
    },
    {
      title: 'nothing whose conditions do not hold',
      spec: 'conditions: {all: [{key: "{{ target.metadata.name }}", operator: Equals, value: b}]}',
      object: pod('{}'),
      wanted: false,
    },
    {
      title: 'Pods without owners',
      spec: 'conditions: {all: [{key: "{{ target.metadata.ownerReferences[] || `[]` }}", operator: Equals, value: []}]}',
      object: pod('{}'),
      wanted: true,
    },
    {
      title: 'no Pods with owners',
      spec: 'conditions: {all: [{key: "{{ target.metadata.ownerReferences[] || `[]` }}", operator: Equals, value: []}]}',
      object: pod('{ownerReferences: [{kind: ReplicaSet}]}'),
      wanted: false,
    },
    {
      title: 'objects by their age',
      spec: `conditions: {any: [{key: "{{ time_since('', '{{ target.metadata.creationTimestamp }}', '') }}", operator: GreaterThan, value: 24h}]}`,
      object: pod('{creationTimestamp: "2023-11-10T00:00:00Z"}'),
      wanted: true,
    },
    {
      title: 'no younger objects',
      spec: `conditions: {any: [{key: "{{ time_since('', '{{ target.metadata.creationTimestamp }}', '') }}", operator: GreaterThan, value: 24h}]}`,
      object: pod('{creationTimestamp: "2023-11-14T22:00:00Z"}'),
      wanted: false,
    },
    {
      title: 'images of the target',
      spec: 'conditions: {any: [{key: "{{ images.containers.*.registry | [0] }}", operator: Equals, value: docker.io}]}',
      object: pod('{}'),
      wanted: true,
    },
    {
      title: 'nothing that is excluded',
      spec: 'exclude: {any: [{resources: {selector: {matchLabels: {keep: "yes"}}}}]}',
      object: pod('{labels: {keep: "yes"}}'),
      wanted: false,
    },
    {
      title: 'context variables',
      spec: 'context: [{name: victim, variable: {value: a}}]\nconditions: {all: [{key: "{{ target.metadata.name }}", operator: Equals, value: "{{ victim }}"}]}',
      object: pod('{}'),
      wanted: true,
    },
    {
      title: 'operations do not matter',
      spec: 'match: {any: [{resources: {kinds: [Pod], operations: [CREATE]}}]}',
      object: pod('{}'),
      wanted: true,
    },
    {title: 'its own namespace only', kind: 'CleanupPolicy', spec: '{}', object: pod('{}'), wanted: true},
    {title: 'no other namespace', kind: 'CleanupPolicy', spec: '{}', object: pod('{namespace: other}'), wanted: false},
  ];
  for (const {title, spec, object, wanted, kind} of cases) {
    it(title, () => expect(matches(policy(spec, kind), object)).toBe(wanted));
  }

  it('follows labels of namespaces, but takes no Namespace by them', () => {
    const team: JsonObject = {apiVersion: 'v1', kind: 'Namespace', metadata: {name: 'team', labels: {stage: 'dev'}}};
    const raw = policy(
      'match: {any: [{resources: {kinds: [Pod, Namespace], namespaceSelector: {matchLabels: {stage: dev}}}}]}',
    );
    expect(matches(raw, pod('{}'), [team])).toBe(true);
    expect(matches(raw, team, [team])).toBe(false);
    const sheltered = policy(
      'match: {any: [{resources: {kinds: [Namespace]}}]}\nexclude: {any: [{resources: {kinds: [Namespace], namespaceSelector: {matchLabels: {stage: prod}}}}]}',
    );
    expect(matches(sheltered, team, [team])).toBe(false);
  });

  it('leaves an object alone whose conditions cannot be evaluated', () => {
    const raw = policy('conditions: {all: [{key: "{{ target.spec.missing.deeper }}", operator: Equals, value: x}]}');
    expect(() => matches(raw, pod('{}'))).toThrow(/Unknown key/);
  });
});

describe('faults of a clean-up policy', () => {
  const cases: readonly [string, JsonObject, string, string][] = [
    ['a schedule that is none', policy('schedule: invalid-schedule'), 'spec.schedule', 'not in proper cron format'],
    ['a schedule of six fields', policy('schedule: "0 7 * * * *"'), 'spec.schedule', 'not in proper cron format'],
    ['no schedule', policy('schedule: null'), 'spec.schedule', 'a schedule is required'],
    ['no match', policy('match: null'), 'spec.match', 'match is required'],
    ['no kinds', policy('match: {any: [{resources: {names: [a]}}]}'), 'spec.match.any[0].resources.kinds', 'kind'],
    [
      'subjects',
      policy('match: {any: [{resources: {kinds: [Pod]}, subjects: [{kind: User, name: chip}]}]}'),
      'spec.match.any[0].subjects',
      'Usage of user info is forbidden',
    ],
    [
      'roles',
      policy('match: {any: [{resources: {kinds: [Pod]}, roles: ["a:b"]}]}'),
      'spec.match.any[0].roles',
      'Usage of user info is forbidden',
    ],
    [
      'cluster roles in exclude',
      policy('exclude: {all: [{clusterRoles: [admin]}]}'),
      'spec.exclude.all[0].clusterRoles',
      'Usage of user info is forbidden',
    ],
    [
      'the request',
      policy('conditions: {all: [{key: "{{ request.object.metadata.name }}", operator: Equals, value: a}]}'),
      'spec.conditions.all[0].key',
      'target.*',
    ],
    [
      'an unknown name in the context',
      policy('context: [{name: a, variable: {value: "{{ b }}"}}]'),
      'spec.context[0].variable.value',
      'target.*',
    ],
    [
      'bad syntax',
      policy('conditions: {all: [{key: "{{ target. }}", operator: Equals, value: a}]}'),
      'spec.conditions.all[0].key',
      'invalid JMESPath',
    ],
    [
      'an unknown operator',
      policy('conditions: {all: [{key: a, operator: Same, value: a}]}'),
      'spec.conditions.all[0].operator',
      '',
    ],
    [
      'an unknown propagation',
      policy('deletionPropagationPolicy: Never'),
      'spec.deletionPropagationPolicy',
      'Unsupported value',
    ],
    ['an unknown field', policy('rules: []'), 'spec.rules', 'unknown field'],
    [
      'a cluster-wide kind in a namespaced policy',
      policy('match: {any: [{resources: {kinds: [Namespace]}}]}', 'CleanupPolicy'),
      'spec.match.any[0].resources.kinds[0]',
      'not allowed in namespaced policy',
    ],
    ['an unknown version', policy('{}', 'CleanupPolicy', 'kyverno.io/v1'), 'apiVersion', 'kyverno.io/v2'],
    ['another kind', policy('{}', 'ClusterPolicy'), 'kind', 'CleanupPolicy'],
  ];
  for (const [title, raw, path, message] of cases) {
    it(`${title} at ${path}`, () => {
      const {policy: loaded, errors} = loadCleanupPolicy(raw, options);
      expect(loaded).toBeUndefined();
      expect(
        errors
          .filter(error => error.path === path)
          .map(error => error.message)
          .join('\n'),
      ).toContain(message);
    });
  }

  for (const version of ['v2', 'v2beta1', 'v2alpha1']) {
    it(`reads kyverno.io/${version}`, () =>
      expect(loadCleanupPolicy(policy('{}', 'CleanupPolicy', `kyverno.io/${version}`), options).errors).toEqual([]));
  }

  it('survives anything', () => {
    for (const raw of [
      {},
      {spec: []},
      {spec: {match: 3, schedule: {}}},
      {metadata: 'x', spec: {conditions: [[]], context: 7}},
    ] as JsonObject[]) {
      expect(loadCleanupPolicy(raw, options).errors.length).toBeGreaterThan(0);
    }
  });
});

describe('cleanup.removeResources of a rule', () => {
  function rule(text: string, kind: 'ClusterPolicy' | 'Policy' = 'ClusterPolicy'): JsonObject {
    return {
      apiVersion: 'kyverno.io/v1',
      kind,
      metadata: kind === 'Policy' ? {name: 'p', namespace: 'team'} : {name: 'p'},
      spec: {rules: [{name: 'r', match: {any: [{resources: {kinds: ['Pod', 'Job']}}]}, ...yamlObject(text)}]},
    };
  }

  function removes(raw: JsonObject, object: JsonObject): boolean {
    const {policy: loaded, errors} = loadClassicPolicy(raw, options);
    if (loaded === undefined) throw new Error(errors.map(formatDiagnostic).join('\n'));
    const run = runOver();
    return compileCleanupRules(loaded).some(task => run.complete(() => task.matches(object, run)) === true);
  }

  const job = (status: string, metadata = '{}'): JsonObject => ({
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {name: 'j', namespace: 'team', labels: {old: 'true'}, ...yamlObject(metadata)},
    status: yamlObject(status),
  });
  const pods = 'cleanup: {removeResources: [{kind: Pod, selector: {matchLabels: {old: "true"}}}]}';
  const jobs = 'cleanup: {removeResources: [{kind: Job, selector: {matchLabels: {old: "true"}}}]}';
  const cases: readonly [string, JsonObject, JsonObject, boolean][] = [
    ['a labelled Pod', rule(pods), pod('{labels: {old: "true"}}'), true],
    ['no unlabelled Pod', rule(pods), pod('{}'), false],
    ['no Job for a Pod entry', rule(pods), job('{conditions: [{type: Complete, status: "True"}]}'), false],
    ['a complete Job', rule(jobs), job('{conditions: [{type: Complete, status: "True"}]}'), true],
    ['no failed Job', rule(jobs), job('{conditions: [{type: Failed, status: "True"}]}'), false],
    ['no running Job', rule(jobs), job('{active: 1}'), false],
    [
      'nothing outside the match',
      rule(`match: {any: [{resources: {kinds: [Pod], namespaces: [other]}}]}\n${pods}`),
      pod('{labels: {old: "true"}}'),
      false,
    ],
    [
      'nothing inside the exclude',
      rule(`exclude: {any: [{resources: {names: [a]}}]}\n${pods}`),
      pod('{labels: {old: "true"}}'),
      false,
    ],
    [
      'nothing of a kind that the rule does not match',
      rule(`match: {any: [{resources: {kinds: [ConfigMap]}}]}\n${pods}`),
      pod('{labels: {old: "true"}}'),
      false,
    ],
    ['what is named', rule('cleanup: {removeResources: [{kind: Pod, names: ["tmp-*"]}]}'), pod('{name: tmp-1}'), true],
    [
      'nothing else than what is named',
      rule('cleanup: {removeResources: [{kind: Pod, names: ["tmp-*"]}]}'),
      pod('{}'),
      false,
    ],
    [
      'what is in a named namespace',
      rule('cleanup: {removeResources: [{kind: Pod, namespace: team}]}'),
      pod('{}'),
      true,
    ],
    ['what a Policy has in its own namespace', rule(pods, 'Policy'), pod('{labels: {old: "true"}}'), true],
    [
      "nothing outside a Policy's namespace",
      rule(pods, 'Policy'),
      pod('{namespace: other, labels: {old: "true"}}'),
      false,
    ],
    [
      'what meets the preconditions',
      rule(`preconditions: {all: [{key: "{{ request.object.metadata.name }}", operator: Equals, value: a}]}\n${pods}`),
      pod('{labels: {old: "true"}}'),
      true,
    ],
    [
      'nothing that does not',
      rule(`preconditions: {all: [{key: "{{ request.object.metadata.name }}", operator: Equals, value: b}]}\n${pods}`),
      pod('{labels: {old: "true"}}'),
      false,
    ],
  ];
  for (const [title, raw, object, wanted] of cases) it(title, () => expect(removes(raw, object)).toBe(wanted));

  it('is one for all entries of the rule, which have one schedule and one last run', () => {
    const entries = ['Pod', 'ConfigMap', 'Secret', 'Pod'].map(kind => `{kind: ${kind}, names: ["tmp-*"]}`);
    const {policy: loaded} = loadClassicPolicy(rule(`cleanup: {removeResources: [${entries.join(', ')}]}`), options);
    expect(compileCleanupRules(loaded!).map(({kinds}) => kinds.map(({kind}) => kind))).toEqual([['Pod', 'ConfigMap', 'Secret']]);
  });

  it('is refused for a kind alone and for a bad schedule', () => {
    const bad = rule('cleanup: {schedule: "1 2 3", removeResources: [{kind: Pod}]}');
    const text = loadClassicPolicy(bad, options).errors.map(formatDiagnostic).join('\n');
    expect(text).toContain('a kind alone would remove everything');
    expect(text).toContain('not in proper cron format');
  });
});
