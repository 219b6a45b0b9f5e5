import {randomBytes} from 'node:crypto';
import type {ApiCallRequest, CollectionQuery, ContextLoader, LoadOptions, ObjectSearch} from '../../engine/context-loader.js';
import {EvalError} from '../../engine/diagnostic.js';
import type {ImageParseOptions} from '../../engine/image/parse-image.js';
import type {ImageSource} from '../../engine/image/verification.js';
import {textMapOf} from '../../engine/json/text.js';
import {isObject, type Json, type JsonObject, own, ownPath} from '../../engine/json/types.js';
import {type ResourceMap, resourceOfKind} from '../../engine/resource-map.js';
import type {Clock} from '../clock.js';
import type {HttpCaller} from '../http/http-caller.js';
import type {NameLookup} from '../http/name-lookup.js';
import type {ServiceCaller} from '../http/service-caller.js';
import {parseApiPath} from './api-path.js';
import {createKindSchemas} from './kind-schemas.js';
import {hasStatus, KubeError} from './kube-error.js';
import {joinKey, type ObjectReader} from './object-store.js';
import {searchCollection} from './paged-search.js';
import {collectionPath, objectPath} from './paths.js';
import type {SearchRoom} from './search-room.js';
import {imageDataOf} from '../images/image-context.js';
import {createPublishedOpenApi} from './published-openapi.js';
import type {KubeClient, ObjectRef} from './types.js';

export interface KubeContextLoaderOptions {
  readonly client: KubeClient;
  /** Namespaces as mirrored; what is not in it is read live. */
  readonly namespaces: ObjectReader;
  /** ConfigMaps as mirrored (those labelled `cache.kyverno.io/enabled`); what is not in it is read live. */
  readonly configMaps?: ObjectReader | undefined;
  readonly clock: Clock;
  readonly lookup: NameLookup;
  /** Absent = service calls are refused. */
  readonly services?: ServiceCaller | undefined;
  /** Absent = calls of web servers are refused. */
  readonly http?: HttpCaller | undefined;
  /** Absent = no registry is asked. */
  readonly images?: ImageSource | undefined;
  /** What images that name no registry mean; Docker's own registry when absent. May change. */
  readonly imageDefaults?: ImageParseOptions | undefined;
  /** Plain HTTP and unproven certificates for images that no policy's credentials go with. */
  readonly allowInsecureRegistry?: boolean | undefined;
  /** Kinds that the cluster serves; absent = none is known by its name. */
  readonly resources?: ResourceMap | undefined;
  /** Values of GlobalContextEntries, `undefined` for one that there is not; absent = they are not kept. */
  readonly globalContext?: {read(name: string, projection: string | undefined): Json | undefined} | undefined;
  /** Bytes of one answer; 2 MiB when absent. */
  readonly maxBytes?: number | undefined;
  /** Memory for what searches find; absent = each search has its own limit only. */
  readonly searchRoom?: SearchRoom | undefined;
  /** Milliseconds for one live read; 10 s when absent. The caller's deadline ends it earlier for that caller. */
  readonly readTimeoutMs?: number | undefined;
}

type Labels = Readonly<Record<string, string>>;

/** The engine's door in a cluster: mirrored objects without waiting, live reads else. */
export function createKubeContextLoader(options: KubeContextLoaderOptions): ContextLoader {
  const {client, namespaces, configMaps, clock, lookup, services, http, images, resources, globalContext} = options;
  const {readTimeoutMs = 10_000, searchRoom: room} = options;
  /** Read anew each time: the setting may change. */
  const bytesAtMost = () => options.maxBytes ?? 2 * 1024 * 1024;
  const reads = new Map<string, Promise<JsonObject | undefined>>();
  const labelsOf = new WeakMap<JsonObject, Labels>();
  const schemas = resources && createKindSchemas({client, resources, clock, timeoutMs: readTimeoutMs});
  const published = createPublishedOpenApi({client, clock, timeoutMs: readTimeoutMs});

  /** One live read at a time per question: who asks while it runs shares its answer. */
  function once(key: string, start: () => Promise<JsonObject | undefined>): Promise<JsonObject | undefined> {
    const running = reads.get(key);
    if (running !== undefined) return running;
    const started = start().finally(() => reads.delete(key));
    reads.set(key, started);
    return started;
  }

  /** `undefined` when the object does not exist. */
  function read(ref: ObjectRef): Promise<JsonObject | undefined> {
    const where = joinKey(ref.namespace ?? '', ref.name);
    return once(`${ref.resource}/${where}`, () =>
      client.get(ref, {timeoutMs: readTimeoutMs, maxBytes: bytesAtMost()}).catch((error: unknown) => {
        if (hasStatus(error, 404)) return undefined;
        const why = isDenial(error) ? deniedText({verb: 'GET', query: {...ref, namespace: ref.namespace ?? ''}, name: ref.name}, error) : reasonOf(error);
        throw new EvalError(`failed to read ${ref.resource} ${where}: ${why}`);
      }),
    );
  }

  function labels(namespace: JsonObject): Labels {
    const known = labelsOf.get(namespace);
    if (known !== undefined) return known;
    const made = textMapOf(ownPath(namespace, 'metadata', 'labels'));
    labelsOf.set(namespace, made);
    return made;
  }

  async function apiCall(request: ApiCallRequest, deadline: number): Promise<Json> {
    if (request.service !== undefined) {
      if (services === undefined) throw new EvalError('service calls are not enabled');
      const {url, headers, caBundle} = request.service;
      return services({url, headers, caBundle, method: request.method, data: request.data}, deadline);
    }
    const urlPath = request.urlPath ?? '';
    const {path, query} = parseApiPath(urlPath);
    const {search} = request;
    try {
      if (typeof search === 'object') return await searchCollection({client, clock, path, query, search, deadline, room});
      const body = request.method === 'POST' ? (request.data ?? {}) : undefined;
      const left = deadline - clock.now();
      const timeoutMs = Number.isFinite(left) ? Math.max(1, left) : undefined;
      const maxBytes = search === undefined ? bytesAtMost() : undefined;
      const {body: answer} = await client.request({method: request.method, path, query, body, timeoutMs, maxBytes});
      return answer;
    } catch (error) {
      if (error instanceof EvalError) throw error;
      const code = hasStatus(error, 404) ? 'not-found' : undefined;
      // Lists by one name may be granted for that name.
      const by = typeof search === 'object' && search.fieldSelector !== undefined ? `?fieldSelector=${search.fieldSelector}` : '';
      throw new EvalError(`failed to ${request.method} resource with raw url: ${path}${by}: ${reasonOf(error)}`, code);
    }
  }

  /** What the API server answers to `resource.*`. */
  async function exchange(call: ResourceCall, load: LoadOptions): Promise<JsonObject | undefined> {
    const {verb: method, parameters: query, body} = call;
    const path = pathOf(call);
    const started = (timeoutMs: number | undefined) =>
      client.request({method, path, query, body, timeoutMs, maxBytes: bytesAtMost()}).then(
        response => {
          if (isObject(response.body)) return response.body;
          throw new EvalError(`${placeOf(call)}: the answer is no object`);
        },
        error => {
          if (call.orNone === true && hasStatus(error, 404)) return undefined;
          throw failureOf(call, error);
        },
      );
    if (method === 'GET') {
      const key = `${call.orNone === true} ${path} ${query?.['labelSelector'] ?? ''}`;
      return beforeDeadline(
        once(key, () => started(readTimeoutMs)),
        {clock, load},
      );
    }
    const left = load.deadline - clock.now();
    return beforeDeadline(started(Number.isFinite(left) ? Math.max(1, left) : undefined), {clock, load});
  }

  /** Its labels are part of the search. */
  async function found(call: ResourceCall, search: ObjectSearch, {deadline}: LoadOptions): Promise<JsonObject> {
    try {
      return await searchCollection({client, clock, path: pathOf(call), query: [], search, deadline, room});
    } catch (error) {
      throw error instanceof EvalError ? error : failureOf(call, error, search);
    }
  }

  async function objectOf(call: ResourceCall, load: LoadOptions): Promise<JsonObject> {
    const object = await exchange(call, load);
    if (object !== undefined) return object;
    throw new EvalError(`${placeOf(call)}: the answer is no object`);
  }

  return {
    configMap(namespace, name, load) {
      const cached = configMaps?.get(joinKey(namespace, name));
      if (cached !== undefined) return configMapValue(cached);
      const live = read({group: '', version: 'v1', resource: 'configmaps', namespace, name});
      return beforeDeadline(live, {clock, load}).then(object => object && configMapValue(object));
    },
    apiCall(request, load) {
      const asked = apiCall(request, load.deadline);
      // A search keeps to the deadline itself, and says how far it came.
      return typeof request.search === 'object' ? asked : beforeDeadline(asked, {clock, load});
    },
    globalReference(name, projection) {
      if (globalContext !== undefined) return globalContext.read(name, projection);
      throw new EvalError(`global context entry ${name}: global context is not available here`);
    },
    get imageDefaults() {
      return options.imageDefaults;
    },
    images,
    imageData: (reference, load) =>
      imageDataOf(images, reference, {...load, allowInsecureRegistry: options.allowInsecureRegistry === true}),
    namespaceLabels(name, load) {
      const cached = namespaces.get(name);
      if (cached !== undefined) return labels(cached);
      const live = read({group: '', version: 'v1', resource: 'namespaces', name});
      return beforeDeadline(live, {clock, load}).then(object => object && labels(object));
    },
    lookupHost(name, load) {
      // Who no longer waits leaves the resolver's queue.
      const over = new AbortController();
      const found = lookup(name, over.signal).catch(lookupFailed(name));
      return beforeDeadline(found, {clock, load}).finally(() => over.abort());
    },
    resourceGet(query, load) {
      const isConfigMap = query.resource === 'configmaps' && query.group === '' && query.version === 'v1';
      const mirrored =
        isConfigMap && query.subresource === undefined
          ? configMaps?.get(joinKey(query.namespace, query.name))
          : undefined;
      return mirrored ?? exchange({verb: 'GET', query, name: query.name, orNone: true}, load);
    },
    resourceList(query, load) {
      if (query.search !== undefined) return found({verb: 'GET', query}, query.search, load);
      const selector = query.labels.map(([key, value]) => `${key}=${value}`).join(',');
      return objectOf({verb: 'GET', query, ...(selector !== '' && {parameters: {labelSelector: selector}})}, load);
    },
    resourcePost: (request, load) =>
      objectOf({verb: 'POST', query: request, name: postedName(request), body: request.object}, load),
    resourceOfKind: (apiVersion, kind) =>
      resources === undefined ? undefined : resourceOfKind(resources, apiVersion, kind),
    kindSchema(apiVersion, kind, load) {
      const found = schemas?.(apiVersion, kind);
      return found instanceof Promise ? beforeDeadline(found, {clock, load}) : found;
    },
    openApi(groupVersion, load) {
      const found = published(groupVersion);
      return found instanceof Promise ? beforeDeadline(found, {clock, load}) : found;
    },
    httpCall(request, load) {
      if (http === undefined) throw new EvalError('http calls are not enabled');
      return beforeDeadline(http(request, load.deadline), {clock, load});
    },
    now: () => clock.now(),
    random: uniform,
  };
}

interface ResourceCall {
  readonly verb: 'GET' | 'POST';
  readonly query: CollectionQuery;
  /** Absent: the collection. */
  readonly name?: string | undefined;
  readonly parameters?: Readonly<Record<string, string>>;
  readonly body?: JsonObject;
  /** A 404 is an answer: there is none. */
  readonly orNone?: true;
}

/** The namespace is always part of the path when there is one: what is cluster-scoped is not found below it. */
function pathOf({query, name}: ResourceCall): string {
  for (const text of [name, query.namespace]) {
    // The server decodes a path before it takes it apart: a slash in a name would lead to a subresource.
    if (text === '.' || text === '..' || (text !== undefined && /[/\\%]|\p{Cc}/u.test(text))) {
      throw new EvalError(`${JSON.stringify(text.slice(0, 100))} is no name of an object`);
    }
  }
  return name === undefined ? collectionPath(query) : objectPath({...query, name}, query.subresource);
}

function placeOf({query, name}: ResourceCall): string {
  const what = query.subresource === undefined ? query.resource : `${query.resource}/${query.subresource}`;
  return name === undefined ? what : `${what} ${joinKey(query.namespace, name)}`;
}

function failureOf(call: ResourceCall, error: unknown, search?: ObjectSearch): EvalError {
  if (isDenial(error)) return new EvalError(deniedText(call, error, search));
  return new EvalError(`${placeOf(call)}: ${reasonOf(error)}`);
}

function isDenial(error: unknown): error is KubeError {
  return hasStatus(error, 401) || hasStatus(error, 403);
}

/** Names the right as it would be granted: `get deployments/scale.apps shop/web`, `list pods in namespace shop named web`. */
function deniedText({verb, query, name}: ResourceCall, {status}: KubeError, search?: ObjectSearch): string {
  const {group, resource, subresource, namespace} = query;
  const right = verb === 'POST' ? 'create' : name === undefined ? 'list' : 'get';
  const what = `${resource}${subresource === undefined ? '' : `/${subresource}`}${group === '' ? '' : `.${group}`}`;
  const where = name !== undefined ? ` ${joinKey(namespace, name)}` : namespace === '' ? '' : ` in namespace ${namespace}`;
  const named = search?.fieldSelector?.startsWith('metadata.name=') === true ? ` named ${search.fieldSelector.slice('metadata.name='.length)}` : '';
  return `permission denied: ${right} ${what}${where}${named} (HTTP ${status})`;
}

/** A subresource hangs on an object, which the body names: `serviceaccounts/token`. */
function postedName({subresource, object}: CollectionQuery & {readonly object: JsonObject}): string | undefined {
  if (subresource === undefined) return undefined;
  const name = ownPath(object, 'metadata', 'name');
  if (typeof name === 'string' && name !== '') return name;
  throw new EvalError(`the object of ${subresource} needs metadata.name`);
}

/** Uniform in [0, 1), from the system's generator. */
export function uniform(): number {
  return randomBytes(6).readUIntBE(0, 6) / 2 ** 48;
}

/** `{data, metadata}`: binary data is not for policies. */
export function configMapValue(configMap: JsonObject): JsonObject {
  return {data: own(configMap, 'data') ?? {}, metadata: own(configMap, 'metadata') ?? {}};
}

export function lookupFailed(name: string): (error: unknown) => never {
  return error => {
    if (error instanceof EvalError) throw error;
    const code = (error as NodeJS.ErrnoException | undefined)?.code;
    throw new EvalError(`host name ${name} could not be resolved${typeof code === 'string' ? `: ${code}` : ''}`);
  };
}

/** The wording is ours: a server's message may repeat what the policy's author must not see. */
function reasonOf(error: unknown): string {
  if (!(error instanceof KubeError)) return 'the request failed';
  if (error.status === 401 || error.status === 403) return `permission denied (HTTP ${error.status})`;
  const reason = /^[A-Za-z]{1,40}$/.test(error.reason) ? error.reason : '';
  if (error.status === 0)
    return reason === 'Timeout' || reason === 'Aborted' ? 'no answer in time' : `the request failed (${reason})`;
  return `HTTP ${error.status}${reason === '' ? '' : ` ${reason}`}`;
}

/** Rejects at the caller's deadline, whatever the shared work behind it does. */
function beforeDeadline<T>(
  work: Promise<T>,
  {clock, load}: {readonly clock: Clock; readonly load: LoadOptions},
): Promise<T> {
  const left = load.deadline - clock.now();
  if (left === Number.POSITIVE_INFINITY) return work;
  return new Promise<T>((resolve, reject) => {
    const late = () => reject(new EvalError('context could not be loaded in the time of its request'));
    const cancel = clock.schedule(Math.max(0, left), late);
    work.then(resolve, reject).finally(cancel);
  });
}
