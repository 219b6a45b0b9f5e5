import {Counter, type Registry} from 'prom-client';
import type {ApiCall} from '../../adapters/kube/api-call.js';
import type {ResourceMap} from '../../engine/resource-map.js';
import {createNamespaceCap} from '../../webhook/metrics/namespace-cap.js';

const maxNamespaces = 200;
const builtin = /^$|^(apps|batch|autoscaling|policy|events\.k8s\.io|coordination\.k8s\.io|rbac\.authorization\.k8s\.io|networking\.k8s\.io|admissionregistration\.k8s\.io|authorization\.k8s\.io|authentication\.k8s\.io|discovery\.k8s\.io)$/;

/** Counts requests to the API server, by what they are for. `resources`: what the cluster is known to have. */
export function createClientQueries(registry: Registry, resources: () => ResourceMap): (call: ApiCall) => void {
  const counter = new Counter({
    name: 'kyverno_client_queries_total',
    help: 'Requests to the API server',
    labelNames: ['operation', 'client_type', 'resource_kind', 'resource_namespace'],
    registers: [registry],
  });
  const namespaceLabel = createNamespaceCap(maxNamespaces);
  return call => {
    const kind = resources().kindOf(call)?.kind;
    counter.inc({
      operation: call.operation,
      client_type: clientType(call.group),
      // Paths that policies write are bounded by the kinds there are.
      resource_kind: kind ?? (clientType(call.group) === 'dynamic' ? 'other' : call.resource),
      resource_namespace: namespaceLabel(call.namespace),
    });
  };
}

/** The client that other Kyverno builds would have used. */
function clientType(group: string): string {
  if (group === 'kyverno.io' || group.endsWith('.kyverno.io')) return group === 'reports.kyverno.io' ? 'policyreport' : 'kyverno';
  if (group === 'wgpolicyk8s.io' || group === 'openreports.io') return 'policyreport';
  if (group === 'apiextensions.k8s.io' || group === 'apiregistration.k8s.io') return 'apiserver';
  return builtin.test(group) ? 'kubeclient' : 'dynamic';
}
