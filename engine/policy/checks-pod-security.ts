import type {JsonObject} from '../json/types.js';
import {list, text} from './access.js';
import {at, type Faults} from './faults.js';

interface Control {
  /** The lowest level that has a check of this name. */
  readonly level: 'baseline' | 'restricted';
  /** Whether `images` must, must not or may be given. */
  readonly images: 'required' | 'forbidden' | 'either';
}

/** Control names of the Pod Security Standards, as an exclusion names them. */
const controls: ReadonlyMap<string, Control> = new Map<string, Control>([
  ['HostProcess', {level: 'baseline', images: 'either'}],
  ['Host Namespaces', {level: 'baseline', images: 'forbidden'}],
  ['Privileged Containers', {level: 'baseline', images: 'required'}],
  ['Capabilities', {level: 'baseline', images: 'required'}],
  ['HostPath Volumes', {level: 'baseline', images: 'forbidden'}],
  ['Host Ports', {level: 'baseline', images: 'required'}],
  ['AppArmor', {level: 'baseline', images: 'either'}],
  ['SELinux', {level: 'baseline', images: 'either'}],
  ['/proc Mount Type', {level: 'baseline', images: 'required'}],
  ['Seccomp', {level: 'baseline', images: 'either'}],
  ['Sysctls', {level: 'baseline', images: 'forbidden'}],
  ['Volume Types', {level: 'restricted', images: 'forbidden'}],
  ['Privilege Escalation', {level: 'restricted', images: 'required'}],
  ['Running as Non-root', {level: 'restricted', images: 'either'}],
  ['Running as Non-root user', {level: 'restricted', images: 'either'}],
]);

/** One exclusion of a pod security rule or exception; `level` is the rule's, when known. */
export function checkPodSecurityExclude(
  exclude: JsonObject,
  path: string,
  level: string | undefined,
  faults: Faults,
): void {
  const name = text(exclude, 'controlName') ?? '';
  const control = controls.get(name);
  if (!control || (level === 'baseline' && control.level === 'restricted')) {
    faults.error(
      'pod-security-control',
      at(path, 'controlName'),
      `Invalid control name defined at the given level: ${JSON.stringify(name.slice(0, 80))}`,
      {
        hint: [...controls.keys()].join(', '),
      },
    );
  }
  const images = list(exclude, 'images').length > 0;
  if (control?.images === 'required' && !images) {
    faults.error(
      'pod-security-images',
      at(path, 'images'),
      'exclude.images must be specified for the container level control',
    );
  }
  if (control?.images === 'forbidden' && images) {
    faults.error(
      'pod-security-images',
      at(path, 'images'),
      'exclude.images must not be specified for the pod level control',
    );
  }
  const field = text(exclude, 'restrictedField') ?? '';
  const values = list(exclude, 'values').length > 0;
  if (field !== '' && !values) faults.error('pod-security-values', at(path, 'values'), 'values is required');
  if (values && field === '')
    faults.error('pod-security-field', at(path, 'restrictedField'), 'restrictedField is required');
}
