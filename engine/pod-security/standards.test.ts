import {describe, expect, it} from 'vitest';
import {Budget, defaultLimits} from '../budget.js';
import type {JsonObject} from '../json/types.js';
import {viewPod} from './pod-view.js';
import {registeredChecks} from './registry.js';
import {compileStandard, type StandardCheck, violationsOf} from './standard.js';
import {goodContainer, goodPod, inEachList, lists} from './testing/pods.js';

/** Every version at which a check begins or changes, the one before it, and the newest. */
const boundaries = [...new Set(registeredChecks.flatMap(check => check.versions.map(({since}) => since)))];
const minors = [...new Set(boundaries.flatMap(minor => [Math.max(0, minor - 1), minor]))].sort((a, b) => a - b);
const versions = [
  ...minors.map(minor => [minor, `v1.${minor}`] as const),
  [Number.POSITIVE_INFINITY, 'latest'] as const,
];

/** A check that objects from one minor version of 1.x to another, both included. */
type Objection = readonly [check: string, since: number, until?: number];

interface Case {
  readonly name: string;
  readonly pods: ReadonlyArray<readonly [where: string, pod: JsonObject]>;
  readonly baseline?: readonly Objection[];
  /** Instead of `baseline` at the restricted level. */
  readonly restricted?: readonly Objection[];
}

const standards = versions.map(([minor, version]) => ({
  minor,
  version,
  baseline: compileStandard('baseline', version),
  restricted: compileStandard('restricted', version),
}));

function failing(pod: JsonObject, standard: readonly StandardCheck[]): string {
  const view = viewPod(pod, [], new Budget(defaultLimits, () => 0));
  return (violationsOf(standard, view) ?? []).map(({check}) => check.source.id).join(' ');
}

function expected(objections: readonly Objection[], minor: number): string {
  return objections
    .filter(([, since, until = Number.POSITIVE_INFINITY]) => minor >= since && minor <= until)
    .map(([check]) => check)
    .join(' ');
}

function one(pod: JsonObject): Case['pods'] {
  return [['the Pod', pod]];
}

function both(name: string, allowed: ReadonlyArray<readonly [string, Case['pods']]>, bad: readonly Case[]): Case[] {
  return [
    ...allowed.map(([what, pods]) => ({name: `${name}: ${what} is allowed`, pods})),
    ...bad.map(item => ({...item, name: `${name}: ${item.name}`})),
  ];
}

const volume = (source: JsonObject): Case['pods'] => one(goodPod({spec: {volumes: [{name: 'v', ...source}]}}));
const always = (check: string): Pick<Case, 'baseline'> => ({baseline: [[check, 0]]});
const strict = (check: string, since = 0, until?: number): Pick<Case, 'restricted'> => ({
  restricted: [until === undefined ? [check, since] : [check, since, until]],
});

const capabilities: Objection[] = [
  ['capabilities_baseline', 0, 21],
  ['capabilities_restricted', 22],
];
const seccomp: Objection[] = [['seccompProfile_baseline', 19]];
const seccompStrict: Objection[] = [['seccompProfile_restricted', 19]];
const noSecurity = (list: string): JsonObject => {
  const pod = goodPod({spec: {[list]: [{name: 'odd', image: 'odd:1'}]}});
  return {...pod, spec: {...(pod['spec'] as JsonObject), securityContext: null}};
};

const cases: Case[] = [
  {name: 'a Pod that keeps every rule is allowed', pods: one(goodPod())},
  {
    name: 'a Pod without containers is allowed',
    pods: one(goodPod({spec: {initContainers: null, containers: [], ephemeralContainers: null}})),
  },

  ...both(
    'Host Namespaces',
    [['false and null', one(goodPod({spec: {hostNetwork: false, hostPID: null}}))]],
    ['hostNetwork', 'hostPID', 'hostIPC'].map(field => ({
      name: `${field} is forbidden`,
      pods: one(goodPod({spec: {[field]: true}})),
      ...always('hostNamespaces'),
    })),
  ),

  ...both(
    'Privileged Containers',
    [['false', inEachList({}, {privileged: false})]],
    [{name: 'true is forbidden', pods: inEachList({}, {privileged: true}), ...always('privileged')}],
  ),

  ...both(
    'Capabilities',
    [
      ['NET_BIND_SERVICE', inEachList({}, {capabilities: {drop: ['ALL'], add: ['NET_BIND_SERVICE']}})],
      ['an empty list', inEachList({}, {capabilities: {drop: ['ALL'], add: []}})],
      ['dropping more than ALL', inEachList({}, {capabilities: {drop: ['NET_RAW', 'ALL']}})],
    ],
    [
      ...'AUDIT_WRITE CHOWN DAC_OVERRIDE FOWNER FSETID KILL MKNOD SETFCAP SETGID SETPCAP SETUID SYS_CHROOT'
        .split(' ')
        .map(name => ({
          name: `${name} is default, but not for restricted`,
          pods: inEachList({}, {capabilities: {drop: ['ALL'], add: [name]}}),
          ...strict('capabilities_restricted', 22),
        })),
      ...['NET_ADMIN', 'NET_RAW', 'SYS_ADMIN', 'ALL', 'chown', 'CAP_CHOWN', ''].map(name => ({
        name: `"${name}" is forbidden`,
        pods: inEachList({}, {capabilities: {drop: ['ALL'], add: ['CHOWN', name]}}),
        ...always('capabilities_baseline'),
        restricted: capabilities,
      })),
      {
        name: 'not dropping ALL is not restricted',
        pods: inEachList({}, {capabilities: {drop: ['NET_RAW']}}),
        ...strict('capabilities_restricted', 22),
      },
      {
        name: 'all in small letters is not ALL',
        pods: inEachList({}, {capabilities: {drop: ['all']}}),
        ...strict('capabilities_restricted', 22),
      },
      {
        name: 'dropping nothing is not restricted',
        pods: inEachList({}, {capabilities: {}}),
        ...strict('capabilities_restricted', 22),
      },
      {
        name: 'no capabilities at all is not restricted',
        pods: inEachList({}, {capabilities: null}),
        ...strict('capabilities_restricted', 22),
      },
      {
        name: 'Windows Pods need none from 1.25',
        pods: one(goodPod({spec: {os: {name: 'windows'}, containers: [goodContainer('w', {}, {capabilities: null})]}})),
        ...strict('capabilities_restricted', 22, 24),
      },
      {
        name: 'Linux Pods need them',
        pods: one(goodPod({spec: {os: {name: 'linux'}, containers: [goodContainer('w', {}, {capabilities: null})]}})),
        ...strict('capabilities_restricted', 22),
      },
    ],
  ),

  ...both(
    'Volumes',
    [
      ...[
        'configMap',
        'csi',
        'downwardAPI',
        'emptyDir',
        'ephemeral',
        'image',
        'persistentVolumeClaim',
        'projected',
        'secret',
      ].map(source => [source, volume({[source]: {}})] as const),
      ['no volume', one(goodPod({spec: {volumes: null}}))],
    ],
    [
      {
        name: 'hostPath is forbidden',
        pods: volume({hostPath: {path: '/'}}),
        ...always('hostPathVolumes'),
        ...strict('restrictedVolumes'),
      },
      ...(
        'gcePersistentDisk awsElasticBlockStore gitRepo nfs iscsi glusterfs rbd flexVolume cinder cephfs flocker fc azureFile ' +
        'vsphereVolume quobyte azureDisk photonPersistentDisk portworxVolume scaleIO storageos somethingNew'
      )
        .split(' ')
        .map(source => ({
          name: `${source} is not restricted`,
          pods: volume({[source]: {}}),
          ...strict('restrictedVolumes'),
        })),
      {
        name: 'a volume without a source is not restricted',
        pods: volume({emptyDir: null}),
        ...strict('restrictedVolumes'),
      },
    ],
  ),

  ...both(
    'Host Ports',
    [['0 and absent', inEachList({ports: [{containerPort: 80, hostPort: 0}, {containerPort: 81}]})]],
    [
      {
        name: 'any other is forbidden',
        pods: inEachList({ports: [{containerPort: 80}, {containerPort: 81, hostPort: 8081}]}),
        ...always('hostPorts'),
      },
    ],
  ),

  ...both(
    'AppArmor',
    [
      ...['RuntimeDefault', 'Localhost'].flatMap(type => [
        [`${type} of containers`, inEachList({}, {appArmorProfile: {type}})] as const,
        [`${type} of the Pod`, one(goodPod({security: {appArmorProfile: {type}}}))] as const,
      ]),
      ...['runtime/default', 'localhost/mine', ''].map(
        value =>
          [
            `annotation "${value}"`,
            one(goodPod({annotations: {'container.apparmor.security.beta.kubernetes.io/main': value}})),
          ] as const,
      ),
      ['another annotation', one(goodPod({annotations: {'apparmor.security.beta.kubernetes.io/main': 'unconfined'}}))],
    ],
    [
      ...['Unconfined', 'runtime/default', ''].flatMap(type => [
        {
          name: `"${type}" of containers is forbidden`,
          pods: inEachList({}, {appArmorProfile: {type}}),
          ...always('appArmorProfile'),
        },
        {
          name: `"${type}" of the Pod is forbidden`,
          pods: one(goodPod({security: {appArmorProfile: {type}}})),
          ...always('appArmorProfile'),
        },
      ]),
      ...['unconfined', 'localhost', 'docker/default'].map(value => ({
        name: `annotation "${value}" is forbidden`,
        pods: one(goodPod({annotations: {'container.apparmor.security.beta.kubernetes.io/nobody': value}})),
        ...always('appArmorProfile'),
      })),
    ],
  ),

  ...both(
    'SELinux',
    [
      ...['', 'container_t', 'container_init_t', 'container_kvm_t'].flatMap(type => [
        [`type "${type}" of containers`, inEachList({}, {seLinuxOptions: {type}})] as const,
        [`type "${type}" of the Pod`, one(goodPod({security: {seLinuxOptions: {type, user: '', role: ''}}}))] as const,
      ]),
      ['a level', inEachList({}, {seLinuxOptions: {level: 's0:c123'}})],
    ],
    [
      ...[{type: 'spc_t'}, {user: 'sysadm_u'}, {role: 'sysadm_r'}].flatMap(options => [
        {
          name: `${Object.keys(options)} of containers is forbidden`,
          pods: inEachList({}, {seLinuxOptions: options}),
          ...always('seLinuxOptions'),
        },
        {
          name: `${Object.keys(options)} of the Pod is forbidden`,
          pods: one(goodPod({security: {seLinuxOptions: options}})),
          ...always('seLinuxOptions'),
        },
      ]),
      {
        name: 'container_engine_t is allowed from 1.31',
        pods: inEachList({}, {seLinuxOptions: {type: 'container_engine_t'}}),
        baseline: [['seLinuxOptions', 0, 30]],
      },
    ],
  ),

  ...both(
    '/proc Mount Type',
    [['Default', inEachList({}, {procMount: 'Default'})]],
    [
      {
        name: 'Unmasked is forbidden',
        pods: inEachList({}, {procMount: 'Unmasked'}),
        ...always('procMount'),
        restricted: [
          ['procMount', 0, 34],
          ['procMount_restricted', 35],
        ],
      },
      {
        name: 'Unmasked in a user namespace is baseline from 1.35',
        pods: one(goodPod({spec: {hostUsers: false, containers: [goodContainer('odd', {}, {procMount: 'Unmasked'})]}})),
        baseline: [['procMount', 0, 34]],
        restricted: [
          ['procMount', 0, 34],
          ['procMount_restricted', 35],
        ],
      },
    ],
  ),

  ...both(
    'Seccomp',
    [
      ...['RuntimeDefault', 'Localhost'].flatMap(type => [
        [`${type} of containers`, inEachList({}, {seccompProfile: {type}})] as const,
        [`${type} of the Pod`, one(goodPod({security: {seccompProfile: {type}}}))] as const,
      ]),
      [
        'a profile of each container and none of the Pod',
        one(
          goodPod({
            security: {seccompProfile: null},
            spec: Object.fromEntries(
              lists.map(list => [
                list,
                [goodContainer(`in-${list}`.toLowerCase(), {}, {seccompProfile: {type: 'Localhost'}})],
              ]),
            ),
          }),
        ),
      ],
      [
        'an annotation for a container that is not there',
        one(goodPod({annotations: {'container.seccomp.security.alpha.kubernetes.io/gone': 'unconfined'}})),
      ],
      ...['runtime/default', 'docker/default', 'localhost/mine.json'].map(
        value =>
          [
            `annotation ${value}`,
            one(goodPod({annotations: {'seccomp.security.alpha.kubernetes.io/pod': value}})),
          ] as const,
      ),
    ],
    [
      ...['Unconfined', '', 'runtime/default'].flatMap(type => [
        {
          name: `"${type}" of containers is forbidden`,
          pods: inEachList({}, {seccompProfile: {type}}),
          baseline: seccomp,
          restricted: seccompStrict,
        },
        {
          name: `"${type}" of the Pod is forbidden`,
          pods: one(goodPod({security: {seccompProfile: {type}}})),
          baseline: seccomp,
          restricted: seccompStrict,
        },
      ]),
      {
        name: 'no profile is not restricted',
        pods: one(goodPod({security: {seccompProfile: null}})),
        restricted: seccompStrict,
      },
      {
        name: 'a bad profile of the Pod is forbidden though each container has a good one',
        pods: one(
          goodPod({
            security: {seccompProfile: {type: 'Unconfined'}},
            spec: Object.fromEntries(
              lists.map(list => [list, [goodContainer('odd', {}, {seccompProfile: {type: 'Localhost'}})]]),
            ),
          }),
        ),
        baseline: seccomp,
        restricted: seccompStrict,
      },
      ...['unconfined', '', 'localhost'].flatMap(value => [
        {
          name: `annotation "${value}" of the Pod counts before 1.19`,
          pods: one(goodPod({annotations: {'seccomp.security.alpha.kubernetes.io/pod': value}})),
          baseline: [['seccompProfile_baseline', 0, 18]] as Objection[],
        },
        ...['init', 'main', 'debug'].map(container => ({
          name: `annotation "${value}" of container ${container} counts before 1.19`,
          pods: one(goodPod({annotations: {[`container.seccomp.security.alpha.kubernetes.io/${container}`]: value}})),
          baseline: [['seccompProfile_baseline', 0, 18]] as Objection[],
        })),
      ]),
      {
        name: 'Windows Pods need none from 1.25',
        pods: one(goodPod({security: {seccompProfile: null}, spec: {os: {name: 'windows'}}})),
        ...strict('seccompProfile_restricted', 19, 24),
      },
    ],
  ),

  ...both(
    'Sysctls',
    [
      ...'kernel.shm_rmid_forced net.ipv4.ip_local_port_range net.ipv4.tcp_syncookies net.ipv4.ping_group_range net.ipv4.ip_unprivileged_port_start'
        .split(' ')
        .map(name => [name, one(goodPod({security: {sysctls: [{name, value: '0'}]}}))] as const),
      ['an empty list', one(goodPod({security: {sysctls: []}}))],
    ],
    [
      {
        name: 'any other is forbidden',
        pods: one(
          goodPod({security: {sysctls: [{name: 'kernel.shm_rmid_forced'}, {name: 'kernel.msgmax', value: '1'}]}}),
        ),
        ...always('sysctls'),
      },
      ...Object.entries({
        27: ['net.ipv4.ip_local_reserved_ports'],
        29: [
          'net.ipv4.tcp_keepalive_time',
          'net.ipv4.tcp_fin_timeout',
          'net.ipv4.tcp_keepalive_intvl',
          'net.ipv4.tcp_keepalive_probes',
        ],
        32: ['net.ipv4.tcp_rmem', 'net.ipv4.tcp_wmem'],
        37: ['net.ipv4.tcp_slow_start_after_idle', 'net.ipv4.tcp_notsent_lowat'],
      }).flatMap(([since, names]) =>
        names.map(name => ({
          name: `${name} is allowed from 1.${since}`,
          pods: one(goodPod({security: {sysctls: [{name, value: '1'}]}})),
          baseline: [['sysctls', 0, Number(since) - 1]] as Objection[],
        })),
      ),
    ],
  ),

  ...both(
    'HostProcess',
    [['false', inEachList({}, {windowsOptions: {hostProcess: false}})]],
    [
      {
        name: 'true of containers is forbidden',
        pods: inEachList({}, {windowsOptions: {hostProcess: true}}),
        ...always('windowsHostProcess'),
      },
      {
        name: 'true of the Pod is forbidden',
        pods: one(goodPod({security: {windowsOptions: {hostProcess: true}}})),
        ...always('windowsHostProcess'),
      },
    ],
  ),

  ...both(
    'Host probes and lifecycle hooks',
    [
      [
        'an empty host',
        inEachList({livenessProbe: {httpGet: {port: 80, host: ''}}, lifecycle: {preStop: {exec: {command: ['true']}}}}),
      ],
      ['no host', inEachList({startupProbe: {tcpSocket: {port: 80}}, readinessProbe: {grpc: {port: 1}}})],
    ],
    ['livenessProbe', 'readinessProbe', 'startupProbe', 'lifecycle.postStart', 'lifecycle.preStop'].flatMap(place =>
      ['httpGet', 'tcpSocket'].map(action => ({
        name: `a host in ${place}.${action} is forbidden from 1.34`,
        pods: inEachList(
          place.split('.').reduceRight<JsonObject>((inner, key) => ({[key]: inner}), {[action]: {host: '10.0.0.1'}}),
        ),
        baseline: [['hostProbesAndHostLifecycle', 34]] as Objection[],
      })),
    ),
  ),

  ...both(
    'Privilege Escalation',
    [],
    [
      ...[true, null].map(value => ({
        name: `${value} is not restricted from 1.8`,
        pods: inEachList({}, {allowPrivilegeEscalation: value}),
        ...strict('allowPrivilegeEscalation', 8),
      })),
      {
        name: 'Windows Pods are exempt from 1.25',
        pods: one(
          goodPod({
            spec: {os: {name: 'windows'}, containers: [goodContainer('w', {}, {allowPrivilegeEscalation: null})]},
          }),
        ),
        ...strict('allowPrivilegeEscalation', 8, 24),
      },
    ],
  ),

  ...both(
    'Running as Non-root',
    [
      [
        'true of each container and nothing of the Pod',
        one(
          goodPod({
            security: {runAsNonRoot: null},
            spec: Object.fromEntries(lists.map(list => [list, [goodContainer('odd', {}, {runAsNonRoot: true})]])),
          }),
        ),
      ],
    ],
    [
      {
        name: 'false of containers is not restricted',
        pods: inEachList({}, {runAsNonRoot: false}),
        ...strict('runAsNonRoot'),
      },
      {
        name: 'false of the Pod is not restricted',
        pods: one(goodPod({security: {runAsNonRoot: false}})),
        ...strict('runAsNonRoot'),
      },
      {
        name: 'nothing at all is not restricted',
        pods: one(goodPod({security: {runAsNonRoot: null}})),
        ...strict('runAsNonRoot'),
      },
      {
        name: 'a user namespace is enough from 1.35',
        pods: one(goodPod({security: {runAsNonRoot: null}, spec: {hostUsers: false}})),
        ...strict('runAsNonRoot', 0, 34),
      },
      {
        name: 'hostUsers true is not',
        pods: one(goodPod({security: {runAsNonRoot: null}, spec: {hostUsers: true}})),
        ...strict('runAsNonRoot'),
      },
    ],
  ),

  ...both(
    'Running as Non-root user',
    [['any other user', inEachList({}, {runAsUser: 1000})]],
    [
      {
        name: '0 of containers is not restricted from 1.23',
        pods: inEachList({}, {runAsUser: 0}),
        ...strict('runAsUser', 23),
      },
      {
        name: '0 of the Pod is not restricted from 1.23',
        pods: one(goodPod({security: {runAsUser: 0}})),
        ...strict('runAsUser', 23),
      },
      {
        name: '0 in a user namespace is restricted from 1.35',
        pods: one(goodPod({security: {runAsUser: 0}, spec: {hostUsers: false}})),
        ...strict('runAsUser', 23, 34),
      },
    ],
  ),

  {
    name: 'a container without any securityContext breaks four restricted controls',
    pods: lists.map(list => [list, noSecurity(list)] as const),
    restricted: [
      ['allowPrivilegeEscalation', 8],
      ['capabilities_restricted', 22],
      ['runAsNonRoot', 0],
      ['seccompProfile_restricted', 19],
    ],
  },
];

describe('Pod Security Standards, each control at each version', () => {
  it.each(cases)('$name', ({pods, baseline = [], restricted = baseline}) => {
    const wanted = standards.map(
      ({minor, version}) => `${version}: ${expected(baseline, minor)} / ${expected(restricted, minor)}`,
    );
    for (const [where, pod] of pods) {
      const got = standards.map(
        standard => `${standard.version}: ${failing(pod, standard.baseline)} / ${failing(pod, standard.restricted)}`,
      );
      expect([where, ...got]).toEqual([where, ...wanted]);
    }
  });

  it('has the checks of each version that Kubernetes has', () => {
    expect(minors).toEqual([0, 7, 8, 18, 19, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37]);
  });

  it('lets everything pass at the privileged level', () => {
    expect(compileStandard('privileged', 'latest')).toEqual([]);
  });

  it('reads an empty version as the newest', () => {
    const ids = (version: string) => compileStandard('restricted', version).map(check => check.source.id);
    expect(ids('')).toEqual(ids('latest'));
    expect(ids('v1.999')).toEqual(ids('latest'));
  });
});
