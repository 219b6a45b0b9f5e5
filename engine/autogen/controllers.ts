/** Pod controllers that autogen knows, with their group/version/kind; policies' status lists them in this order. */
export const podControllers = {
  DaemonSet: 'apps/v1/DaemonSet',
  Deployment: 'apps/v1/Deployment',
  Job: 'batch/v1/Job',
  ReplicaSet: 'apps/v1/ReplicaSet',
  ReplicationController: 'v1/ReplicationController',
  StatefulSet: 'apps/v1/StatefulSet',
  CronJob: 'batch/v1/CronJob',
} as const;

export type PodController = keyof typeof podControllers;

export const autogenAnnotation = 'pod-policies.kyverno.io/autogen-controllers';

const template = ['spec', 'template'];
const jobTemplate = ['spec', 'jobTemplate', 'spec', 'template'];

export function isPodController(kind: string): kind is PodController {
  return Object.hasOwn(podControllers, kind);
}

/** Path from an object to its Pod template; empty for a Pod; `undefined` for kinds without one. */
export function templatePath(kind: string): readonly string[] | undefined {
  if (kind === 'Pod') return [];
  if (kind === 'CronJob') return jobTemplate;
  return isPodController(kind) ? template : undefined;
}
