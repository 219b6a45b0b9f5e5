import type {Clock} from '../adapters/clock.js';
import type {KubeClient} from '../adapters/kube/types.js';
import {isObject, type JsonObject, own, ownPath} from '../engine/json/types.js';
import type {OperatorEnvironment} from './config/environment.js';
import type {Manager, Registration} from './manager/manager.js';
import {type ClassicKind, exceptionResource, policyResources} from './policies/policy-handlers.js';
import {peerOnly, peerSelector} from './takeover/peer-deployments.js';
import type {RoleIndex} from './roles/role-index.js';

export interface RegistrationOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly manager: Manager;
  readonly environment: OperatorEnvironment;
  readonly secrets: {readonly ca: string; readonly pair: string};
  /** Where `/metrics` is served by HTTPS. */
  readonly metricsSecrets: {readonly ca: string | undefined; readonly pair: string} | undefined;
  readonly roles: RoleIndex;
  readonly reconcilePolicy: (kind: ClassicKind, key: string) => void;
  readonly reconcileException: (key: string) => void;
  readonly onSecret: () => void;
  readonly onMetricsSecret: () => void;
  readonly onConfiguration: () => void;
  readonly onDefinition: () => void;
  readonly onPeer: () => void;
  readonly onConfig: (data: Readonly<Record<string, string>> | undefined) => void;
}

/** Every kind that is mirrored, each with its handler. One place to see what the process reads. */
export function registrations(options: RegistrationOptions): Registration[] {
  return [
    ...policyRegistrations(options),
    ...contextRegistrations(),
    ...roleRegistrations(options),
    ...installationRegistrations(options),
  ];
}

export function policyRegistrations(options: Pick<RegistrationOptions, 'reconcilePolicy' | 'reconcileException'>): Registration[] {
  const kyverno = (resource: string, version: string, namespaced: boolean) => ({key: resource, group: 'kyverno.io', version, resource, namespaced});
  return [
    {
      ...kyverno(policyResources.ClusterPolicy, 'v1', false),
      reconcile: key => options.reconcilePolicy('ClusterPolicy', key),
    },
    {
      ...kyverno(policyResources.Policy, 'v1', true),
      reconcile: key => options.reconcilePolicy('Policy', key),
    },
    {
      ...kyverno(exceptionResource, 'v2', true),
      optional: true,
      reconcile: key => options.reconcileException(key),
    },
  ];
}

/** What policies look up while they are evaluated; optional, since what is not mirrored is read live. */
export function contextRegistrations(): Registration[] {
  const core = {group: '', version: 'v1'} as const;
  return [
    {key: 'namespaces', ...core, resource: 'namespaces', namespaced: false, optional: true, project: identityAndLabels},
    {
      key: 'configmaps',
      ...core,
      resource: 'configmaps',
      namespaced: true,
      labelSelector: 'cache.kyverno.io/enabled=true',
      optional: true,
    },
  ];
}

function roleRegistrations({manager, roles}: RegistrationOptions): Registration[] {
  return (['rolebindings', 'clusterrolebindings'] as const).map(resource => ({
    key: resource,
    group: 'rbac.authorization.k8s.io',
    version: 'v1',
    resource,
    namespaced: resource === 'rolebindings',
    project: bindingOnly,
    reconcile(key) {
      const binding = manager.lister(resource).get(key);
      if (binding === undefined) roles.drop(`${resource}/${key}`);
      else roles.put(`${resource}/${key}`, binding);
    },
  }));
}

/** Of the mirrored Secrets of `/metrics`. */
export const metricsSecretKey = {ca: 'metrics-secret-ca', pair: 'metrics-secret-pair'} as const;

/** The ConfigMap of the installation. */
export const configKey = 'config';

/** One object of our own namespace. */
export function ownObject({key, resource, namespace, name}: {readonly key: string; readonly resource: string; readonly namespace: string; readonly name: string}): Registration {
  return {key, group: '', version: 'v1', resource, namespaced: true, namespace, fieldSelector: `metadata.name=${name}`};
}

function installationRegistrations(options: RegistrationOptions): Registration[] {
  const {manager, environment, secrets, metricsSecrets} = options;
  const {namespace, configMapName} = environment;
  const own = (key: string, resource: string, name: string) => ownObject({key, resource, namespace, name});
  const webhook = (resource: string): Registration => ({
    key: resource,
    group: 'admissionregistration.k8s.io',
    version: 'v1',
    resource,
    namespaced: false,
    reconcile: name => {
      if (name.startsWith('kyverno-')) options.onConfiguration();
    },
  });
  return [
    {...own('secret-ca', 'secrets', secrets.ca), reconcile: options.onSecret},
    {...own('secret-tls', 'secrets', secrets.pair), reconcile: options.onSecret},
    // Admission does not wait for them.
    ...(['ca', 'pair'] as const).flatMap(which => {
      const name = metricsSecrets?.[which];
      return name === undefined ? [] : [{...own(metricsSecretKey[which], 'secrets', name), optional: true, reconcile: options.onMetricsSecret}];
    }),
    {
      ...own(configKey, 'configmaps', configMapName),
      reconcile: key => options.onConfig(configMapData(manager.lister(configKey).get(key))),
    },
    {
      key: 'peer-deployments',
      group: 'apps',
      version: 'v1',
      resource: 'deployments',
      namespaced: true,
      namespace,
      labelSelector: peerSelector,
      optional: true,
      project: peerOnly,
      reconcile: options.onPeer,
    },
    {
      key: 'owner-role',
      group: 'rbac.authorization.k8s.io',
      version: 'v1',
      resource: 'clusterroles',
      namespaced: false,
      fieldSelector: `metadata.name=${environment.ownerRole}`,
      // Without the right to read it, the namespace is the owner.
      optional: true,
      project: identityAndLabels,
      reconcile: options.onConfiguration,
    },
    webhook('validatingwebhookconfigurations'),
    webhook('mutatingwebhookconfigurations'),
    {
      key: 'customresourcedefinitions',
      group: 'apiextensions.k8s.io',
      version: 'v1',
      resource: 'customresourcedefinitions',
      namespaced: false,
      // Without them discovery is read again every quarter of an hour.
      optional: true,
      project: definitionOnly,
      reconcile: options.onDefinition,
    },
  ];
}

/** The strings of a ConfigMap's `data`; `undefined` when there is no such ConfigMap. */
export function configMapData(configMap: JsonObject | undefined): Readonly<Record<string, string>> | undefined {
  if (configMap === undefined) return undefined;
  const data = own(configMap, 'data');
  if (!isObject(data)) return {};
  return Object.fromEntries(Object.entries(data).filter((entry): entry is [string, string] => typeof entry[1] === 'string'));
}

function identityAndLabels(object: JsonObject): JsonObject {
  const metadata: JsonObject = {};
  for (const field of ['name', 'namespace', 'uid', 'resourceVersion', 'labels', 'deletionTimestamp']) {
    const value = ownPath(object, 'metadata', field);
    if (value !== undefined) metadata[field] = value;
  }
  return {metadata};
}

function bindingOnly(object: JsonObject): JsonObject {
  return {...identityAndLabels(object), roleRef: own(object, 'roleRef') ?? {}, subjects: own(object, 'subjects') ?? []};
}

/** Which kinds a definition makes: all that discovery has to be read again for. */
function definitionOnly(object: JsonObject): JsonObject {
  const versions = ownPath(object, 'spec', 'versions');
  return {
    ...identityAndLabels(object),
    spec: {
      group: ownPath(object, 'spec', 'group') ?? '',
      names: ownPath(object, 'spec', 'names') ?? {},
      scope: ownPath(object, 'spec', 'scope') ?? '',
      versions: Array.isArray(versions)
        ? versions.map(version => ({name: ownPath(version, 'name') ?? '', served: ownPath(version, 'served') ?? false}))
        : [],
    },
    status: {conditions: ownPath(object, 'status', 'conditions') ?? []},
  };
}
