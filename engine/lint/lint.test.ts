import {describe, expect, it} from 'vitest';
import {createOfflineContextLoader} from '../../adapters/offline-context-loader.js';
import {builtinResourceMap} from '../builtin-resources.js';
import type {JsonObject} from '../json/types.js';
import {policyOf, regex} from '../testing/engines.js';
import {celCatalogue, type Finding, lintCatalogue, lintPolicy} from './index.js';

const loader = createOfflineContextLoader({resources: [], resourceMap: builtinResourceMap, now: Date.now});
const options = {resources: builtinResourceMap, loader, regex};

async function lint(rules: string, spec = '{}', samples: readonly JsonObject[] = []): Promise<Finding[]> {
  return lintPolicy(
    policyOf('p', rules, {spec, metadata: {annotations: {'pod-policies.kyverno.io/autogen-controllers': 'none'}}}),
    {...options, samples},
  );
}

interface Case {
  readonly id: string;
  readonly what: string;
  readonly bad: string;
  readonly good: string;
  readonly badSpec?: string;
  readonly goodSpec?: string;
  /** End of the finding's path. */
  readonly path: string;
}

const pods = 'match: {any: [{resources: {kinds: [Pod]}}]}';
const validate = (pattern: string, match = pods) => `
- name: r
  ${match}
  validate:
    message: Every object must be as the handbook says.
    pattern: ${pattern}
`;
const deny = (conditions: string) => `
- name: r
  ${pods}
  validate:
    message: Every object must be as the handbook says.
    deny: {conditions: {all: [${conditions}]}}
`;
const mutate = (patch: string, match = 'match: {any: [{resources: {kinds: [Pod], operations: [CREATE]}}]}') => `
- name: r
  ${match}
  mutate: ${patch}
`;

const looped = (urlPath: string) => `
- name: r
  ${pods}
  validate:
    message: Every object must be as the handbook says.
    foreach:
      - list: request.object.spec.containers
        context: [{name: spaces, apiCall: {urlPath: "${urlPath}"}}]
        deny: {conditions: {all: [{key: "{{ spaces }}", operator: Equals, value: a}]}}
`;

const cases: readonly Case[] = [
  {
    id: 'match-everything',
    what: 'kind * without limits',
    bad: validate('{metadata: {name: "?*"}}', 'match: {any: [{resources: {kinds: ["*"]}}]}'),
    good: validate('{metadata: {name: "?*"}}', 'match: {any: [{resources: {kinds: ["*"], namespaces: [shop]}}]}'),
    path: 'match.any[0].resources.kinds',
  },
  {
    id: 'fail-on-bootstrap-kind',
    what: 'Nodes refused while nobody answers',
    bad: validate('{metadata: {labels: {pool: "?*"}}}', 'match: {any: [{resources: {kinds: [Pod, Node]}}]}'),
    good: validate('{metadata: {labels: {pool: "?*"}}}', 'match: {any: [{resources: {kinds: [Pod, Node]}}]}'),
    goodSpec: '{failurePolicy: Ignore}',
    path: 'match.any[0].resources.kinds[1]',
  },
  {
    id: 'enforce-in-kube-system',
    what: 'Secrets of kube-system refused',
    bad: validate('{metadata: {labels: {owner: "?*"}}}', 'match: {any: [{resources: {kinds: [Secret]}}]}'),
    good: validate(
      '{metadata: {labels: {owner: "?*"}}}',
      'match: {any: [{resources: {kinds: [Secret]}}]}\n  exclude: {any: [{resources: {namespaces: ["kube-*"]}}]}',
    ),
    path: 'match.any[0]',
  },
  {
    id: 'exclude-by-user',
    what: 'an enforced rule that excludes admins',
    bad: validate(
      '{metadata: {labels: {owner: "?*"}}}',
      `${pods}\n  exclude: {any: [{clusterRoles: [cluster-admin]}]}`,
    ),
    good: validate(
      '{metadata: {labels: {owner: "?*"}}}',
      `${pods}\n  exclude: {any: [{resources: {namespaces: [admin]}}]}`,
    ),
    path: 'exclude.any[0].clusterRoles',
  },
  {
    id: 'background-user-info',
    what: 'background scans of a rule about users',
    bad: validate(
      '{metadata: {labels: {owner: "?*"}}}',
      'match: {any: [{resources: {kinds: [Pod]}, subjects: [{kind: User, name: jane}]}]}',
    ),
    good: validate(
      '{metadata: {labels: {owner: "?*"}}}',
      'match: {any: [{resources: {kinds: [Pod]}, subjects: [{kind: User, name: jane}]}]}',
    ),
    badSpec: '{background: true}',
    path: 'subjects',
  },
  {
    id: 'mutate-owned-kind',
    what: 'ReplicaSets changed behind their Deployment',
    bad: mutate(
      '{patchStrategicMerge: {metadata: {labels: {team: a}}}}',
      'match: {any: [{resources: {kinds: [apps/v1/ReplicaSet]}}]}',
    ),
    good: mutate(
      '{patchStrategicMerge: {metadata: {labels: {team: a}}}}',
      'match: {any: [{resources: {kinds: [Deployment]}}]}',
    ),
    path: 'kinds[0]',
  },
  {
    id: 'mutate-owned-kind',
    what: 'ReplicaSets that nobody owns are left',
    bad: mutate(
      '{patchStrategicMerge: {metadata: {labels: {team: a}}}}',
      'match: {any: [{resources: {kinds: [ReplicaSet]}}]}',
    ),
    good: mutate(
      '{patchStrategicMerge: {metadata: {labels: {team: a}}}}',
      `match: {any: [{resources: {kinds: [ReplicaSet]}}]}\n  preconditions: {all: [{key: "{{ length(request.object.metadata.ownerReferences || '[]') }}", operator: Equals, value: 0}]}`,
    ),
    path: 'kinds[0]',
  },
  {
    id: 'mutate-immutable-pod-field',
    what: 'a Pod field written on UPDATE',
    bad: mutate('{patchStrategicMerge: {spec: {automountServiceAccountToken: false}}}', pods),
    good: mutate('{patchStrategicMerge: {spec: {automountServiceAccountToken: false}}}'),
    path: 'spec.automountServiceAccountToken',
  },
  {
    id: 'mutate-immutable-pod-field',
    what: 'a container field written on UPDATE, other than its image',
    bad: mutate('{patchStrategicMerge: {spec: {containers: [{(name): "*", imagePullPolicy: Always}]}}}', pods),
    good: mutate('{patchStrategicMerge: {spec: {containers: [{(name): "*", image: "example.com/a:1"}]}}}', pods),
    path: 'containers[0].imagePullPolicy',
  },
  {
    id: 'mutate-immutable-pod-field',
    what: 'a JSON patch of a Pod on UPDATE',
    bad: mutate('{patchesJson6902: "- {op: add, path: /spec/hostname, value: x}"}', pods),
    good: mutate('{patchesJson6902: "- {op: add, path: /metadata/labels/x, value: x}"}', pods),
    path: 'patchesJson6902[0]',
  },
  {
    id: 'mutation-not-idempotent',
    what: 'a prefix put before the image each time',
    bad: mutate(
      `{foreach: [{list: request.object.spec.containers, patchStrategicMerge: {spec: {containers: [{name: "{{ element.name }}", image: "mirror.example.com/{{ element.image }}"}]}}}]}`,
    ),
    good: mutate(
      `{foreach: [{list: request.object.spec.containers, preconditions: {all: [{key: "{{ element.image }}", operator: NotEquals, value: "mirror.example.com/*"}]}, patchStrategicMerge: {spec: {containers: [{name: "{{ element.name }}", image: "mirror.example.com/{{ element.image }}"}]}}}]}`,
    ),
    path: 'mutate',
  },
  {
    id: 'mutation-not-idempotent',
    what: 'an element appended each time',
    bad: mutate('{patchesJson6902: "- {op: add, path: /spec/containers/-, value: {name: log, image: log:1}}"}'),
    good: mutate('{patchStrategicMerge: {spec: {containers: [{name: log, image: "log:1"}]}}}'),
    path: 'mutate',
  },
  {
    id: 'mutation-not-idempotent',
    what: 'a random value',
    bad: mutate(`{patchStrategicMerge: {metadata: {annotations: {id: "{{ random('[a-z0-9]{12}') }}"}}}}`),
    good: mutate(`{patchStrategicMerge: {metadata: {annotations: {+(id): "{{ random('[a-z0-9]{12}') }}"}}}}`),
    path: 'mutate',
  },
  {
    id: 'optional-key-required',
    what: 'initContainers wanted by a plain key',
    bad: validate('{spec: {initContainers: [{image: "example.com/*"}]}}'),
    good: validate('{spec: {=(initContainers): [{image: "example.com/*"}]}}'),
    path: 'spec.initContainers',
  },
  {
    id: 'optional-key-required',
    what: 'securityContext wanted although only its absence matters',
    bad: validate('{spec: {containers: [{securityContext: {privileged: false}}]}}'),
    good: validate('{spec: {containers: [{=(securityContext): {=(privileged): false}}]}}'),
    path: 'containers[0].securityContext',
  },
  {
    id: 'optional-key-required',
    what: 'hostNetwork wanted to be there and false',
    bad: validate('{spec: {hostNetwork: false}}'),
    good: validate('{spec: {=(hostNetwork): false}}'),
    path: 'spec.hostNetwork',
  },
  {
    id: 'optional-key-required',
    what: 'a setting that is on where it is absent may be asked for',
    bad: validate('{spec: {containers: [{securityContext: {privileged: false, procMount: "!Unmasked"}}]}}'),
    good: validate('{spec: {containers: [{securityContext: {allowPrivilegeEscalation: false}}]}}'),
    path: 'containers[0].securityContext',
  },
  {
    id: 'call-in-loop',
    what: 'a call that asks the same for each element',
    bad: looped('/api/v1/namespaces'),
    good: looped('/api/v1/namespaces/{{ element.name }}'),
    path: 'foreach[0].context[0]',
  },
  {
    id: 'text-pattern-for-structure',
    what: '?* on a map',
    bad: validate('{spec: {containers: [{resources: "?*"}]}}'),
    good: validate('{spec: {containers: [{resources: {limits: {memory: "?*"}}}]}}'),
    path: 'resources',
  },
  {
    id: 'text-pattern-for-structure',
    what: '?* on the labels',
    bad: validate('{metadata: {labels: "?*"}}'),
    good: validate('{metadata: {labels: {app: "?*"}}}'),
    path: 'metadata.labels',
  },
  {
    id: 'container-level-only',
    what: 'runAsNonRoot of containers alone',
    bad: validate('{spec: {containers: [{securityContext: {runAsNonRoot: true}}]}}'),
    good: validate(
      '{spec: {securityContext: {runAsNonRoot: true}, containers: [{=(securityContext): {=(runAsNonRoot): true}}]}}',
    ),
    path: 'securityContext.runAsNonRoot',
  },
  {
    id: 'deprecated-operator',
    what: 'operator In',
    bad: deny('{key: "{{ request.namespace }}", operator: In, value: [a]}'),
    good: deny('{key: "{{ request.namespace }}", operator: AnyIn, value: [a]}'),
    path: 'all[0].operator',
  },
  {
    id: 'deprecated-operator',
    what: 'operator NotEqual',
    bad: deny('{key: "{{ request.namespace }}", operator: NotEqual, value: a}'),
    good: deny('{key: "{{ request.namespace }}", operator: NotEquals, value: a}'),
    path: 'all[0].operator',
  },
  {
    id: 'operator-invalid',
    what: 'an operator of order in lower case',
    bad: deny('{key: 3, operator: greaterthan, value: 2}'),
    good: deny('{key: 3, operator: GreaterThan, value: 2}'),
    path: 'all[0].operator',
  },
  {
    id: 'quantity-as-text',
    what: 'quantities in a list of texts',
    bad: deny(
      '{key: "{{ request.object.spec.containers[0].resources.limits.memory }}", operator: AnyNotIn, value: [1Gi, 2Gi]}',
    ),
    good: deny(
      '{key: "{{ request.object.spec.containers[0].resources.limits.memory }}", operator: GreaterThan, value: 2Gi}',
    ),
    path: 'all[0].operator',
  },
  {
    id: 'quantity-as-text',
    what: 'quantities compared in an expression',
    bad: deny(
      `{key: "{{ request.object.spec.containers[?resources.limits.cpu > '100m'] | length(@) }}", operator: GreaterThan, value: 0}`,
    ),
    good: deny(
      `{key: "{{ request.object.spec.containers[0].resources.limits.cpu }}", operator: GreaterThan, value: 100m}`,
    ),
    path: 'all[0].key',
  },
  {
    id: 'call-in-loop',
    what: 'an API call for each container',
    bad: `
- name: r
  ${pods}
  validate:
    message: Every object must be as the handbook says.
    foreach:
      - list: request.object.spec.containers
        context: [{name: spaces, apiCall: {urlPath: "/api/v1/namespaces"}}]
        deny: {conditions: {all: [{key: "{{ spaces }}", operator: Equals, value: a}]}}
`,
    good: `
- name: r
  ${pods}
  context: [{name: spaces, apiCall: {urlPath: "/api/v1/namespaces"}}]
  validate:
    message: Every object must be as the handbook says.
    foreach:
      - list: request.object.spec.containers
        deny: {conditions: {all: [{key: "{{ spaces }}", operator: Equals, value: a}]}}
`,
    path: 'foreach[0].context[0]',
  },
  {
    id: 'cel-without-has',
    what: 'a CEL expression on a field that may be absent',
    bad: `
- name: r
  ${pods}
  validate:
    cel: {expressions: [{expression: "object.spec.containers.all(c, c.resources.limits.memory != '')", message: set limits}]}
`,
    good: `
- name: r
  ${pods}
  validate:
    cel: {expressions: [{expression: "object.spec.containers.all(c, has(c.resources) && has(c.resources.limits) && 'memory' in c.resources.limits)", message: set limits}]}
`,
    path: 'expressions[0].expression',
  },
  {
    id: 'quantity-as-text',
    what: 'quantities compared as texts in CEL',
    bad: `
- name: r
  ${pods}
  validate:
    cel: {expressions: [{expression: "object.spec.containers.all(c, has(c.resources.limits.cpu) && c.resources.limits.cpu > '100m')", message: set limits}]}
`,
    good: `
- name: r
  ${pods}
  validate:
    cel: {expressions: [{expression: "object.spec.containers.all(c, has(c.resources.limits.cpu) && quantity(c.resources.limits.cpu).isGreaterThan(quantity('100m')))", message: set limits}]}
`,
    path: 'expressions[0].expression',
  },
  {
    id: 'message-missing',
    what: 'a rule without message',
    bad: `\n- name: r\n  ${pods}\n  validate: {pattern: {metadata: {name: "?*"}}}`,
    good: validate('{metadata: {name: "?*"}}'),
    path: 'validate',
  },
  {
    id: 'message-without-advice',
    what: 'a message that only complains',
    bad: `\n- name: r\n  ${pods}\n  validate: {message: Validation failed badly., pattern: {metadata: {name: "?*"}}}`,
    good: `\n- name: r\n  ${pods}\n  validate: {message: "Set the label owner to your team's name.", pattern: {metadata: {name: "?*"}}}`,
    path: 'validate.message',
  },
];

describe('lint', () => {
  for (const {id, what, bad, good, badSpec, goodSpec, path} of cases) {
    it(`${id}: ${what}`, async () => {
      const found = (await lint(bad, badSpec)).filter(finding => finding.id === id);
      expect(found.length).toBeGreaterThan(0);
      expect(found[0]?.path.endsWith(path), found[0]?.path).toBe(true);
      expect(found[0]?.hint).not.toBe(id === 'background-user-info' ? undefined : '');
    });
    it(`${id}: not without it (${what})`, async () => {
      const findings = await lint(good, goodSpec);
      expect(findings.filter(finding => finding.id === id)).toEqual([]);
      expect(findings.filter(finding => finding.severity === 'error' && finding.id !== id)).toEqual([]);
    });
  }

  it('has a case for everything in its catalogue', () => {
    // Those of policies written in CEL are shown beside their code.
    const shown = new Set([...cases.map(({id}) => id), ...celCatalogue.map(({id}) => id)]);
    expect(lintCatalogue.map(({id}) => id).filter(id => !shown.has(id))).toEqual([]);
  });

  it('tries mutate rules on given objects too', async () => {
    const rule = mutate(
      `{patchStrategicMerge: {metadata: {annotations: {count: "{{ to_number(request.object.metadata.annotations.count) }}1"}}}}`,
      'match: {any: [{resources: {kinds: [ConfigMap]}}]}',
    );
    expect((await lint(rule)).map(({id}) => id)).not.toContain('mutation-not-idempotent');
    const sample = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: {name: 'c', namespace: 'n', annotations: {count: '1'}},
    };
    expect((await lint(rule, '{}', [sample])).map(({id}) => id)).toContain('mutation-not-idempotent');
  });

  it('tells a selection of everything that can lock the cluster from one that only watches', async () => {
    const rule = validate('{metadata: {name: "?*"}}', 'match: {any: [{resources: {kinds: ["*"]}}]}');
    const severity = async (spec: string) =>
      (await lint(rule, spec)).find(({id}) => id === 'match-everything')?.severity;
    expect(await severity('{}')).toBe('error');
    expect(await severity('{failurePolicy: Ignore}')).toBe('warning');
    expect(await severity('{validationFailureAction: Audit}')).toBe('warning');
  });

  it('shows every fault of a policy that cannot be loaded, as errors', async () => {
    const findings = await lint('- name: r\n  match: {any: [{resources: {kinds: [Pod]}}]}\n- match: {}');
    expect(findings.length).toBeGreaterThan(1);
    expect(findings.filter(({severity}) => severity === 'error').length).toBeGreaterThan(1);
  });
});
