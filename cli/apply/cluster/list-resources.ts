import {objectPath} from '../../../adapters/kube/paths.js';
import type {ResourceRule} from '../../../engine/cel-policies/model.js';
import {isObject, type JsonObject} from '../../../engine/json/types.js';
import {compileKindSelector, type KindSelector} from '../../../engine/match/kind-selector.js';
import type {KindInfo, ResourceMap} from '../../../engine/resource-map.js';
import {nameOf, namespaceOf} from '../../files/load-policies.js';
import type {LoadedResource} from '../../files/load-resources.js';
import type {PreparedPolicy} from '../../offline/prepare-policies.js';
import type {Cluster} from './open-cluster.js';

export interface ListFilter {
  /** Only this namespace; empty for all. */
  readonly namespace: string;
  /** Cluster-scoped kinds alone (and those of the namespace, when one is named). */
  readonly clusterWide: boolean;
  /** Collections read at the same time. */
  readonly concurrent: number;
  /** Objects per page. */
  readonly pageSize: number;
  /** One collection that cannot be read ends all. */
  readonly stopOnError: boolean;
  readonly onProgress: (done: number, total: number) => void;
  readonly onError: (what: string, error: unknown) => void;
}

interface Wanted {
  readonly info: KindInfo;
  /** Also read of each object; empty for none. */
  readonly subresource: string;
}

/** Every object that the policies may select, collection by collection in a fixed order. */
export async function listResources(
  cluster: Cluster,
  policies: readonly PreparedPolicy[],
  filter: ListFilter,
): Promise<readonly LoadedResource[]> {
  const wanted = wantedKinds(policies, cluster.resources).filter(({info}) => takes(info, filter));
  const found: JsonObject[][] = wanted.map(() => []);
  let next = 0;
  let done = 0;
  filter.onProgress(0, wanted.length);
  const worker = async (): Promise<void> => {
    for (let index = next++; index < wanted.length; index = next++) {
      const item = wanted[index]!;
      try {
        found[index] = await list(cluster, item, filter);
      } catch (error) {
        if (filter.stopOnError) throw error;
        filter.onError(`${item.info.resource}${item.subresource === '' ? '' : `/${item.subresource}`}`, error);
      }
      filter.onProgress(++done, wanted.length);
    }
  };
  await Promise.all(Array.from({length: Math.max(1, filter.concurrent)}, worker));
  return found.flat().map(object => ({object, path: '', line: 1}));
}

function takes(info: KindInfo, {namespace, clusterWide}: ListFilter): boolean {
  if (clusterWide) return !info.namespaced || namespace !== '';
  return namespace === '' || info.namespaced || info.kind === 'Namespace';
}

async function list({client}: Cluster, {info, subresource}: Wanted, filter: ListFilter): Promise<JsonObject[]> {
  const collection = {...ref(info), ...(info.namespaced && filter.namespace !== '' && {namespace: filter.namespace})};
  const type = {apiVersion: info.group === '' ? info.version : `${info.group}/${info.version}`, kind: info.kind};
  const {items} = await client.list(collection, {limit: filter.pageSize});
  const objects = items.map(item => ({...type, ...item}));
  const kept =
    info.kind === 'Namespace' && info.group === '' && filter.namespace !== ''
      ? objects.filter(object => nameOf(object) === filter.namespace)
      : objects;
  if (subresource === '') return kept;
  const read: JsonObject[] = [];
  for (const object of kept) {
    const namespace = namespaceOf(object);
    const path = objectPath({...ref(info), name: nameOf(object), ...(namespace !== '' && {namespace})}, subresource);
    const {body} = await client.request({method: 'GET', path});
    if (isObject(body)) read.push(body);
  }
  return read;
}

function ref({group, version, resource}: KindInfo) {
  return {group, version, resource};
}

/** Kinds that any rule selects; of several versions of one kind the preferred one. */
export function wantedKinds(policies: readonly PreparedPolicy[], resources: ResourceMap): readonly Wanted[] {
  const found = new Map<string, Wanted>();
  const selectors = policies.flatMap(policy => [
    ...(policy.compiled?.rules.flatMap(rule => rule.kinds) ?? []),
    ...policy.cleanups.flatMap(cleanup => cleanup.kinds),
  ]);
  const constraints = policies.flatMap(({cel, native}) => [
    ...(cel?.variants.flatMap(variant => variant.constraints ?? []) ?? []),
    ...(native?.source.matchConstraints === undefined ? [] : [native.source.matchConstraints]),
  ]);
  for (const wanted of [
    ...selectors.flatMap(selector => kindsFor(selector, resources)),
    ...constraints.flatMap(({resourceRules}) => resourceRules.flatMap(rule => kindsOfRule(rule, resources))),
  ]) {
    const key = `${wanted.info.group}/${wanted.info.kind}/${wanted.subresource}`;
    if (!found.has(key)) found.set(key, wanted);
  }
  return [...found.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, wanted]) => wanted);
}

/** Kinds that a rule of CEL policies names. What a star stands for is whatever the cluster has. */
function kindsOfRule(
  {apiGroups, apiVersions, resources: names}: ResourceRule,
  resources: ResourceMap,
): readonly Wanted[] {
  const takes = (values: readonly string[], value: string) => values.includes('*') || values.includes(value);
  return resources
    .all()
    .filter(({group, version}) => takes(apiGroups, group) && takes(apiVersions, version))
    .flatMap(info =>
      names.flatMap((text): readonly Wanted[] => {
        const [name = '', subresource = ''] = text.split('/');
        if (name !== '*' && name !== info.resource) return [];
        if (subresource === '' || subresource === '*') return [{info, subresource: ''}];
        return info.subResources.includes(subresource) ? [{info, subresource}] : [];
      }),
    );
}

function kindsFor(selector: KindSelector, resources: ResourceMap): readonly Wanted[] {
  const matches = compileKindSelector({...selector, subresource: '*'});
  const kinds = resources
    .all()
    .filter(info => matches({group: info.group, version: info.version, kind: info.kind, subresource: ''}));
  if (selector.subresource === '') return kinds.map(info => ({info, subresource: ''}));
  return kinds.flatMap(info => [
    {info, subresource: ''},
    ...info.subResources
      .filter(name => selector.subresource === '*' || name === selector.subresource)
      .map(subresource => ({info, subresource})),
  ]);
}
