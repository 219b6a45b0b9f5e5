import {templatePath} from '../autogen/controllers.js';
import {deepEqual} from '../json/equal.js';
import {type Json, type JsonObject, ownPath} from '../json/types.js';
import {compileGlob} from '../values/glob.js';
import type {Difference} from './differences.js';

type Rows = ReadonlyArray<readonly [string, ReadonlyArray<Json> | 'any']>;

/** What the API server fills in where a Pod says nothing; below the Pod's own spec. */
const ofPods: Rows = [
  ['securityContext', [{}]],
  ['*ontainers.*.resources', [{}]],
  ['restartPolicy', ['Always']],
  ['dnsPolicy', ['ClusterFirst']],
  ['schedulerName', ['default-scheduler']],
  // How long it may take to end is the installer's to say; tools set it on their way.
  ['terminationGracePeriodSeconds', 'any'],
  ['enableServiceLinks', [true]],
  ['serviceAccountName', ['default']],
  ['serviceAccount', ['default']],
  ['preemptionPolicy', ['PreemptLowerPriority']],
  ['priority', [0]],
  ['*ontainers.*.terminationMessagePath', ['/dev/termination-log']],
  ['*ontainers.*.terminationMessagePolicy', ['File']],
  ['*ontainers.*.imagePullPolicy', ['Always', 'IfNotPresent']],
  ['*ontainers.*.ports.*.protocol', ['TCP']],
  ['*ontainers.*Probe.timeoutSeconds', [1]],
  ['*ontainers.*Probe.periodSeconds', [10]],
  ['*ontainers.*Probe.successThreshold', [1]],
  ['*ontainers.*Probe.failureThreshold', [3]],
  ['*ontainers.*Probe.httpGet.scheme', ['HTTP']],
  ['volumes.*.configMap.defaultMode', [420]],
  ['volumes.*.secret.defaultMode', [420]],
  ['volumes.*.projected.defaultMode', [420]],
];

const ofKinds: Readonly<Record<string, Rows>> = {
  Service: [
    ['spec.type', ['ClusterIP']],
    ['spec.sessionAffinity', ['None']],
    ['spec.internalTrafficPolicy', ['Cluster']],
    ['spec.externalTrafficPolicy', ['Cluster']],
    ['spec.ipFamilyPolicy', ['SingleStack']],
    ['spec.ipFamilies.*', 'any'],
    ['spec.ports.*.protocol', ['TCP']],
    ['spec.allocateLoadBalancerNodePorts', [true]],
  ],
  Deployment: [
    ['spec.replicas', [1]],
    ['spec.progressDeadlineSeconds', [600]],
    ['spec.revisionHistoryLimit', [10]],
    ['spec.strategy.type', ['RollingUpdate']],
    ['spec.strategy.rollingUpdate.maxSurge', ['25%']],
    ['spec.strategy.rollingUpdate.maxUnavailable', ['25%']],
  ],
  StatefulSet: [
    ['spec.replicas', [1]],
    ['spec.revisionHistoryLimit', [10]],
    ['spec.podManagementPolicy', ['OrderedReady']],
    ['spec.updateStrategy.type', ['RollingUpdate']],
    ['spec.updateStrategy.rollingUpdate.partition', [0]],
    ['spec.persistentVolumeClaimRetentionPolicy.*', ['Retain']],
  ],
  DaemonSet: [
    ['spec.revisionHistoryLimit', [10]],
    ['spec.updateStrategy.type', ['RollingUpdate']],
    ['spec.updateStrategy.rollingUpdate.maxSurge', [0]],
    ['spec.updateStrategy.rollingUpdate.maxUnavailable', [1]],
  ],
  ReplicaSet: [['spec.replicas', [1]]],
  Job: [
    ['spec.completions', [1]],
    ['spec.parallelism', [1]],
    ['spec.backoffLimit', [6]],
    ['spec.completionMode', ['NonIndexed']],
    ['spec.suspend', [false]],
    ['spec.podReplacementPolicy', ['TerminatingOrFailed']],
    ['spec.manualSelector', [false]],
  ],
  Pod: [
    ['spec.tolerations.*.effect', ['NoExecute']],
    ['spec.tolerations.*.key', ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable']],
    ['spec.tolerations.*.operator', ['Exists']],
    ['spec.tolerations.*.tolerationSeconds', [300]],
  ],
  CronJob: [
    ['spec.concurrencyPolicy', ['Allow']],
    ['spec.suspend', [false]],
    ['spec.successfulJobsHistoryLimit', [3]],
    ['spec.failedJobsHistoryLimit', [1]],
  ],
  PersistentVolumeClaim: [['spec.volumeMode', ['Filesystem']]],
  RoleBinding: [
    ['subjects.*.apiGroup', 'any'],
    ['roleRef.apiGroup', ['rbac.authorization.k8s.io']],
  ],
  ClusterRoleBinding: [
    ['subjects.*.apiGroup', 'any'],
    ['roleRef.apiGroup', ['rbac.authorization.k8s.io']],
  ],
};

/** Whether a difference is nothing but a default: what the signer left to the API server, with the value that it puts there. */
export function isApiDefault(kind: string, resource: JsonObject): (difference: Difference) => boolean {
  const template = templatePath(kind);
  const pods: Rows =
    template === undefined
      ? []
      : ofPods.map(([field, values]) => [[...template, 'spec', field].join('.'), values] as const);
  const rows = [...pods, ...(Object.hasOwn(ofKinds, kind) ? (ofKinds[kind] ?? []) : [])].map(([pattern, values]) => ({
    test: compileGlob(pattern),
    values,
  }));
  return ({path, signed, found}) => {
    if (signed !== undefined || found === undefined) return false;
    if (kind === 'Service' && isTargetOfItsPort(path, found, resource)) return true;
    return rows.some(
      ({test, values}) => test(path) && (values === 'any' || values.some(value => deepEqual(value, found))),
    );
  };
}

/** A port of a Service leads to the same port unless it says otherwise. */
function isTargetOfItsPort(path: string, found: Json, resource: JsonObject): boolean {
  const index = /^spec\.ports\.(\d+)\.targetPort$/.exec(path)?.[1];
  const ports = ownPath(resource, 'spec', 'ports');
  return index !== undefined && Array.isArray(ports) && ownPath(ports[Number(index)], 'port') === found;
}
