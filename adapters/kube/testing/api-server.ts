import {createServer, type IncomingMessage, type Server, type ServerResponse} from 'node:http';
import type {AddressInfo, Socket} from 'node:net';
import {KubeConfig} from '@kubernetes/client-node';
import {parseJson} from '../../../engine/json/parse.js';
import {stringifyJson} from '../../../engine/json/stringify.js';
import {applyFields, sameContent, updatedFields} from './field-ownership.js';
import {isObject, type Json, type JsonObject, own, ownPath} from '../../../engine/json/types.js';

/** A request as the server saw it. */
export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage['headers'];
  readonly body: Json;
}

/** Answers a request instead of the server (true), or leaves it alone. */
export type Intercept = (request: SeenRequest, response: ServerResponse) => boolean;

interface Address {
  readonly collection: string;
  readonly namespace: string;
  readonly name: string;
  readonly subresource: string;
}

interface LogEntry {
  readonly version: number;
  readonly collection: string;
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: JsonObject;
}

interface Watcher {
  readonly address: Address;
  readonly selector: string;
  readonly response: ServerResponse;
  frozen: boolean;
}

export interface TestApiServer {
  readonly url: string;
  readonly kubeConfig: KubeConfig;
  readonly requests: SeenRequest[];
  intercept: Intercept | undefined;
  /** Writes behind the API's back, as another client would. `collection` is e.g. `api/v1/pods`. */
  put(collection: string, object: JsonObject): JsonObject;
  remove(collection: string, key: string): void;
  objects(collection: string): JsonObject[];
  /** Forgets all versions until now: watches from them get 410. */
  compact(): void;
  bookmark(): void;
  /** Keeps record of who set which field, and applies by it; off, an apply is a merge. */
  tracksFields: boolean;
  /** Ends streams: cleanly, in the middle of a line, or with an ERROR event. */
  endWatches(how: 'clean' | 'cut' | 'expired'): void;
  /** Open streams stay open and say nothing more. */
  freezeWatches(): void;
  readonly watchers: number;
  /** The server goes away; `up` brings it back on the same port with all it knew. */
  down(): Promise<void>;
  up(): Promise<void>;
  close(): Promise<void>;
}

/** The parts of the API that a client, reflector and lease use, with faults on demand. In memory, plain HTTP on loopback. */
export async function startTestApiServer(): Promise<TestApiServer> {
  const collections = new Map<string, Map<string, JsonObject>>();
  const watchers = new Set<Watcher>();
  const sockets = new Set<Socket>();
  const requests: SeenRequest[] = [];
  const pages = new Map<string, readonly JsonObject[]>();
  let log: LogEntry[] = [];
  let version = 100;
  let compacted = 0;
  let server: Server | undefined;
  let port = 0;

  function objectsOf(collection: string): Map<string, JsonObject> {
    const known = collections.get(collection);
    if (known) return known;
    const made = new Map<string, JsonObject>();
    collections.set(collection, made);
    return made;
  }

  function record(entry: Omit<LogEntry, 'version'>): void {
    const full = {...entry, version};
    log.push(full);
    for (const watcher of watchers) deliver(watcher, full);
  }

  function deliver({address, selector, response, frozen}: Watcher, {collection, type, object}: LogEntry): void {
    if (frozen || collection !== address.collection || !selects(address, {object, selector})) return;
    response.write(`${stringifyJson({type, object})}\n`);
  }

  function store(collection: string, object: JsonObject): JsonObject {
    const metadata = own(object, 'metadata') as JsonObject;
    const key = keyOf(object);
    const objects = objectsOf(collection);
    const old = objects.get(key);
    version += 1;
    const kept: JsonObject = {
      ...object,
      metadata: {
        uid: ownPath(old, 'metadata', 'uid') ?? `uid-${version}`,
        ...(api.tracksFields && {creationTimestamp: ownPath(old, 'metadata', 'creationTimestamp') ?? new Date().toISOString()}),
        managedFields: [{manager: 'test'}],
        ...metadata,
        resourceVersion: String(version),
      },
    };
    objects.set(key, kept);
    record({collection, type: old ? 'MODIFIED' : 'ADDED', object: kept});
    return kept;
  }

  function remove(collection: string, key: string): void {
    const objects = objectsOf(collection);
    const old = objects.get(key);
    if (old === undefined) return;
    version += 1;
    objects.delete(key);
    const metadata = {...(own(old, 'metadata') as JsonObject), resourceVersion: String(version)};
    record({collection, type: 'DELETED', object: {...old, metadata}});
  }

  function list(address: Address, query: URLSearchParams): JsonObject {
    const selector = query.get('labelSelector') ?? '';
    const token = query.get('continue') ?? '';
    const limit = Number(query.get('limit') ?? 0);
    const [at = '0', id = ''] = token.split(':');
    const all =
      pages.get(id) ??
      [...objectsOf(address.collection).values()].filter(object => selects(address, {object, selector}));
    const from = Number(at);
    const items = limit > 0 ? all.slice(from, from + limit) : all.slice(from);
    const more = from + items.length < all.length;
    const pageId = id || `${version}-${pages.size}`;
    if (more) pages.set(pageId, all);
    const listVersion = id === '' ? String(version) : id.split('-', 1)[0]!;
    return {
      apiVersion: 'v1',
      kind: 'List',
      metadata: {resourceVersion: listVersion, ...(more && {continue: `${from + items.length}:${pageId}`})},
      items: [...items],
    };
  }

  function watch(address: Address, {query, response}: {query: URLSearchParams; response: ServerResponse}): true {
    const from = Number(query.get('resourceVersion') ?? 0);
    if (from < compacted) return fail(response, {code: 410, reason: 'Expired'});
    response.writeHead(200, {'content-type': 'application/json'});
    response.flushHeaders();
    const watcher: Watcher = {address, selector: query.get('labelSelector') ?? '', response, frozen: false};
    for (const entry of log) if (entry.version > from) deliver(watcher, entry);
    watchers.add(watcher);
    response.on('close', () => watchers.delete(watcher));
    return true;
  }

  function write(request: SeenRequest, {address, response}: {address: Address; response: ServerResponse}): true {
    const objects = objectsOf(address.collection);
    const body = request.body as JsonObject;
    if (request.method === 'POST') {
      const metadata = {
        ...(own(body, 'metadata') as JsonObject),
        ...(address.namespace && {namespace: address.namespace}),
      };
      const object = {...body, metadata};
      if (request.query.get('dryRun') === 'All') return answer(response, object, 201);
      if (objects.has(keyOf(object))) return fail(response, {code: 409, reason: 'AlreadyExists'});
      const made = api.tracksFields ? updatedFields(undefined, object, request.query.get('fieldManager') ?? 'test') : object;
      return answer(response, store(address.collection, made), 201);
    }
    const key = address.namespace ? `${address.namespace}/${address.name}` : address.name;
    const old = objects.get(key);
    if (request.method === 'PATCH' && api.tracksFields && request.headers['content-type']?.includes('apply')) {
      const manager = request.query.get('fieldManager') ?? '';
      const applied = applyFields(old, body, {manager, force: request.query.get('force') === 'true'});
      if ('conflict' in applied) return answer(response, {kind: 'Status', status: 'Failure', code: 409, reason: 'Conflict', message: applied.conflict}, 409);
      if (sameContent(old, applied.object)) return answer(response, old!);
      return answer(response, store(address.collection, {...applied.object, metadata: {...(own(applied.object, 'metadata') as JsonObject), name: address.name, ...(address.namespace && {namespace: address.namespace})}}), 201);
    }
    if (request.method === 'PATCH' && old === undefined && request.headers['content-type']?.includes('apply')) {
      return answer(response, store(address.collection, body), 201);
    }
    if (old === undefined) return fail(response, {code: 404, reason: 'NotFound'});
    const wanted = ownPath(body, 'metadata', 'resourceVersion') ?? ownPath(body, 'preconditions', 'resourceVersion');
    if (wanted !== undefined && wanted !== ownPath(old, 'metadata', 'resourceVersion')) {
      return fail(response, {code: 409, reason: 'Conflict'});
    }
    const wantedUid = ownPath(body, 'preconditions', 'uid');
    if (wantedUid !== undefined && wantedUid !== ownPath(old, 'metadata', 'uid')) return fail(response, {code: 409, reason: 'Conflict'});
    if (request.method === 'DELETE') {
      remove(address.collection, key);
      return answer(response, {kind: 'Status', status: 'Success'});
    }
    const next = request.method === 'PATCH' ? merge(old, body) : body;
    const result =
      address.subresource === 'status'
        ? {...old, status: own(next, 'status') ?? null}
        : {...next, status: own(old, 'status') ?? own(next, 'status') ?? null};
    const changed: JsonObject = {...result, metadata: {...(own(address.subresource ? old : next, 'metadata') as JsonObject)}};
    if (!api.tracksFields) return answer(response, store(address.collection, changed));
    if (own(changed, 'status') === null) delete changed['status'];
    const tracked = updatedFields(old, changed, request.query.get('fieldManager') ?? 'test');
    return answer(response, sameContent(old, tracked) ? old : store(address.collection, tracked));
  }

  function handle(request: SeenRequest, response: ServerResponse): true {
    requests.push(request);
    if (api.intercept?.(request, response)) return true;
    const address = parsePath(request.path);
    if (address === undefined) return fail(response, {code: 404, reason: 'NotFound'});
    if (request.method !== 'GET') return write(request, {address, response});
    if (request.query.get('watch') === 'true') return watch(address, {query: request.query, response});
    if (address.name === '') return answer(response, list(address, request.query));
    const found = objectsOf(address.collection).get(
      address.namespace ? `${address.namespace}/${address.name}` : address.name,
    );
    if (found === undefined) return fail(response, {code: 404, reason: 'NotFound'});
    return answer(response, found);
  }

  function listen(): Promise<void> {
    const created = createServer((incoming, response) => {
      const url = new URL(incoming.url ?? '/', 'http://localhost');
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.on('end', () => {
        const text = Buffer.concat(chunks).toString('utf8');
        const {method = 'GET', headers} = incoming;
        handle(
          {method, path: url.pathname, query: url.searchParams, headers, body: text === '' ? null : parseJson(text)},
          response,
        );
      });
    });
    created.on('connection', socket => {
      if (away) {
        socket.destroy();
        return;
      }
      sockets.add(socket);
      socket.on('close', () => sockets.delete(socket));
    });
    server = created;
    return new Promise(resolve =>
      created.listen(port, '127.0.0.1', () => {
        port = (created.address() as AddressInfo).port;
        resolve();
      }),
    );
  }

  /** The port is kept: given back, it would be somebody else's before the server is up again. */
  let away = false;

  async function down(): Promise<void> {
    away = true;
    watchers.clear();
    for (const socket of sockets) socket.destroy();
  }

  async function up(): Promise<void> {
    away = false;
  }

  async function close(): Promise<void> {
    await down();
    await new Promise<void>(resolve => server?.close(() => resolve()));
  }

  await listen();
  const url = `http://127.0.0.1:${port}`;
  const api: TestApiServer = {
    url,
    kubeConfig: kubeConfigFor(url),
    requests,
    intercept: undefined,
    tracksFields: false,
    put: (collection, object) => store(collection, api.tracksFields ? updatedFields(objectsOf(collection).get(keyOf(object)), object, 'kubectl') : object),
    remove,
    objects: collection => [...objectsOf(collection).values()],
    compact() {
      compacted = version;
      log = [];
    },
    bookmark() {
      const object = {kind: 'Bookmark', apiVersion: 'v1', metadata: {resourceVersion: String(version)}};
      for (const {frozen, response} of watchers) {
        if (!frozen) response.write(`${stringifyJson({type: 'BOOKMARK', object})}\n`);
      }
    },
    endWatches(how) {
      const ended = [...watchers];
      watchers.clear();
      for (const {response} of ended) {
        if (how === 'expired') {
          const object = {kind: 'Status', status: 'Failure', reason: 'Expired', code: 410, message: 'too old'};
          response.end(`${stringifyJson({type: 'ERROR', object})}\n`);
        } else if (how === 'cut') {
          response.write('{"type":"MODIFIED","object":{"metadata":{"na', () => response.destroy());
        } else response.end();
      }
    },
    freezeWatches() {
      for (const watcher of watchers) watcher.frozen = true;
    },
    get watchers() {
      return watchers.size;
    },
    down,
    up,
    close,
  };
  return api;
}

/** A kubeconfig for one server, without credentials unless given. */
export function kubeConfigFor(server: string, user: Readonly<Record<string, unknown>> = {}): KubeConfig {
  const kubeConfig = new KubeConfig();
  kubeConfig.loadFromOptions({
    clusters: [{name: 'test', server, skipTLSVerify: true}],
    users: [{name: 'test', ...user}],
    contexts: [{name: 'test', cluster: 'test', user: 'test'}],
    currentContext: 'test',
  });
  return kubeConfig;
}

export function fail(response: ServerResponse, {code, reason}: {code: number; reason: string}): true {
  return answer(
    response,
    {kind: 'Status', apiVersion: 'v1', status: 'Failure', code, reason, message: `${reason}, says the test`},
    code,
  );
}

export function answer(response: ServerResponse, body: JsonObject, status = 200): true {
  response.writeHead(status, {'content-type': 'application/json'});
  response.end(stringifyJson(body));
  return true;
}

function parsePath(path: string): Address | undefined {
  const parts = path.split('/').filter(Boolean).map(decodeURIComponent);
  const depth = parts[0] === 'api' ? 2 : parts[0] === 'apis' ? 3 : 0;
  if (depth === 0 || parts.length <= depth) return undefined;
  const root = parts.slice(0, depth).join('/');
  const rest = parts.slice(depth);
  const scoped = rest[0] === 'namespaces' && rest.length > 2;
  const [resource = '', name = '', subresource = ''] = scoped ? rest.slice(2) : rest;
  return {collection: `${root}/${resource}`, namespace: scoped ? (rest[1] ?? '') : '', name, subresource};
}

function selects({namespace}: Address, {object, selector}: {object: JsonObject; selector: string}): boolean {
  if (namespace !== '' && ownPath(object, 'metadata', 'namespace') !== namespace) return false;
  return selector.split(',').every(requirement => {
    const [label, value] = requirement.split('=');
    if (!label) return true;
    const found = ownPath(object, 'metadata', 'labels', label);
    return value === undefined ? found !== undefined : found === value;
  });
}

function keyOf(object: JsonObject): string {
  const namespace = ownPath(object, 'metadata', 'namespace');
  const name = String(ownPath(object, 'metadata', 'name'));
  return typeof namespace === 'string' && namespace !== '' ? `${namespace}/${name}` : name;
}

function merge(target: JsonObject, patch: JsonObject): JsonObject {
  const result: JsonObject = {...target};
  for (const [key, value] of Object.entries(patch)) {
    const old = own(result, key);
    if (value === null) delete result[key];
    else result[key] = isObject(value) ? merge(isObject(old) ? old : {}, value) : value;
  }
  return result;
}
