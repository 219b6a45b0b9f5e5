import type {JsonObject} from '../json/types.js';
import {containerCheck, type PodCheck, podThenContainers} from './each-container.js';
import {type FieldError, fieldPath, forbidden} from './field-error.js';
import type {ContainerList} from './pod-view.js';
import {boolAt, integerAt, listAt, objectAt, objectItem, textAt} from './read.js';

const namespaces = ['hostNetwork', 'hostPID', 'hostIPC'] as const;

/** Sharing the network, process or IPC namespace of the node. */
export const hostNamespaces: PodCheck = pod => {
  let errors: FieldError[] | undefined;
  for (const field of namespaces) {
    if (boolAt(pod.spec, field) === true) (errors ??= []).push(forbidden(`spec.${field}`, true));
  }
  return errors;
};

export const hostPorts = containerCheck((container, _security, list, index, pod) => {
  const ports = listAt(container, 'ports');
  let errors: FieldError[] | undefined;
  for (let at = 0; at < ports.length; at++) {
    pod.budget.step();
    const port = integerAt(objectItem(ports[at] ?? null, 'ports'), 'hostPort') ?? 0;
    if (port !== 0) (errors ??= []).push(forbidden(fieldPath(list, index, `ports[${at}].hostPort`), port, container));
  }
  return errors;
});

const probes = ['livenessProbe', 'readinessProbe', 'startupProbe'] as const;
const hooks = ['postStart', 'preStop'] as const;
const handlers = ['httpGet', 'tcpSocket'] as const;

/** A host of its own in a probe or hook lets the kubelet be sent to any address. */
export const hostProbesAndHostLifecycle = containerCheck((container, _security, list, index) => {
  let errors: FieldError[] | undefined;
  for (const probe of probes) {
    const handler = objectAt(container, probe);
    if (handler !== undefined) errors = hosts(handler, probe, errors, {container, list, index});
  }
  const lifecycle = objectAt(container, 'lifecycle');
  if (lifecycle === undefined) return errors;
  for (const hook of hooks) {
    const handler = objectAt(lifecycle, hook);
    if (handler !== undefined) errors = hosts(handler, `lifecycle.${hook}`, errors, {container, list, index});
  }
  return errors;
});

interface Place {
  readonly container: JsonObject;
  readonly list: ContainerList;
  readonly index: number;
}

function hosts(
  handler: JsonObject,
  field: string,
  errors: FieldError[] | undefined,
  {container, list, index}: Place,
): FieldError[] | undefined {
  let found = errors;
  for (const kind of handlers) {
    const action = objectAt(handler, kind);
    const host = action === undefined ? '' : textAt(action, 'host');
    if (host !== '') (found ??= []).push(forbidden(fieldPath(list, index, `${field}.${kind}.host`), host, container));
  }
  return found;
}

/** Windows containers that are processes of the host. */
export const windowsHostProcess = podThenContainers(
  pod =>
    isHostProcess(pod.security) ? [forbidden('spec.securityContext.windowsOptions.hostProcess', true)] : undefined,
  (container, security, list, index) =>
    isHostProcess(security)
      ? forbidden(fieldPath(list, index, 'securityContext.windowsOptions.hostProcess'), true, container)
      : undefined,
);

function isHostProcess(security: JsonObject | undefined): boolean {
  const options = security === undefined ? undefined : objectAt(security, 'windowsOptions');
  return options !== undefined && boolAt(options, 'hostProcess') === true;
}
