import type {Json, JsonObject} from '../../json/types.js';

/** A container that every version of every level accepts. */
export function goodContainer(name: string, more: JsonObject = {}, security: JsonObject = {}): JsonObject {
  return {
    name,
    image: `registry.example/${name}:1`,
    ...more,
    securityContext: {allowPrivilegeEscalation: false, capabilities: {drop: ['ALL']}, ...security},
  };
}

export const goodSecurity: JsonObject = {runAsNonRoot: true, seccompProfile: {type: 'RuntimeDefault'}};

export interface PodParts {
  readonly annotations?: JsonObject;
  readonly spec?: JsonObject;
  readonly security?: JsonObject;
}

/** A Pod that every version of every level accepts, changed in parts. */
export function goodPod({annotations, spec, security}: PodParts = {}): JsonObject {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {name: 'pod', namespace: 'default', ...(annotations !== undefined && {annotations})},
    spec: {
      initContainers: [goodContainer('init')],
      containers: [goodContainer('main'), goodContainer('side')],
      ephemeralContainers: [goodContainer('debug')],
      ...spec,
      securityContext: {...goodSecurity, ...security},
    },
  };
}

/** The same Pod as the template of a controller. */
export function inController(kind: string, pod: JsonObject): JsonObject {
  const apiVersion =
    kind === 'ReplicationController' ? 'v1' : kind === 'Job' || kind === 'CronJob' ? 'batch/v1' : 'apps/v1';
  const template: Json = {metadata: pod['metadata'] ?? {}, spec: pod['spec'] ?? {}};
  const spec: JsonObject = kind === 'CronJob' ? {jobTemplate: {spec: {template}}} : {template};
  return {apiVersion, kind, metadata: {name: 'owner', namespace: 'default'}, spec};
}

export const lists = ['initContainers', 'containers', 'ephemeralContainers'] as const;

/** One Pod per container list, each with one container that has these parts. */
export function inEachList(
  more: JsonObject,
  security: JsonObject = {},
): Array<readonly [list: string, pod: JsonObject]> {
  return lists.map(list => [list, goodPod({spec: {[list]: [goodContainer('odd', more, security)]}})] as const);
}
