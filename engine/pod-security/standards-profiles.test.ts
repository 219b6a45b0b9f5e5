import {describe, it} from 'vitest';
import {goodContainer, goodPod, inEachList, lists} from './testing/pods.js';
import {always, both, type Case, expectVerdicts, type Objection, one, strict} from './testing/standard-case.js';

const seccomp: Objection[] = [['seccompProfile_baseline', 19]];
const seccompStrict: Objection[] = [['seccompProfile_restricted', 19]];

const cases: Case[] = [
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
];

describe('Pod Security Standards at each version: profiles and kernel', () => {
  it.each(cases)('$name', item => {
    expectVerdicts(item);
  });
});
