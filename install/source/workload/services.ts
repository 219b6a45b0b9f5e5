import {podSelector, workloadLabels} from '../labels.js';
import type {InstallSettings, KubeObject} from '../types.js';

type Named = Pick<InstallSettings, 'name' | 'namespace'>;

function service(name: string, namespace: string, port: {readonly name: string; readonly port: number}): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: {name, namespace, labels: workloadLabels},
    spec: {
      // Both families where the cluster has both, the one it has elsewhere.
      ipFamilyPolicy: 'PreferDualStack',
      selector: podSelector,
      ports: [{...port, targetPort: port.name, protocol: 'TCP'}],
    },
  };
}

/** What the API server calls, and what Prometheus scrapes. */
export function services({name, namespace}: Named): readonly KubeObject[] {
  return [
    service(`${name}-svc`, namespace, {name: 'https', port: 443}),
    service(`${name}-svc-metrics`, namespace, {name: 'metrics', port: 8000}),
  ];
}
