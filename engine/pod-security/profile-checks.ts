import type {JsonObject} from '../json/types.js';
import {type AnnotationRule, annotationErrors, containerNamed} from './annotation-errors.js';
import {eachContainer, type Found, type PodCheck, podThenContainers} from './each-container.js';
import {type FieldError, fieldPath, forbidden, required} from './field-error.js';
import type {ContainerList} from './pod-view.js';
import {objectAt, textAt} from './read.js';

const allowedProfiles: ReadonlySet<string> = new Set(['RuntimeDefault', 'Localhost']);

const appArmorAnnotation: AnnotationRule = {
  prefix: 'container.apparmor.security.beta.kubernetes.io/',
  concerns: key => key.startsWith('container.apparmor.security.beta.kubernetes.io/'),
  allows: value => value === '' || value === 'runtime/default' || value.startsWith('localhost/'),
};

const appArmorFields = profileFields('appArmorProfile');

/** AppArmor profiles by field (Kubernetes 1.30) and by annotation (before). */
export const appArmorProfile: PodCheck = pod => joined(appArmorFields(pod), annotationErrors(pod, appArmorAnnotation));

const podAnnotation = 'seccomp.security.alpha.kubernetes.io/pod';
const seccompAnnotation: AnnotationRule = {
  prefix: 'container.seccomp.security.alpha.kubernetes.io/',
  /** Annotations for containers that the Pod has not got mean nothing. */
  concerns: (key, pod) =>
    key === podAnnotation ||
    (key.startsWith('container.seccomp.security.alpha.kubernetes.io/') &&
      containerNamed(pod, key.slice('container.seccomp.security.alpha.kubernetes.io/'.length)) !== undefined),
  allows: value => value === 'runtime/default' || value === 'docker/default' || value.startsWith('localhost/'),
};

/** Before 1.19 seccomp profiles were annotations. */
export const seccompAnnotations: PodCheck = pod => annotationErrors(pod, seccompAnnotation);

/** Profiles that are set must be allowed ones. */
export const seccompSet = profileFields('seccompProfile');

/**
 * Every container has an allowed profile, its own or the Pod's. A container without one is named beside a container
 * with a bad one: an exclusion of the second must not hide the first.
 */
export const seccompRequired: PodCheck = pod => {
  const podProfile = profileType(pod.security, 'seccompProfile');
  const bad = seccompSet(pod);
  if (podProfile !== undefined && allowedProfiles.has(podProfile)) return bad;
  return joined(bad, eachContainer(pod, missingSeccomp));
};

function missingSeccomp(
  container: JsonObject,
  security: JsonObject | undefined,
  list: ContainerList,
  index: number,
): FieldError | undefined {
  if (profileType(security, 'seccompProfile') !== undefined) return undefined;
  return required(fieldPath(list, index, 'securityContext.seccompProfile.type'), ['', 'Unconfined'], container);
}

function profileFields(field: 'appArmorProfile' | 'seccompProfile'): PodCheck {
  const path = `securityContext.${field}.type`;
  return podThenContainers(
    pod => {
      const type = profileType(pod.security, field);
      return type === undefined || allowedProfiles.has(type) ? undefined : [forbidden(`spec.${path}`, type)];
    },
    (container, security, list, index) => {
      const type = profileType(security, field);
      return type === undefined || allowedProfiles.has(type)
        ? undefined
        : forbidden(fieldPath(list, index, path), type, container);
    },
  );
}

/** Undefined without a profile; a profile without a type has the type ''. */
function profileType(security: JsonObject | undefined, field: string): string | undefined {
  const profile = security === undefined ? undefined : objectAt(security, field);
  return profile === undefined ? undefined : textAt(profile, 'type');
}

function joined(first: Found, second: Found): Found {
  if (first === undefined) return second;
  return second === undefined ? first : [...first, ...second];
}

/** SELinux options: only known container types, and neither user nor role. */
export function seLinuxOptions(types: ReadonlySet<string>): PodCheck {
  return podThenContainers(
    pod => {
      const options = seLinuxOf(pod.security);
      return options && seLinuxErrors(options, types, {prefix: 'spec.', container: undefined});
    },
    (container, security, list, index) => {
      const options = seLinuxOf(security);
      return options && seLinuxErrors(options, types, {prefix: fieldPath(list, index, ''), container});
    },
  );
}

function seLinuxOf(security: JsonObject | undefined): JsonObject | undefined {
  return security === undefined ? undefined : objectAt(security, 'seLinuxOptions');
}

function seLinuxErrors(
  options: JsonObject,
  types: ReadonlySet<string>,
  {prefix, container}: {readonly prefix: string; readonly container: JsonObject | undefined},
): Found {
  let errors: FieldError[] | undefined;
  for (const field of seLinuxFields) {
    const value = textAt(options, field);
    const fine = field === 'type' ? types.has(value) : value === '';
    if (!fine) (errors ??= []).push(forbidden(`${prefix}securityContext.seLinuxOptions.${field}`, value, container));
  }
  return errors;
}

const seLinuxFields = ['type', 'user', 'role'] as const;

export const seLinuxTypes: ReadonlySet<string> = new Set(['', 'container_t', 'container_init_t', 'container_kvm_t']);
export const seLinuxTypes131: ReadonlySet<string> = new Set([...seLinuxTypes, 'container_engine_t']);
