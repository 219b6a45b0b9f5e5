import type {JsonObject} from '../json/types.js';
import {
  type ContainerTest,
  containerCheck,
  eachContainer,
  type Found,
  type PodCheck,
  podThenContainers,
} from './each-container.js';
import {type FieldError, fieldPath, forbidden, forbiddenSet, required} from './field-error.js';
import {boolAt, integerAt, listAt, objectAt, textItem} from './read.js';

export const privileged = containerCheck((container, security, list, index) =>
  security !== undefined && boolAt(security, 'privileged') === true
    ? forbidden(fieldPath(list, index, 'securityContext.privileged'), true, container)
    : undefined,
);

/** Must be false; absent means true, and is called `nil` where there is a securityContext. */
export const allowPrivilegeEscalation = containerCheck((container, security, list, index) => {
  const value = security === undefined ? undefined : boolAt(security, 'allowPrivilegeEscalation');
  if (value === false) return undefined;
  const path = fieldPath(list, index, 'securityContext.allowPrivilegeEscalation');
  if (security === undefined) return required(path, ['', 'nil'], container);
  return forbidden(path, value ?? 'nil', container);
});

const setFalse = podThenContainers(
  pod =>
    pod.security !== undefined && boolAt(pod.security, 'runAsNonRoot') === false
      ? [forbidden('spec.securityContext.runAsNonRoot', false)]
      : undefined,
  (container, security, list, index) =>
    security !== undefined && boolAt(security, 'runAsNonRoot') === false
      ? forbidden(fieldPath(list, index, 'securityContext.runAsNonRoot'), false, container)
      : undefined,
);

const notSet: ContainerTest = (container, security, list, index) =>
  security !== undefined && boolAt(security, 'runAsNonRoot') !== undefined
    ? undefined
    : required(fieldPath(list, index, 'securityContext.runAsNonRoot'), ['', 'false'], container);

/**
 * True for every container, by its own field or the Pod's. A container that does not set it is named beside one that
 * sets it to false: an exclusion of the second must not hide the first.
 */
export const runAsNonRoot: PodCheck = pod => {
  const bad = setFalse(pod);
  if (pod.security !== undefined && boolAt(pod.security, 'runAsNonRoot') === true) return bad;
  return eachContainer(pod, notSet, bad === undefined ? undefined : [...bad]);
};

export const runAsUser = podThenContainers(
  pod => (isRoot(pod.security) ? [forbidden('spec.securityContext.runAsUser', 0)] : undefined),
  (container, security, list, index) =>
    isRoot(security) ? forbidden(fieldPath(list, index, 'securityContext.runAsUser'), 0, container) : undefined,
);

function isRoot(security: JsonObject | undefined): boolean {
  if (security === undefined) return false;
  const user = integerAt(security, 'runAsUser');
  return user === 0 || user === 0n;
}

const defaultCapabilities: ReadonlySet<string> = new Set(
  'AUDIT_WRITE CHOWN DAC_OVERRIDE FOWNER FSETID KILL MKNOD NET_BIND_SERVICE SETFCAP SETGID SETPCAP SETUID SYS_CHROOT'.split(
    ' ',
  ),
);
const bindOnly: ReadonlySet<string> = new Set(['NET_BIND_SERVICE']);

/** Nothing is added beyond what container runtimes give anyway. */
export const capabilitiesBaseline = addedBeyond(defaultCapabilities);

const addedBeyondBind = addedBeyond(bindOnly);

/** `ALL` is dropped and at most NET_BIND_SERVICE added. What is not dropped is named first, in every container. */
export const capabilitiesRestricted: PodCheck = pod => join(eachContainer(pod, notAllDropped), addedBeyondBind(pod));

const notAllDropped: ContainerTest = (container, security, list, index) => {
  const capabilities = security === undefined ? undefined : objectAt(security, 'capabilities');
  const drop = capabilities === undefined ? [] : listAt(capabilities, 'drop');
  if (drop.includes('ALL')) return undefined;
  const path = fieldPath(list, index, 'securityContext.capabilities.drop');
  if (drop.length === 0) return required(path, [''], container);
  return forbiddenSet(
    path,
    drop.map(item => textItem(item, 'drop')),
    container,
  );
};

function addedBeyond(allowed: ReadonlySet<string>): PodCheck {
  return containerCheck((container, security, list, index, pod) => {
    const capabilities = security === undefined ? undefined : objectAt(security, 'capabilities');
    if (capabilities === undefined) return undefined;
    let bad: string[] | undefined;
    for (const item of listAt(capabilities, 'add')) {
      pod.budget.step();
      const capability = textItem(item, 'add');
      if (!allowed.has(capability)) (bad ??= []).push(capability);
    }
    return bad && forbiddenSet(fieldPath(list, index, 'securityContext.capabilities.add'), bad, container);
  });
}

function join(first: FieldError[] | undefined, second: Found): Found {
  if (first === undefined) return second;
  return second === undefined ? first : [...first, ...second];
}
