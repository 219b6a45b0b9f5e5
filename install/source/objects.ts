import {metricsMap, settingsMap} from './config/config-maps.js';
import {commonLabels} from './labels.js';
import {operatorRoles, policyRoles} from './rights/roles.js';
import {userRoles} from './rights/user-roles.js';
import type {InstallSettings, KubeObject} from './types.js';
import {deployment} from './workload/deployment.js';
import {disruptionBudget, networkPolicy, priorityClass} from './workload/disruption.js';
import {services} from './workload/services.js';

type Named = Pick<InstallSettings, 'name' | 'namespace'>;

export function namespaceObject({namespace}: Named): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: {name: namespace, labels: {...commonLabels, 'pod-security.kubernetes.io/enforce': 'restricted'}},
  };
}

export function serviceAccount({name, namespace}: Named): KubeObject {
  return {apiVersion: 'v1', kind: 'ServiceAccount', metadata: {name, namespace, labels: commonLabels}};
}

/** All of an installation but its CustomResourceDefinitions, in an order that holds when they are created one by one. */
export function installObjects(settings: InstallSettings): readonly KubeObject[] {
  return [
    namespaceObject(settings),
    priorityClass(settings),
    serviceAccount(settings),
    ...operatorRoles(settings),
    ...policyRoles(settings),
    ...userRoles(settings),
    settingsMap(settings),
    metricsMap(settings),
    ...services(settings),
    networkPolicy(settings),
    deployment(settings),
    // For a single replica it would keep the node from being drained.
    ...(settings.replicas > 1 ? [disruptionBudget(settings)] : []),
  ];
}
