import {containerCheck, type PodCheck} from './each-container.js';
import {type FieldError, fieldPath, forbidden} from './field-error.js';
import {listAt, objectItem, textAt} from './read.js';

/** The masks over /proc stay as they are. */
export const procMount = containerCheck((container, security, list, index) => {
  if (security === undefined) return undefined;
  const mount = textAt(security, 'procMount');
  return mount === '' || mount === 'Default'
    ? undefined
    : forbidden(fieldPath(list, index, 'securityContext.procMount'), mount, container);
});

/** Kernel parameters that are safe to set, by the Kubernetes minor version that took them in. */
const sysctlsSince: ReadonlyArray<readonly [since: number, names: readonly string[]]> = [
  [
    0,
    [
      'kernel.shm_rmid_forced',
      'net.ipv4.ip_local_port_range',
      'net.ipv4.tcp_syncookies',
      'net.ipv4.ping_group_range',
      'net.ipv4.ip_unprivileged_port_start',
    ],
  ],
  [27, ['net.ipv4.ip_local_reserved_ports']],
  [
    29,
    [
      'net.ipv4.tcp_keepalive_time',
      'net.ipv4.tcp_fin_timeout',
      'net.ipv4.tcp_keepalive_intvl',
      'net.ipv4.tcp_keepalive_probes',
    ],
  ],
  [32, ['net.ipv4.tcp_rmem', 'net.ipv4.tcp_wmem']],
  [37, ['net.ipv4.tcp_slow_start_after_idle', 'net.ipv4.tcp_notsent_lowat']],
];

export const sysctlVersions: readonly number[] = sysctlsSince.map(([since]) => since);

export function sysctls(minor: number): PodCheck {
  const allowed = new Set(sysctlsSince.filter(([since]) => since <= minor).flatMap(([, names]) => names));
  return pod => {
    if (pod.security === undefined) return undefined;
    const set = listAt(pod.security, 'sysctls');
    let errors: FieldError[] | undefined;
    for (let index = 0; index < set.length; index++) {
      pod.budget.step();
      const name = textAt(objectItem(set[index] ?? null, 'sysctls'), 'name');
      if (allowed.has(name)) continue;
      (errors ??= []).push(forbidden(`spec.securityContext.sysctls[${index}].name`, name));
    }
    return errors;
  };
}
