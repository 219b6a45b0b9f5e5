import {podSelector, workloadLabels} from '../labels.js';
import type {InstallSettings, KubeObject} from '../types.js';
import {httpsPort, metricsPort} from './deployment.js';

type Named = Pick<InstallSettings, 'name' | 'namespace'>;

/** One replica leaves at a time. For a single replica there is none: it would keep its node from being drained. */
export function disruptionBudget({name, namespace}: Named): KubeObject {
  return {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: {name, namespace, labels: workloadLabels},
    spec: {
      maxUnavailable: 1,
      // A replica that serves nobody holds up no node.
      unhealthyPodEvictionPolicy: 'AlwaysAllow',
      selector: {matchLabels: podSelector},
    },
  };
}

/**
 * Of our own, since not every cluster lets Pods outside of kube-system have the built-in ones. A cluster whose admission
 * waits for these Pods must not put them off for others.
 */
export function priorityClass({name}: Pick<InstallSettings, 'name'>): KubeObject {
  return {
    apiVersion: 'scheduling.k8s.io/v1',
    kind: 'PriorityClass',
    metadata: {name, labels: workloadLabels},
    value: 1_000_000_000,
    globalDefault: false,
    description: 'The policy operator: admission waits for it.',
  };
}

/** Webhooks and probes come from hosts, scrapes from anywhere; nothing else listens. Where we call is left to the cluster. */
export function networkPolicy({name, namespace}: Named): KubeObject {
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: {name, namespace, labels: workloadLabels},
    spec: {
      podSelector: {matchLabels: podSelector},
      policyTypes: ['Ingress'],
      ingress: [{ports: [httpsPort, metricsPort].map(port => ({protocol: 'TCP', port}))}],
    },
  };
}

/** Needs the metrics server. */
export function autoscaler({name, namespace}: Named): KubeObject {
  return {
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata: {name, namespace, labels: workloadLabels},
    spec: {
      scaleTargetRef: {apiVersion: 'apps/v1', kind: 'Deployment', name},
      minReplicas: 2,
      maxReplicas: 6,
      metrics: [{type: 'Resource', resource: {name: 'cpu', target: {type: 'Utilization', averageUtilization: 80}}}],
      // A replica takes a while to read the cluster, and is missed for longer than it is idle.
      behavior: {scaleDown: {stabilizationWindowSeconds: 600}},
    },
  };
}
