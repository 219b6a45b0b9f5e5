import {templatePath} from '../autogen/controllers.js';
import type {Budget} from '../budget.js';
import {EvalError} from '../diagnostic.js';
import {goTypeName, isObject, type Json, type JsonObject, own} from '../json/types.js';
import type {GroupVersionKind} from '../types.js';
import {boolAt, listAt, objectAt, textAt} from './read.js';

export const containerLists = ['initContainers', 'containers', 'ephemeralContainers'] as const;
export type ContainerList = (typeof containerLists)[number];

/** The parts of a Pod, or of a controller's Pod template, that the checks look at. Made once per evaluation. */
export interface PodView {
  readonly annotations: JsonObject | undefined;
  readonly spec: JsonObject;
  /** `spec.securityContext`. */
  readonly security: JsonObject | undefined;
  readonly initContainers: readonly Json[];
  readonly containers: readonly Json[];
  readonly ephemeralContainers: readonly Json[];
  /** `spec.os.name` is `windows`. */
  readonly windows: boolean;
  /** `spec.hostUsers` is false: the Pod has a user namespace of its own. */
  readonly ownUsers: boolean;
  readonly budget: Budget;
}

/** Kinds with a Pod in them, and the API group each belongs to. */
const groups: ReadonlyMap<string, string> = new Map([
  ['Pod', ''],
  ['ReplicationController', ''],
  ['DaemonSet', 'apps'],
  ['Deployment', 'apps'],
  ['ReplicaSet', 'apps'],
  ['StatefulSet', 'apps'],
  ['Job', 'batch'],
  ['CronJob', 'batch'],
]);

/**
 * Where an object keeps its Pod: empty for a Pod itself. `kind` stands in for objects that do not name their own.
 * Throws EvalError for objects that hold no Pod: they cannot be judged, so they do not pass.
 */
export function podPath(object: JsonObject, kind: GroupVersionKind): readonly string[] {
  const own = textAt(object, 'kind');
  const apiVersion = own === '' ? apiVersionOf(kind) : textAt(object, 'apiVersion');
  const name = own === '' ? kind.kind : own;
  const path = templatePath(name);
  const group = apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '';
  if (path === undefined || groups.get(name) !== group) {
    const judged = [...groups.keys()].join(', ');
    throw new EvalError(
      `podSecurity does not apply to ${apiVersion} ${name}: it judges ${judged}`,
      'pod-security-kind',
    );
  }
  return path;
}

function apiVersionOf({group, version}: GroupVersionKind): string {
  return group === '' ? version : `${group}/${version}`;
}

/** Throws EvalError where the object is not shaped as a Pod must be: what cannot be read is never taken for safe. */
export function viewPod(object: JsonObject, path: readonly string[], budget: Budget): PodView {
  let pod: JsonObject | undefined = object;
  for (const key of path) pod = pod === undefined ? undefined : objectAt(pod, key);
  const metadata = pod === undefined ? undefined : objectAt(pod, 'metadata');
  const spec = (pod === undefined ? undefined : objectAt(pod, 'spec')) ?? {};
  const os = objectAt(spec, 'os');
  return {
    annotations: metadata === undefined ? undefined : objectAt(metadata, 'annotations'),
    spec,
    security: objectAt(spec, 'securityContext'),
    initContainers: listAt(spec, 'initContainers'),
    containers: listAt(spec, 'containers'),
    ephemeralContainers: listAt(spec, 'ephemeralContainers'),
    windows: os !== undefined && textAt(os, 'name') === 'windows',
    ownUsers: boolAt(spec, 'hostUsers') === false,
    budget,
  };
}

export function containerAt(containers: readonly Json[], index: number): JsonObject {
  const container = containers[index];
  if (isObject(container)) return container;
  throw new EvalError(`a container must be an object, not ${goTypeName(container)}`, 'pod-security-shape');
}

/** Image as written; empty when there is none. */
export function imageOf(container: JsonObject): string {
  const image = own(container, 'image');
  return typeof image === 'string' ? image : '';
}

export function nameOf(container: JsonObject): string {
  return textAt(container, 'name');
}
