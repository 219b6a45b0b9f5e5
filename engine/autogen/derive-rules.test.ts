import {describe, expect, it} from 'vitest';
import {builtinResourceMap} from '../builtin-resources.js';
import {formatDiagnostic} from '../diagnostic.js';
import type {Json, JsonObject} from '../json/types.js';
import {loadClassicPolicy} from '../policy/index.js';
import type {ClassicPolicy, ClassicRule} from '../policy/model.js';
import {policyOf} from '../testing/engines.js';
import {activeControllers, deriveRules} from './derive-rules.js';
import {rewriteText} from './rewrite-text.js';
import {statusRules} from './status-rules.js';

const controllerKinds = [
  'apps/v1/DaemonSet',
  'apps/v1/Deployment',
  'batch/v1/Job',
  'apps/v1/ReplicaSet',
  'v1/ReplicationController',
  'apps/v1/StatefulSet',
];
const every = ['DaemonSet', 'Deployment', 'Job', 'ReplicaSet', 'ReplicationController', 'StatefulSet', 'CronJob'];

function load(rules: string, annotation?: string): ClassicPolicy {
  const metadata =
    annotation === undefined ? {} : {annotations: {'pod-policies.kyverno.io/autogen-controllers': annotation}};
  const {policy, errors} = loadClassicPolicy(policyOf('p', rules, {metadata}), {resources: builtinResourceMap});
  if (policy === undefined) throw new Error(errors.map(formatDiagnostic).join('\n'));
  return policy;
}

const rule = (more: string, name = 'r') =>
  `[{name: ${name}, match: {any: [{resources: {kinds: [Pod]}}]}, validate: {pattern: {spec: {hostPID: false}}}}${more}]`;
const one = (parts: string) => `[{name: r, ${parts}}]`;
const validate = 'validate: {pattern: {spec: {hostPID: false}}}';

describe('autogen is', () => {
  it.each<[string, string, readonly string[]]>([
    ['on for Pods', one(`match: {any: [{resources: {kinds: [Pod]}}]}, ${validate}`), every],
    ['on for a direct match', one(`match: {resources: {kinds: [Pod]}}, ${validate}`), every],
    ['off for v1/Pod alone', one(`match: {any: [{resources: {kinds: [v1/Pod]}}]}, ${validate}`), []],
    [
      'on when another rule names Pod',
      `[{name: a, match: {any: [{resources: {kinds: [v1/Pod]}}]}, ${validate}}, {name: b, match: {any: [{resources: {kinds: [Pod]}}]}, ${validate}}]`,
      every,
    ],
    [
      'off for other kinds',
      one(`match: {any: [{resources: {kinds: [Service]}}]}, validate: {pattern: {spec: {type: x}}}`),
      [],
    ],
    ['off with a name', one(`match: {any: [{resources: {kinds: [Pod], names: [x]}}]}, ${validate}`), []],
    [
      'off with a selector',
      one(`match: {any: [{resources: {kinds: [Pod], selector: {matchLabels: {a: b}}}}]}, ${validate}`),
      [],
    ],
    ['off with annotations', one(`match: {any: [{resources: {kinds: [Pod], annotations: {a: b}}}]}, ${validate}`), []],
    [
      'off with a name in exclude',
      one(`match: {any: [{resources: {kinds: [Pod]}}]}, exclude: {any: [{resources: {names: [x]}}]}, ${validate}`),
      [],
    ],
    [
      'off with several kinds of which one is Pod',
      one(`match: {any: [{resources: {kinds: [Pod, Service]}}]}, ${validate}`),
      [],
    ],
    [
      'on with several filters',
      one(`match: {any: [{resources: {kinds: [Pod]}}, {resources: {kinds: [Service]}}]}, ${validate}`),
      every,
    ],
    [
      'on with namespaces, users and operations',
      one(
        `match: {any: [{resources: {kinds: [Pod], namespaces: [a], operations: [CREATE], namespaceSelector: {matchLabels: {a: b}}}, subjects: [{kind: User, name: x}]}]}, ${validate}`,
      ),
      every,
    ],
    [
      'off when a rule generates',
      `[{name: a, match: {any: [{resources: {kinds: [Pod]}}]}, ${validate}}, {name: g, match: {any: [{resources: {kinds: [Namespace]}}]}, generate: {apiVersion: v1, kind: ConfigMap, name: c, namespace: "{{request.object.metadata.name}}", data: {data: {a: b}}}}]`,
      [],
    ],
    [
      'off when a rule patches by JSON',
      `[{name: a, match: {any: [{resources: {kinds: [Pod]}}]}, mutate: {patchesJson6902: "[{op: add, path: /metadata/labels/a, value: b}]"}}]`,
      [],
    ],
    [
      'off when a loop patches by JSON',
      `[{name: a, match: {any: [{resources: {kinds: [Pod]}}]}, mutate: {foreach: [{list: request.object.spec.containers, patchesJson6902: "[{op: add, path: /metadata/labels/a, value: b}]"}]}}]`,
      [],
    ],
  ])('%s', (_title, rules, want) => {
    expect(activeControllers(load(rules))).toEqual(want);
  });

  it.each<[string, readonly string[]]>([
    ['none', []],
    ['', []],
    ['Deployment', ['Deployment']],
    ['CronJob,Deployment', ['Deployment', 'CronJob']],
    ['Deployment, Job', ['Deployment']],
    ['deployment', []],
    ['__proto__', []],
    ['Nonsense,Job', ['Job']],
  ])('for the annotation %j what it lists', (annotation, want) => {
    expect(activeControllers(load(rule(''), annotation))).toEqual(want);
  });
});

describe('a rule gets derived rules', () => {
  const names = (rules: string, annotation?: string) =>
    deriveRules(load(rules, annotation)).map(derived => derived.name);

  it.each<[string, string, readonly string[]]>([
    ['one for controllers, one for CronJob', rule(''), ['autogen-r', 'autogen-cronjob-r']],
    ['unless it is named as if derived', rule('', 'autogen-x'), []],
    [
      'unless it excludes other kinds',
      one(
        `match: {any: [{resources: {kinds: [Pod]}}]}, exclude: {any: [{resources: {kinds: [Service]}}]}, ${validate}`,
      ),
      [],
    ],
    [
      'when it excludes Pods of some namespace',
      one(
        `match: {any: [{resources: {kinds: [Pod]}}]}, exclude: {any: [{resources: {kinds: [Pod], namespaces: [a]}}]}, ${validate}`,
      ),
      ['autogen-r', 'autogen-cronjob-r'],
    ],
    [
      'when it excludes namespaces',
      one(`match: {any: [{resources: {kinds: [Pod]}}]}, exclude: {any: [{resources: {namespaces: [a]}}]}, ${validate}`),
      ['autogen-r', 'autogen-cronjob-r'],
    ],
    [
      'in source order',
      `[{name: b, match: {any: [{resources: {kinds: [Pod]}}]}, ${validate}}, {name: s, match: {any: [{resources: {kinds: [Service]}}]}, validate: {pattern: {spec: {type: x}}}}, {name: a, match: {any: [{resources: {kinds: [Pod]}}]}, ${validate}}]`,
      ['autogen-b', 'autogen-cronjob-b', 'autogen-a', 'autogen-cronjob-a'],
    ],
    [
      'with names cut at 63',
      rule('', 'x'.repeat(63)),
      [`autogen-${'x'.repeat(55)}`, `autogen-cronjob-${'x'.repeat(47)}`],
    ],
  ])('%s', (_title, rules, want) => {
    expect(names(rules)).toEqual(want);
  });

  it('only for the controllers listed', () => {
    expect(names(rule(''), 'Deployment')).toEqual(['autogen-r']);
    expect(names(rule(''), 'CronJob')).toEqual(['autogen-cronjob-r']);
  });
});

function derived(parts: string): readonly [ClassicRule, ClassicRule] {
  const rules = deriveRules(load(one(parts)));
  return [rules[0]!, rules[1]!];
}

describe('a derived rule', () => {
  it('matches the controllers where the filter has Pods, CronJob everywhere', () => {
    const [controllers, cron] = derived(
      `match: {any: [{resources: {kinds: [Pod], namespaces: [a]}}, {resources: {kinds: [Service]}}]}, exclude: {any: [{resources: {kinds: [Pod], operations: [DELETE]}}, {clusterRoles: [admin]}]}, ${validate}`,
    );
    expect(controllers.match.filters.map(filter => filter.kinds)).toEqual([controllerKinds, ['Service']]);
    expect(controllers.match.filters[0]?.namespaces).toEqual(['a']);
    expect(controllers.exclude?.filters.map(filter => filter.kinds)).toEqual([controllerKinds, []]);
    expect(controllers.exclude?.filters[1]?.clusterRoles).toEqual(['admin']);
    expect(cron.match.filters.map(filter => filter.kinds)).toEqual([['batch/v1/CronJob'], ['batch/v1/CronJob']]);
    expect(cron.exclude?.filters.map(filter => filter.kinds)).toEqual([['batch/v1/CronJob'], []]);
  });

  it.each<[string, string, Json, Json]>([
    [
      'pattern',
      'validate: {pattern: {metadata: {labels: {a: b}}, spec: {hostPID: false}}}',
      {spec: {template: {metadata: {labels: {a: 'b'}}, spec: {hostPID: false}}}},
      {spec: {jobTemplate: {spec: {template: {metadata: {labels: {a: 'b'}}, spec: {hostPID: false}}}}}},
    ],
    [
      'anyPattern',
      'validate: {anyPattern: [{spec: {a: 1}}, {spec: {b: 2}}]}',
      [{spec: {template: {spec: {a: 1}}}}, {spec: {template: {spec: {b: 2}}}}],
      [
        {spec: {jobTemplate: {spec: {template: {spec: {a: 1}}}}}},
        {spec: {jobTemplate: {spec: {template: {spec: {b: 2}}}}}},
      ],
    ],
  ])('wraps a %s', (_title, action, controllers, cron) => {
    const checks = derived(`match: {any: [{resources: {kinds: [Pod]}}]}, ${action}`).map(item =>
      item.action.type === 'validate' ? item.action.check : undefined,
    );
    expect(
      checks.map(check =>
        check?.type === 'pattern' ? check.pattern : check?.type === 'anyPattern' ? check.patterns : undefined,
      ),
    ).toEqual([controllers, cron]);
  });

  it('wraps a patch and those of loops', () => {
    const [patch] = derived(
      'match: {any: [{resources: {kinds: [Pod]}}]}, mutate: {patchStrategicMerge: {metadata: {labels: {a: "{{ request.object.spec.x }}"}}}}',
    );
    expect(patch.action).toMatchObject({
      patch: {patch: {spec: {template: {metadata: {labels: {a: '{{ request.object.spec.template.spec.x }}'}}}}}},
    });
    const [loop] = derived(
      'match: {any: [{resources: {kinds: [Pod]}}]}, mutate: {foreach: [{list: request.object.spec.containers, order: Ascending, preconditions: {all: [{key: "{{ request.object.metadata.labels.a }}", operator: Equals, value: b}]}, patchStrategicMerge: {spec: {containers: [{"(name)": "{{ element.name }}", image: x}]}}}]}',
    );
    expect(loop.action).toMatchObject({
      patch: {
        entries: [
          {
            list: 'request.object.spec.template.spec.containers',
            order: 'Ascending',
            preconditions: {all: [{key: '{{ request.object.spec.template.metadata.labels.a }}'}]},
            patch: {patch: {spec: {template: {spec: {containers: [{'(name)': '{{ element.name }}'}]}}}}},
          },
        ],
      },
    });
  });

  it('keeps everything else, pointed at the template', () => {
    const [controllers, cron] = derived(`
      match: {any: [{resources: {kinds: [Pod]}}]},
      context: [{name: v, variable: {jmesPath: "request.object.spec.a"}}],
      preconditions: {all: [{key: "{{ request.object.spec.b }}", operator: Equals, value: c}]},
      reportProperties: {x: "{{ request.object.spec.d }}"},
      validate: {failureAction: Audit, allowExistingViolations: false, message: "{{ request.object.metadata.name }} {{ request.object.spec.e }}", deny: {conditions: {any: [{key: "{{ request.oldObject.spec.f }}", operator: Equals, value: g}]}}}`);
    expect(controllers).toMatchObject({
      context: [{name: 'v', jmesPath: 'request.object.spec.template.spec.a'}],
      preconditions: {all: [{key: '{{ request.object.spec.template.spec.b }}'}]},
      reportProperties: {x: '{{ request.object.spec.template.spec.d }}'},
      action: {
        failureAction: 'Audit',
        allowExistingViolations: false,
        message: '{{ request.object.metadata.name }} {{ request.object.spec.template.spec.e }}',
      },
    });
    expect(cron.action).toMatchObject({
      check: {conditions: {any: [{key: '{{ request.oldObject.spec.jobTemplate.spec.template.spec.f }}'}]}},
    });
  });

  it('points loops and their nested loops at the template', () => {
    const [controllers] = derived(
      'match: {any: [{resources: {kinds: [Pod]}}]}, validate: {foreach: [{list: "request.object.spec.[containers, initContainers][]", deny: {conditions: {all: [{key: "{{ element.image }}", operator: Equals, value: "{{ request.object.spec.x }}"}]}}}]}',
    );
    expect(controllers.action).toMatchObject({
      check: {
        entries: [
          {
            list: 'request.object.spec.template.spec.[containers, initContainers][]',
            check: {conditions: {all: [{value: '{{ request.object.spec.template.spec.x }}'}]}},
          },
        ],
      },
    });
  });
});

describe('text', () => {
  const template = ['spec', 'template'];
  it.each<[string, string]>([
    ['request.object.spec.containers', 'request.object.spec.template.spec.containers'],
    ['request.oldObject.spec', 'request.oldObject.spec.template.spec'],
    ['request.object.metadata.labels.a', 'request.object.spec.template.metadata.labels.a'],
    ['request.object.metadata.name', 'request.object.metadata.name'],
    ['request.object.metadata.namespace', 'request.object.metadata.namespace'],
    ['request.object.metadata.namespaces', 'request.object.spec.template.metadata.namespaces'],
    ['request.object.metadata.name-x', 'request.object.metadata.name-x'],
    ['request.object.specs', 'request.object.specs'],
    ['request.object.kind', 'request.object.kind'],
    ['images.containers', 'images.containers'],
    ['my.request.objects.spec', 'my.request.objects.spec'],
    [
      'request.object.spec.a || request.object.spec.b',
      'request.object.spec.template.spec.a || request.object.spec.template.spec.b',
    ],
  ])('%s', (text, want) => {
    expect(rewriteText(text, template)).toBe(want);
  });
});

describe('status', () => {
  const status = (rules: string, annotation?: string) => statusRules(load(rules, annotation));

  it('shows derived rules in the shape that users write', () => {
    const [controllers, cron] = status(
      one(
        `match: {any: [{resources: {kinds: [Pod], namespaces: [a]}, subjects: [{kind: User, name: x}]}]}, exclude: {any: [{clusterRoles: [admin]}]}, validate: {message: "{{ request.object.spec.x }}", pattern: {spec: {hostPID: false}}}`,
      ),
    ) as [JsonObject, JsonObject];
    expect(controllers).toEqual({
      name: 'autogen-r',
      match: {any: [{resources: {kinds: controllerKinds, namespaces: ['a']}, subjects: [{kind: 'User', name: 'x'}]}]},
      exclude: {any: [{resources: {}, clusterRoles: ['admin']}]},
      validate: {
        message: '{{ request.object.spec.template.spec.x }}',
        pattern: {spec: {template: {spec: {hostPID: false}}}},
      },
      skipBackgroundRequests: true,
    });
    expect(cron).toMatchObject({
      name: 'autogen-cronjob-r',
      validate: {pattern: {spec: {jobTemplate: {spec: {template: {spec: {hostPID: false}}}}}}},
    });
  });

  it('knows the template of a rule whose own name looks like that of a CronJob rule', () => {
    const [controllers] = status(rule('', 'cronjob-x')) as [JsonObject];
    expect(controllers).toMatchObject({
      name: 'autogen-cronjob-x',
      validate: {pattern: {spec: {template: {spec: {hostPID: false}}}}},
    });
  });

  it('shows derived patches', () => {
    expect(
      status(one('match: {any: [{resources: {kinds: [Pod]}}]}, mutate: {patchStrategicMerge: {spec: {a: 1}}}'), 'Job'),
    ).toMatchObject([{mutate: {patchStrategicMerge: {spec: {template: {spec: {a: 1}}}}}}]);
  });

  it('is empty where nothing is derived', () => {
    expect(status(rule(''), 'none')).toEqual([]);
  });

  it('reads like a policy', () => {
    const rules = status(one(`match: {any: [{resources: {kinds: [Pod]}}]}, ${validate}`));
    const raw: JsonObject = {...policyOf('again', '[]'), spec: {background: false, rules}};
    expect(loadClassicPolicy(raw, {resources: builtinResourceMap}).errors).toEqual([]);
  });
});
