import {describe, it} from 'vitest';
import type {JsonObject} from '../json/types.js';
import {goodContainer, goodPod, inEachList, lists} from './testing/pods.js';
import {always, both, type Case, expectVerdicts, type Objection, one, strict} from './testing/standard-case.js';

const capabilities: Objection[] = [
  ['capabilities_baseline', 0, 21],
  ['capabilities_restricted', 22],
];
const noSecurity = (list: string): JsonObject => {
  const pod = goodPod({spec: {[list]: [{name: 'odd', image: 'odd:1'}]}});
  return {...pod, spec: {...(pod['spec'] as JsonObject), securityContext: null}};
};

const cases: Case[] = [
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

describe('Pod Security Standards at each version: privileges', () => {
  it.each(cases)('$name', item => {
    expectVerdicts(item);
  });
});
