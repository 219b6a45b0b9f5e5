/** Resources that a cluster needs to come up: an admission server that is down must never stand in their way. */
const bootstrapResources: Readonly<Record<string, readonly string[]>> = {
  '': ['nodes', 'endpoints'],
  'authentication.k8s.io': ['tokenreviews', 'selfsubjectreviews'],
  'authorization.k8s.io': [
    'subjectaccessreviews',
    'selfsubjectaccessreviews',
    'localsubjectaccessreviews',
    'selfsubjectrulesreviews',
  ],
  'certificates.k8s.io': ['certificatesigningrequests'],
  'coordination.k8s.io': ['leases'],
  'discovery.k8s.io': ['endpointslices'],
};

/** A ClusterPolicy with this annotation set to `"true"` intercepts bootstrap kinds with its own failure policy, at its risk. */
export const bootstrapOptIn = 'webhook.kyverno.io/fail-on-bootstrap-kinds';

/** `resource` may carry a subresource. */
export function isBootstrapResource(group: string, resource: string): boolean {
  const [parent = ''] = resource.split('/');
  return Object.hasOwn(bootstrapResources, group) && (bootstrapResources[group]?.includes(parent) ?? false);
}

/** Leaves bootstrap resources out of an entry that intercepts everything. */
export const bootstrapMatchCondition = {
  name: 'kyverno-exclude-bootstrap-resources',
  expression: Object.entries(bootstrapResources)
    .map(([group, resources]) => {
      const list = resources.map(resource => `"${resource}"`).join(', ');
      return `!(request.resource.group == "${group}" && request.resource.resource in [${list}])`;
    })
    .join(' && '),
} as const;
