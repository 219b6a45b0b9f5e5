import {existsSync, readdirSync, readFileSync} from 'node:fs';
import {join, resolve} from 'node:path';
import {describe, expect, it} from 'vitest';
import {parse} from 'yaml';
import {readManifests} from '../../../adapters/files/manifests.js';
import {createOfflineContextLoader} from '../../../adapters/offline-context-loader.js';
import {createRegexEngine} from '../../../adapters/regex/regex-engine.js';
import {builtinResourceMap} from '../../../engine/builtin-resources.js';
import {formatDiagnostic} from '../../../engine/diagnostic.js';
import {type Json, type JsonObject, own, ownPath} from '../../../engine/json/types.js';
import {createEngine} from '../../../engine/run/create-engine.js';
import {PolicyCache} from '../../../engine/snapshot/policy-cache.js';
import {type bodyNames, generateBody} from '../../bench/bodies.js';
import {crowdedPolicies, namespacedPolicies, podPolicies, policyName} from '../../bench/policy-sets.js';
import {engineRequest} from '../../guide/request.js';

const policies = podPolicies();

function engineOf(served: readonly JsonObject[]) {
  const cache = new PolicyCache({
    resources: () => builtinResourceMap,
    compile: {matchConditions: 'not-available'},
    exceptions: {enabled: false, operatorNamespace: '', exceptionNamespace: ''},
  });
  for (const policy of served) {
    const state = cache.putPolicy(policy);
    if (state.status === 'refused') throw new Error(state.problems.map(formatDiagnostic).join('\n'));
  }
  const loader = createOfflineContextLoader({resources: [], resourceMap: builtinResourceMap, now: () => 0});
  return createEngine({policies: cache, loader, regex: createRegexEngine()});
}

type Verdict = 'pass' | 'fail' | 'error' | 'none';

async function verdicts(served: readonly JsonObject[], object: JsonObject): Promise<Record<string, Verdict>> {
  const request = engineRequest({operation: 'CREATE', object});
  const {results} = await engineOf(served).validate(request, {bucket: 'enforce', deadline: Number.POSITIVE_INFINITY});
  const found: Record<string, Verdict> = Object.fromEntries(served.map(policy => [policyName(policy), 'none']));
  for (const {policy, rules} of results) {
    const statuses = rules.map(rule => rule.status);
    found[policy.name] = statuses.includes('error') ? 'error' : statuses.includes('fail') ? 'fail' : 'pass';
  }
  return found;
}

const safe: JsonObject = {
  allowPrivilegeEscalation: false,
  runAsNonRoot: true,
  capabilities: {drop: ['ALL']},
  seccompProfile: {type: 'RuntimeDefault'},
};

interface PodParts {
  readonly metadata?: JsonObject;
  readonly spec?: JsonObject;
  readonly container?: JsonObject;
  readonly security?: JsonObject;
}

function pod(parts: PodParts = {}): JsonObject {
  const container = {name: 'main', image: 'registry.example.org/app:1', securityContext: {...safe, ...parts.security}};
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {name: 'app', namespace: 'shop', ...parts.metadata},
    spec: {containers: [{...container, ...parts.container}], ...parts.spec},
  };
}

const bare = (more: JsonObject = {}): PodParts => ({container: {securityContext: more}});
const apparmor = 'container.apparmor.security.beta.kubernetes.io/main';

/** Per policy: Pods that pass and Pods that fail. */
const fixtures: Readonly<Record<string, {readonly pass: readonly PodParts[]; readonly fail: readonly PodParts[]}>> = {
  'pod-added-capabilities': {
    pass: [{}, bare({capabilities: {add: ['CHOWN', 'KILL']}})],
    fail: [
      bare({capabilities: {add: ['CHOWN', 'SYS_ADMIN']}}),
      {spec: {initContainers: [{name: 'i', securityContext: {capabilities: {add: ['NET_RAW']}}}]}},
    ],
  },
  'pod-apparmor': {
    pass: [
      {},
      {metadata: {annotations: {[apparmor]: 'runtime/default', other: 'x'}}},
      {metadata: {annotations: {[apparmor]: 'localhost/a'}}},
    ],
    fail: [{metadata: {annotations: {[apparmor]: 'unconfined'}}}],
  },
  'pod-drop-all-capabilities': {
    pass: [{}, {security: {capabilities: {drop: ['all'], add: ['NET_BIND_SERVICE']}}}],
    fail: [
      bare(),
      {security: {capabilities: {drop: ['KILL']}}},
      {security: {capabilities: {drop: ['ALL'], add: ['CHOWN']}}},
      {spec: {ephemeralContainers: [{name: 'e'}]}},
    ],
  },
  'pod-host-namespaces': {
    pass: [{}, {spec: {hostNetwork: false, hostPID: false, hostIPC: false}}],
    fail: [{spec: {hostNetwork: true}}, {spec: {hostPID: true}}, {spec: {hostIPC: true}}],
  },
  'pod-host-path': {
    pass: [{}, {spec: {volumes: [{name: 'a', emptyDir: {}}]}}],
    fail: [
      {
        spec: {
          volumes: [
            {name: 'a', emptyDir: {}},
            {name: 'b', hostPath: {path: '/etc'}},
          ],
        },
      },
    ],
  },
  'pod-host-ports': {
    pass: [{}, {container: {ports: [{containerPort: 80}, {containerPort: 81, hostPort: 0}]}}],
    fail: [
      {container: {ports: [{containerPort: 80, hostPort: 80}]}},
      {spec: {initContainers: [{name: 'i', ports: [{containerPort: 1, hostPort: 1}]}]}},
    ],
  },
  'pod-host-process': {
    pass: [{}, {security: {windowsOptions: {hostProcess: false}}}],
    fail: [
      {security: {windowsOptions: {hostProcess: true}}},
      {spec: {securityContext: {windowsOptions: {hostProcess: true}}}},
    ],
  },
  'pod-no-privilege-escalation': {
    pass: [{}],
    fail: [bare(), {security: {allowPrivilegeEscalation: true}}, {spec: {initContainers: [{name: 'i'}]}}],
  },
  'pod-privileged': {
    pass: [{}, {security: {privileged: false}}],
    fail: [
      {security: {privileged: true}},
      {spec: {ephemeralContainers: [{name: 'e', securityContext: {privileged: true}}]}},
    ],
  },
  'pod-proc-mount': {
    pass: [{}, {security: {procMount: 'Default'}}],
    fail: [{security: {procMount: 'Unmasked'}}],
  },
  'pod-run-as-non-root': {
    pass: [{}, {...bare(), spec: {securityContext: {runAsNonRoot: true}}}],
    fail: [
      bare(),
      {security: {runAsNonRoot: false}},
      {security: {runAsNonRoot: false}, spec: {securityContext: {runAsNonRoot: true}}},
    ],
  },
  'pod-seccomp': {
    pass: [{}, bare(), {security: {seccompProfile: {type: 'Localhost', localhostProfile: 'a'}}}],
    fail: [
      {security: {seccompProfile: {type: 'Unconfined'}}},
      {spec: {securityContext: {seccompProfile: {type: 'Unconfined'}}}},
    ],
  },
  'pod-seccomp-declared': {
    pass: [{}, {...bare(), spec: {securityContext: {seccompProfile: {type: 'Localhost'}}}}],
    fail: [bare(), {security: {seccompProfile: {type: 'Unconfined'}}}],
  },
  'pod-selinux': {
    pass: [{}, {security: {seLinuxOptions: {type: 'container_t', level: 's0'}}}],
    fail: [
      {security: {seLinuxOptions: {type: 'spc_t'}}},
      {security: {seLinuxOptions: {user: 'u'}}},
      {spec: {securityContext: {seLinuxOptions: {role: 'r'}}}},
    ],
  },
  'pod-sysctls': {
    pass: [{}, {spec: {securityContext: {sysctls: [{name: 'net.ipv4.tcp_syncookies', value: '1'}]}}}],
    fail: [{spec: {securityContext: {sysctls: [{name: 'kernel.msgmax', value: '1'}]}}}],
  },
  'pod-user-id': {
    pass: [{}, {security: {runAsUser: 1}}, {spec: {securityContext: {runAsUser: 1000}}}],
    fail: [{security: {runAsUser: 0}}, {spec: {securityContext: {runAsUser: 0}}}],
  },
  'pod-volume-types': {
    pass: [
      {},
      {
        spec: {
          volumes: [
            {name: 'a', configMap: {name: 'a'}},
            {name: 'b', projected: {sources: []}},
          ],
        },
      },
    ],
    fail: [
      {
        spec: {
          volumes: [
            {name: 'a', emptyDir: {}},
            {name: 'b', nfs: {server: 's', path: '/'}},
          ],
        },
      },
    ],
  },
};

describe('the bench policies', () => {
  it('are seventeen, each with Pods for both sides', () => {
    expect(policies).toHaveLength(17);
    expect(policies.map(policyName).sort()).toEqual(Object.keys(fixtures).sort());
  });

  const rows = policies.flatMap(policy => {
    const {pass, fail} = fixtures[policyName(policy)] ?? {pass: [], fail: []};
    return [
      ...pass.map((parts, index) => [policyName(policy), 'pass', index, parts, policy] as const),
      ...fail.map((parts, index) => [policyName(policy), 'fail', index, parts, policy] as const),
    ];
  });
  it.each(rows)('%s: %s %i', async (name, want, _index, parts, policy) => {
    expect((await verdicts([policy], pod(parts)))[name]).toBe(want);
  });

  it('let the good body through and stop the bad one', async () => {
    const object = (name: (typeof bodyNames)[number]) =>
      ownPath(JSON.parse(generateBody(name)) as Json, 'request', 'object') as JsonObject;
    for (const name of ['good', 'update', 'large'] as const) {
      expect(new Set(Object.values(await verdicts(policies, object(name)))), name).toEqual(new Set(['pass']));
    }
    expect((await verdicts(policies, object('bad')))['pod-privileged']).toBe('fail');
  });

  it('say the same among bystanders', async () => {
    const crowd = crowdedPolicies(150);
    expect(crowd).toHaveLength(150);
    const found = Object.values(await verdicts(crowd, pod({security: {privileged: true}})));
    expect(found.filter(verdict => verdict !== 'none')).toHaveLength(17);
    expect(found.filter(verdict => verdict === 'fail')).toHaveLength(1);
    const away = namespacedPolicies(40);
    expect(Object.values(await verdicts(away, pod()))).toEqual(away.map(() => 'none'));
  });
});

describe('the bench bodies', () => {
  it.each([
    ['good', 4500, 8000],
    ['bad', 4500, 8000],
    ['update', 9000, 16_000],
    ['large', 80_000, 120_000],
  ] as const)('%s has its size', (name, low, high) => {
    const {length} = generateBody(name);
    expect(length).toBeGreaterThan(low);
    expect(length).toBeLessThan(high);
  });
});

/** Suites of the same control, where a copy of the field's suites is at hand. */
const suites: Readonly<Record<string, string>> = {
  'baseline/disallow-capabilities': 'pod-added-capabilities',
  'baseline/disallow-host-process': 'pod-host-process',
  'baseline/disallow-privileged-containers': 'pod-privileged',
  'baseline/disallow-proc-mount': 'pod-proc-mount',
  'baseline/disallow-selinux': 'pod-selinux',
  'baseline/restrict-seccomp': 'pod-seccomp',
  'baseline/restrict-sysctls': 'pod-sysctls',
  'restricted/disallow-privilege-escalation': 'pod-no-privilege-escalation',
  'restricted/require-run-as-non-root-user': 'pod-user-id',
  'restricted/require-run-as-nonroot': 'pod-run-as-non-root',
  'restricted/restrict-seccomp-strict': 'pod-seccomp-declared',
};

const suitesRoot = [
  process.env['CONFORMANCE_DIR'],
  resolve(import.meta.dirname, '..', '..', '..', '..', 'shared', 'conformance'),
]
  .filter(path => path !== undefined)
  .map(path => join(path, 'policies-cli', 'pod-security'))
  .find(path => existsSync(path));

describe.skipIf(suitesRoot === undefined)('the same verdicts as the field’s suites', () => {
  it.each(Object.entries(suites))('%s', async (path, name) => {
    const folder = join(suitesRoot ?? '', path, '.kyverno-test');
    const policy = policies.filter(candidate => policyName(candidate) === name);
    const expected = expectations(join(folder, 'kyverno-test.yaml'));
    const files = readdirSync(folder).filter(file => file.startsWith('resource'));
    const {manifests} = readManifests(
      files.map(file => ({path: file, text: readFileSync(join(folder, file), 'utf8')})),
    );
    let judged = 0;
    for (const {object} of manifests) {
      const key = `${String(own(object, 'kind'))}/${String(ownPath(object, 'metadata', 'name'))}`;
      const want = expected.get(key);
      if (want === undefined) continue;
      expect((await verdicts(policy, object))[name], key).toBe(want);
      judged += 1;
    }
    expect(judged).toBeGreaterThan(5);
  });
});

/** By `Kind/name`: a resource that any rule refuses is refused. */
function expectations(file: string): Map<string, Verdict> {
  const test = parse(readFileSync(file, 'utf8')) as JsonObject;
  const found = new Map<string, Verdict>();
  for (const result of list(own(test, 'results'))) {
    for (const resource of list(own(result, 'resources'))) {
      const key = `${String(own(result as JsonObject, 'kind'))}/${String(resource)}`;
      const verdict = own(result as JsonObject, 'result') === 'fail' ? 'fail' : 'pass';
      if (found.get(key) !== 'fail') found.set(key, verdict);
    }
  }
  return found;
}

function list(value: Json | undefined): JsonObject[] {
  return Array.isArray(value) ? (value as JsonObject[]) : [];
}
