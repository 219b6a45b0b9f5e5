import type {PodCheck} from './each-container.js';
import {hostNamespaces, hostPorts, hostProbesAndHostLifecycle, windowsHostProcess} from './host-checks.js';
import {procMount, sysctls, sysctlVersions} from './kernel-checks.js';
import {
  allowPrivilegeEscalation,
  capabilitiesBaseline,
  capabilitiesRestricted,
  privileged,
  runAsNonRoot,
  runAsUser,
} from './privilege-checks.js';
import {
  appArmorProfile,
  seccompAnnotations,
  seccompRequired,
  seccompSet,
  seLinuxOptions,
  seLinuxTypes,
  seLinuxTypes131,
} from './profile-checks.js';
import {hostPathVolumes, restrictedVolumes} from './volume-checks.js';

export type Level = 'privileged' | 'baseline' | 'restricted';

/** One check of the Pod Security Standards, in all its versions. */
export interface RegisteredCheck {
  readonly id: string;
  /** Name of the control for exclusions; empty for a check that none can name. */
  readonly control: string;
  readonly reason: string;
  /** Instead of `reason` when several values are wrong. */
  readonly reasons?: string;
  readonly level: 'baseline' | 'restricted';
  /** By the minor version of Kubernetes 1.x each begins with, ascending. Before the first there is no check. */
  readonly versions: ReadonlyArray<{readonly since: number; readonly check: PodCheck}>;
  /** The baseline check that this one makes superfluous. */
  readonly overrides?: string;
}

/** Windows has neither capabilities, nor seccomp, nor set-user-ID programs. */
const unlessWindows =
  (check: PodCheck): PodCheck =>
  pod =>
    pod.windows ? undefined : check(pod);

/** Root in a user namespace of its own is nobody on the node. */
const unlessOwnUsers =
  (check: PodCheck): PodCheck =>
  pod =>
    pod.ownUsers ? undefined : check(pod);

/** All checks: baseline, then restricted, each by id, as Kubernetes evaluates them. */
export const registeredChecks: readonly RegisteredCheck[] = [
  {
    id: 'appArmorProfile',
    control: 'AppArmor',
    reason: 'forbidden AppArmor profile',
    reasons: 'forbidden AppArmor profiles',
    level: 'baseline',
    versions: [{since: 0, check: appArmorProfile}],
  },
  {
    id: 'capabilities_baseline',
    control: 'Capabilities',
    reason: 'non-default capabilities',
    level: 'baseline',
    versions: [{since: 0, check: capabilitiesBaseline}],
  },
  {
    id: 'hostNamespaces',
    control: 'Host Namespaces',
    reason: 'host namespaces',
    level: 'baseline',
    versions: [{since: 0, check: hostNamespaces}],
  },
  {
    id: 'hostPathVolumes',
    control: 'HostPath Volumes',
    reason: 'hostPath volumes',
    level: 'baseline',
    versions: [{since: 0, check: hostPathVolumes}],
  },
  {
    id: 'hostPorts',
    control: 'Host Ports',
    reason: 'hostPort',
    level: 'baseline',
    versions: [{since: 0, check: hostPorts}],
  },
  {
    id: 'hostProbesAndHostLifecycle',
    control: '',
    reason: 'probe or lifecycle host',
    level: 'baseline',
    versions: [{since: 34, check: hostProbesAndHostLifecycle}],
  },
  {
    id: 'privileged',
    control: 'Privileged Containers',
    reason: 'privileged',
    level: 'baseline',
    versions: [{since: 0, check: privileged}],
  },
  {
    id: 'procMount',
    control: '/proc Mount Type',
    reason: 'procMount',
    level: 'baseline',
    versions: [
      {since: 0, check: procMount},
      {since: 35, check: unlessOwnUsers(procMount)},
    ],
  },
  {
    id: 'seLinuxOptions',
    control: 'SELinux',
    reason: 'seLinuxOptions',
    level: 'baseline',
    versions: [
      {since: 0, check: seLinuxOptions(seLinuxTypes)},
      {since: 31, check: seLinuxOptions(seLinuxTypes131)},
    ],
  },
  {
    id: 'seccompProfile_baseline',
    control: 'Seccomp',
    reason: 'seccompProfile',
    level: 'baseline',
    versions: [
      {since: 0, check: seccompAnnotations},
      {since: 19, check: seccompSet},
    ],
  },
  {
    id: 'sysctls',
    control: 'Sysctls',
    reason: 'forbidden sysctls',
    level: 'baseline',
    versions: sysctlVersions.map(since => ({since, check: sysctls(since)})),
  },
  {
    id: 'windowsHostProcess',
    control: 'HostProcess',
    reason: 'hostProcess',
    level: 'baseline',
    versions: [{since: 0, check: windowsHostProcess}],
  },
  {
    id: 'allowPrivilegeEscalation',
    control: 'Privilege Escalation',
    reason: 'allowPrivilegeEscalation != false',
    level: 'restricted',
    versions: [
      {since: 8, check: allowPrivilegeEscalation},
      {since: 25, check: unlessWindows(allowPrivilegeEscalation)},
    ],
  },
  {
    id: 'capabilities_restricted',
    control: 'Capabilities',
    reason: 'unrestricted capabilities',
    level: 'restricted',
    overrides: 'capabilities_baseline',
    versions: [
      {since: 22, check: capabilitiesRestricted},
      {since: 25, check: unlessWindows(capabilitiesRestricted)},
    ],
  },
  {
    id: 'procMount_restricted',
    control: '/proc Mount Type',
    reason: 'procMount',
    level: 'restricted',
    overrides: 'procMount',
    versions: [{since: 35, check: procMount}],
  },
  {
    id: 'restrictedVolumes',
    control: 'Volume Types',
    reason: 'restricted volume types',
    level: 'restricted',
    overrides: 'hostPathVolumes',
    versions: [{since: 0, check: restrictedVolumes}],
  },
  {
    id: 'runAsNonRoot',
    control: 'Running as Non-root',
    reason: 'runAsNonRoot != true',
    level: 'restricted',
    versions: [
      {since: 0, check: runAsNonRoot},
      {since: 35, check: unlessOwnUsers(runAsNonRoot)},
    ],
  },
  {
    id: 'runAsUser',
    control: 'Running as Non-root user',
    reason: 'runAsUser=0',
    level: 'restricted',
    versions: [
      {since: 23, check: runAsUser},
      {since: 35, check: unlessOwnUsers(runAsUser)},
    ],
  },
  {
    id: 'seccompProfile_restricted',
    control: 'Seccomp',
    reason: 'seccompProfile',
    level: 'restricted',
    overrides: 'seccompProfile_baseline',
    versions: [
      {since: 19, check: seccompRequired},
      {since: 25, check: unlessWindows(seccompRequired)},
    ],
  },
];
