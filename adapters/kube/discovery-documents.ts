import {isObject, type Json, type JsonObject, own, ownPath} from '../../engine/json/types.js';
import type {KindInfo} from '../../engine/resource-map.js';
import type {DiscoveredVersion} from './discovery.js';
import {textOf} from '../../engine/json/text.js';

/** Asks for all groups in one answer (Kubernetes 1.26 on), and takes the short lists of older servers. */
export const aggregatedMediaType = [
  'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList',
  'application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList',
  'application/json',
].join(',');

/** Group versions of an APIGroupDiscoveryList, in the server's order: preferred first. */
export function aggregatedKinds(list: JsonObject): DiscoveredVersion[] {
  return objects(own(list, 'items')).flatMap(item => {
    const group = textOf(ownPath(item, 'metadata', 'name'));
    return objects(own(item, 'versions')).map((entry): DiscoveredVersion => {
      const version = textOf(own(entry, 'version'));
      const kinds = objects(own(entry, 'resources')).flatMap(resource => aggregatedKind(resource, {group, version}));
      // A stale entry is what the aggregator remembers of a server that is down; when that is nothing, others may know.
      const isUnknown = own(entry, 'freshness') === 'Stale' && kinds.length === 0;
      return {group, version, kinds: isUnknown ? undefined : kinds};
    });
  });
}

function aggregatedKind(resource: JsonObject, {group, version}: {group: string; version: string}): KindInfo[] {
  const kind = textOf(ownPath(resource, 'responseKind', 'kind'));
  const name = textOf(own(resource, 'resource'));
  if (kind === '' || name === '') return [];
  const subResources = objects(own(resource, 'subresources'))
    .map(entry => textOf(own(entry, 'subresource')))
    .filter(subresource => subresource !== '');
  return [{group, version, kind, resource: name, namespaced: own(resource, 'scope') === 'Namespaced', subResources}];
}

/** Kinds of an APIResourceList. */
export function resourceListKinds(body: Json, {group, version}: {group: string; version: string}): KindInfo[] {
  const entries = isObject(body) ? objects(own(body, 'resources')) : [];
  const subResources = new Map<string, string[]>();
  for (const entry of entries) {
    const [parent, ...rest] = textOf(own(entry, 'name')).split('/');
    if (parent === undefined || rest.length === 0) continue;
    const known = subResources.get(parent);
    if (known) known.push(rest.join('/'));
    else subResources.set(parent, [rest.join('/')]);
  }
  return entries.flatMap((entry): KindInfo[] => {
    const resource = textOf(own(entry, 'name'));
    const kind = textOf(own(entry, 'kind'));
    if (resource === '' || kind === '' || resource.includes('/')) return [];
    const namespaced = own(entry, 'namespaced') === true;
    return [{group, version, kind, resource, namespaced, subResources: subResources.get(resource) ?? []}];
  });
}

function objects(value: Json | undefined): JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}
