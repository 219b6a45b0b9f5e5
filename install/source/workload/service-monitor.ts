import {commonLabels} from '../labels.js';
import type {InstallSettings, KubeObject} from '../types.js';

/** Scrapes every replica; for clusters with the Prometheus operator, OpenShift among them. */
export function serviceMonitor({name, namespace}: Pick<InstallSettings, 'name' | 'namespace'>): KubeObject {
  return {
    apiVersion: 'monitoring.coreos.com/v1',
    kind: 'ServiceMonitor',
    metadata: {name, namespace, labels: commonLabels},
    spec: {
      selector: {matchLabels: {app: 'kyverno'}},
      namespaceSelector: {matchNames: [namespace]},
      endpoints: [{port: 'metrics', path: '/metrics', interval: '30s', scrapeTimeout: '25s'}],
    },
  };
}
