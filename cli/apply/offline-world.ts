import type {KeyServices} from '../../adapters/images/kms/key-services.js';
import type {ContextLoader} from '../../engine/context-loader.js';
import {isObject, type Json, type JsonObject, own, ownPath} from '../../engine/json/types.js';
import type {ResourceMap} from '../../engine/resource-map.js';
import type {AdmissionUser} from '../../engine/types.js';
import type {ImageMock} from '../files/context-file.js';
import {nameOf, namespaceOf} from '../files/load-policies.js';
import {groupVersionOf, kindOf} from '../files/load-resources.js';
import type {ValuesSpec} from '../files/values-file.js';
import type {OfflineWorld} from '../offline/evaluate.js';
import {OfflineValues} from '../offline/given.js';
import {createMockLoader, type GlobalEntry} from '../offline/mock-loader.js';
import type {PreparedPolicy} from '../offline/prepare-policies.js';
import {registriesOf} from '../offline/registries.js';
import {sharedRegex} from '../offline/regex.js';

export interface WorldOptions {
  readonly policies: readonly PreparedPolicy[];
  /** For classic policies. */
  readonly exceptions: readonly JsonObject[];
  readonly celExceptions?: readonly JsonObject[];
  /** Objects that stand for a cluster. */
  readonly objects: readonly JsonObject[];
  /** What `resource.*` of expressions finds without a cluster. */
  readonly visible?: readonly JsonObject[];
  readonly images?: readonly ImageMock[];
  readonly definitions?: readonly JsonObject[];
  readonly resources: ResourceMap;
  readonly values: ValuesSpec | undefined;
  readonly set: ReadonlyMap<string, string>;
  readonly user: AdmissionUser | undefined;
  readonly registry: boolean;
  readonly keyServices?: KeyServices;
  /** The real cluster's door, when there is one. */
  readonly cluster: ContextLoader | undefined;
}

/** What `apply` judges in: given files, or a cluster with given values over it. */
export function createWorld(options: WorldOptions): OfflineWorld {
  const {values, set, objects, resources, cluster} = options;
  const regex = sharedRegex();
  const globalEntries = cluster === undefined ? globalEntriesOf(objects, resources) : [];
  const nothingGiven = values === undefined && set.size === 0;
  const configMaps = objects.some(object => kindOf(object) === 'ConfigMap');
  const registries = options.registry ? registriesOf(objects, options.keyServices) : undefined;
  const offline = createMockLoader({
    ...{objects, resources, regex, values, globalEntries},
    visible: options.visible ?? [],
    images: options.images ?? [],
    registries,
    definitions: [...(options.definitions ?? []), ...objects],
  });
  const loader = cluster === undefined ? offline : withGivenNamespaces(cluster, offline, values);
  return {
    policies: options.policies,
    exceptions: options.exceptions,
    celExceptions: options.celExceptions ?? [],
    resources,
    loader,
    regex,
    user: options.user,
    subresources: cluster === undefined ? values?.subresources : undefined,
    values: new OfflineValues({
      values,
      set,
      resolves(type) {
        if (type === 'imageRegistry') return options.registry;
        if (cluster !== undefined) return true;
        switch (type) {
          case 'apiCall':
            return objects.length > 0;
          case 'configMap':
            // What values say of a ConfigMap is not overruled by one that is judged itself.
            return configMaps && nothingGiven;
          case 'globalReference':
            return globalEntries.length > 0;
          default:
            return true;
        }
      },
    }),
  };
}

function withGivenNamespaces(
  cluster: ContextLoader,
  offline: ContextLoader,
  values: ValuesSpec | undefined,
): ContextLoader {
  const given = new Set([
    ...(values?.namespaceSelector ?? []).map(({name}) => name),
    ...(values?.namespaces ?? []).map(nameOf),
  ]);
  return {
    ...cluster,
    images: offline.images,
    imageData: offline.imageData,
    namespaceLabels: (name, load) =>
      given.has(name) ? offline.namespaceLabels(name, load) : cluster.namespaceLabels(name, load),
    resourceGet: (query, load) =>
      query.resource === 'namespaces' && query.group === '' && given.has(query.name)
        ? offline.resourceGet(query, load)
        : cluster.resourceGet(query, load),
  };
}

/** Entries that list objects at hand; those that call an API outside have nobody to answer. */
function globalEntriesOf(objects: readonly JsonObject[], resources: ResourceMap): readonly GlobalEntry[] {
  return objects.filter(isGlobalEntry).flatMap((entry): GlobalEntry[] => {
    const wanted = ownPath(entry, 'spec', 'kubernetesResource');
    if (!isObject(wanted)) return [];
    const projections = ownPath(entry, 'spec', 'projections');
    return [
      {
        name: nameOf(entry),
        data: objects.filter(object => isWanted(object, wanted, resources)),
        projections: (Array.isArray(projections) ? projections : []).flatMap(item =>
          isObject(item) ? [{name: text(own(item, 'name')), path: text(own(item, 'jmesPath'))}] : [],
        ),
      },
    ];
  });
}

export function isGlobalEntry(object: JsonObject): boolean {
  return kindOf(object) === 'GlobalContextEntry' && groupVersionOf(object).group === 'kyverno.io';
}

function isWanted(object: JsonObject, wanted: JsonObject, resources: ResourceMap): boolean {
  const {group, version} = groupVersionOf(object);
  const info = resources.find(kindOf(object)).find(known => known.group === group && known.version === version);
  const namespace = text(own(wanted, 'namespace'));
  return (
    info?.resource === text(own(wanted, 'resource')) &&
    group === text(own(wanted, 'group')) &&
    version === text(own(wanted, 'version')) &&
    (namespace === '' || namespace === namespaceOf(object))
  );
}

function text(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}
