import type {ApiCallRequest, CollectionQuery, ContextLoader, ListQuery} from '../engine/context-loader.js';
import {EvalError} from '../engine/diagnostic.js';
import type {ImageSource} from '../engine/image/verification.js';
import {textMapOf} from '../engine/json/text.js';
import {type Json, type JsonObject, ownPath} from '../engine/json/types.js';
import {apiVersionOf, type KindInfo, type ResourceMap, resourceOfKind} from '../engine/resource-map.js';
import type {HttpCaller} from './http/http-caller.js';
import type {NameLookup} from './http/name-lookup.js';
import type {ServiceCaller} from './http/service-caller.js';
import {imageDataOf} from './images/image-context.js';
import {parseApiPath} from './kube/api-path.js';
import {configMapValue, lookupFailed, uniform} from './kube/context-loader.js';
import {joinKey} from './kube/object-store.js';

export interface OfflineContextLoaderOptions {
  /** Objects that stand for a cluster: Namespaces, ConfigMaps and whatever policies read by API calls. */
  readonly resources: readonly JsonObject[];
  /** Which kind an API path means. */
  readonly resourceMap: ResourceMap;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Uniform in [0, 1); the system's generator when absent. */
  readonly random?: (() => number) | undefined;
  /** Absent = service calls are refused. */
  readonly services?: ServiceCaller | undefined;
  /** Absent = calls of web servers are refused. */
  readonly http?: HttpCaller | undefined;
  /** Absent = no registry is asked. */
  readonly images?: ImageSource | undefined;
  /** Absent = host names cannot be resolved. */
  readonly lookup?: NameLookup | undefined;
}

export interface OfflineContextLoader extends ContextLoader {
  /** From now on, these are all objects there are. */
  replaceResources(resources: readonly JsonObject[]): void;
}

type Objects = ReadonlyMap<string, JsonObject>;

/** The engine's door without a cluster: given objects answer, all else is refused in words that say so. */
export function createOfflineContextLoader(options: OfflineContextLoaderOptions): OfflineContextLoader {
  const {resourceMap, now, random = uniform, services, http, images, lookup} = options;
  let objects = indexObjects(options.resources, resourceMap);

  function apiCall(request: ApiCallRequest, deadline: number): Json | Promise<Json> {
    if (request.service !== undefined) {
      if (services === undefined) throw new EvalError('service calls are not available without a cluster');
      const {url, headers, caBundle} = request.service;
      return services({url, headers, caBundle, method: request.method, data: request.data}, deadline);
    }
    const {path, segments, query} = parseApiPath(request.urlPath ?? '');
    const fail = (why: string, code?: string): never => {
      throw new EvalError(`failed to ${request.method} resource with raw url: ${path}: ${why}`, code);
    };
    if (request.method !== 'GET') return fail('only GET is available without a cluster');
    const target = targetOf(segments, resourceMap) ?? fail('the path names no known resource');
    const {info, namespace, name} = target;
    if (name !== '') return objects.get(objectKey(info, joinKey(namespace, name))) ?? fail('HTTP 404 NotFound', 'not-found');
    if (query.some(([parameter]) => parameter !== 'limit'))
      return fail('selectors are not available without a cluster');
    const search = typeof request.search === 'object' ? request.search : undefined;
    return listObject(objects, info, {...info, namespace, labels: [], ...(search !== undefined && {search})});
  }

  return {
    replaceResources(resources) {
      objects = indexObjects(resources, resourceMap);
    },
    configMap(namespace, name) {
      const found = objects.get(`v1/ConfigMap/${joinKey(namespace, name)}`);
      return found && configMapValue(found);
    },
    apiCall: (request, {deadline}) => apiCall(request, deadline),
    globalReference(name) {
      throw new EvalError(`global context entry ${name}: global context is not available in this release`);
    },
    images,
    imageData: (reference, load) => imageDataOf(images, reference, {...load, allowInsecureRegistry: true}),
    namespaceLabels(name) {
      const found = objects.get(`v1/Namespace/${name}`);
      // The API server puts this label on every Namespace.
      return found && {...textMapOf(ownPath(found, 'metadata', 'labels')), 'kubernetes.io/metadata.name': name};
    },
    lookupHost(name) {
      if (lookup === undefined) throw new EvalError(`host name ${name}: look-ups are not available without a cluster`);
      return lookup(name).catch(lookupFailed(name));
    },
    resourceGet(query) {
      const info = query.subresource === undefined ? resourceMap.kindOf(query) : undefined;
      return info && objects.get(objectKey(info, joinKey(query.namespace, query.name)));
    },
    resourceList: query => listObject(objects, knownKind(query, resourceMap), query),
    resourcePost(request) {
      throw new EvalError(`${request.resource} cannot be created without a cluster`);
    },
    resourceOfKind: (apiVersion, kind) => resourceOfKind(resourceMap, apiVersion, kind),
    httpCall(request, {deadline}) {
      if (http === undefined) throw new EvalError('http calls are not available without a cluster');
      return http(request, deadline);
    },
    now,
    random,
  };
}

function knownKind(query: CollectionQuery, resourceMap: ResourceMap): KindInfo {
  const info = query.subresource === undefined ? resourceMap.kindOf(query) : undefined;
  if (info !== undefined) return info;
  const {group, resource} = query;
  throw new EvalError(`${resource}${group === '' ? '' : `.${group}`} resource not found`);
}

function listObject(objects: Objects, info: KindInfo, {namespace, labels, search}: ListQuery): JsonObject {
  const items = listOf(objects, {info, namespace}).filter(object => {
    const own = textMapOf(ownPath(object, 'metadata', 'labels'));
    // What a search keeps, its selectors select.
    return labels.every(([key, value]) => Object.hasOwn(own, key) && own[key] === value) && (search === undefined || search.keep(object));
  });
  return {apiVersion: apiVersionOf(info), kind: `${info.kind}List`, metadata: {resourceVersion: ''}, items};
}

function indexObjects(resources: readonly JsonObject[], resourceMap: ResourceMap): Objects {
  const objects = new Map<string, JsonObject>();
  for (const object of resources) {
    const apiVersion = ownPath(object, 'apiVersion');
    const kind = ownPath(object, 'kind');
    const name = ownPath(object, 'metadata', 'name');
    const namespace = ownPath(object, 'metadata', 'namespace');
    if (typeof apiVersion !== 'string' || typeof kind !== 'string' || typeof name !== 'string') continue;
    const info = resourceMap.find(kind).find(known => apiVersionOf(known) === apiVersion);
    // As kubectl does for a namespaced object that names none.
    const home = typeof namespace === 'string' && namespace !== '' ? namespace : info?.namespaced ? 'default' : '';
    objects.set(`${apiVersion}/${kind}/${joinKey(home, name)}`, object);
  }
  return objects;
}

interface Target {
  readonly info: KindInfo;
  readonly namespace: string;
  readonly name: string;
}

/** `/api/v1/…` or `/apis/group/version/…`, of a collection or an object; undefined for anything else. */
function targetOf(segments: readonly string[], resourceMap: ResourceMap): Target | undefined {
  const isCore = segments[0] === 'api';
  if (!isCore && segments[0] !== 'apis') return undefined;
  const [group, version, rest] = isCore
    ? ['', segments[1] ?? '', segments.slice(2)]
    : [segments[1] ?? '', segments[2] ?? '', segments.slice(3)];
  const isScoped = rest[0] === 'namespaces' && rest.length > 2;
  const namespace = isScoped ? (rest[1] ?? '') : '';
  const [resource = '', name = '', ...more] = isScoped ? rest.slice(2) : rest;
  const info = resourceMap.kindOf({group, version, resource});
  return info === undefined || more.length > 0 ? undefined : {info, namespace, name};
}

function listOf(
  objects: Objects,
  {info, namespace}: {readonly info: KindInfo; readonly namespace: string},
): JsonObject[] {
  const prefix = objectKey(info, namespace === '' ? '' : `${namespace}/`);
  return [...objects].filter(([key]) => key.startsWith(prefix)).map(([, object]) => object);
}

function objectKey(info: KindInfo, key: string): string {
  return `${apiVersionOf(info)}/${info.kind}/${key}`;
}
