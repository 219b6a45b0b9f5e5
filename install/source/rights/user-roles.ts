import {commonLabels} from '../labels.js';
import type {InstallSettings, KubeObject, PolicyRule} from '../types.js';

/** Sets of kinds that people deal with; the names are those that upstream's users know. */
const topics: Readonly<Record<string, ReadonlyArray<Pick<PolicyRule, 'apiGroups' | 'resources'>>>> = {
  policies: [
    {apiGroups: ['kyverno.io'], resources: ['cleanuppolicies', 'clustercleanuppolicies', 'policies', 'clusterpolicies']},
    {
      apiGroups: ['policies.kyverno.io'],
      resources: [
        'deletingpolicies',
        'generatingpolicies',
        'imagevalidatingpolicies',
        'mutatingpolicies',
        'namespaceddeletingpolicies',
        'namespacedgeneratingpolicies',
        'namespacedimagevalidatingpolicies',
        'namespacedmutatingpolicies',
        'namespacedvalidatingpolicies',
        'policyexceptions',
        'validatingpolicies',
      ],
    },
  ],
  policyreports: [{apiGroups: ['wgpolicyk8s.io'], resources: ['policyreports', 'clusterpolicyreports']}],
  reports: [{apiGroups: ['reports.kyverno.io'], resources: ['ephemeralreports', 'clusterephemeralreports']}],
  updaterequests: [{apiGroups: ['kyverno.io'], resources: ['updaterequests']}],
};
const verbs = {admin: ['create', 'delete', 'get', 'list', 'patch', 'update', 'watch'], view: ['get', 'list', 'watch']} as const;

/** What people with the built-in roles admin and view may do; the API server adds these to those roles. */
export function userRoles({name}: Pick<InstallSettings, 'name'>): readonly KubeObject[] {
  return (['admin', 'view'] as const).flatMap(who =>
    Object.entries(topics).map(([topic, kinds]) => ({
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRole',
      metadata: {
        name: `${name}:rbac:${who}:${topic}`,
        labels: {...commonLabels, [`rbac.authorization.k8s.io/aggregate-to-${who}`]: 'true'},
      },
      rules: kinds.map(kind => ({...kind, verbs: verbs[who]})),
    })),
  );
}
