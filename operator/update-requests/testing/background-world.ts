import {type Clock, systemClock} from '../../../adapters/clock.js';
import {type JsonObject, ownPath} from '../../../engine/json/types.js';
import {parseYamlDocuments} from '../../../engine/yaml/index.js';
import type {EngineRequest} from '../../../engine/types.js';
import {builtinResourceMap} from '../../../engine/builtin-resources.js';
import {celResourceKey} from '../../cel-policies/cel-kinds.js';
import type {AdmissionRoute} from '../../../webhook/routes.js';
import {existingObjectRequest} from '../../requests/existing-object.js';
import {createTestCore, type TestCore} from '../../testing/test-core.js';
import {createBackgroundFeature} from '../background-feature.js';
import {createRequestsFeature} from '../requests-feature.js';

export interface BackgroundWorld extends TestCore {
  /** Puts a policy on the API server and into the cache. */
  policy(yaml: string, fields?: JsonObject): void;
  dropPolicy(name: string): void;
  /** The same of a policy written in CEL. */
  celPolicy(yaml: string, fields?: JsonObject): void;
  dropCelPolicy(kind: string, key: string): void;
  /** A user's request: admitted, stored, and the observer told. */
  create(collection: string, object: JsonObject, user?: string): Promise<JsonObject>;
  update(collection: string, object: JsonObject): Promise<JsonObject>;
  remove(collection: string, key: string): Promise<void>;
  /** A request that is told of and has no effect. */
  admit(object: JsonObject, operation: 'CREATE' | 'UPDATE' | 'DELETE'): Promise<void>;
  /** A request on a subresource (`pods/eviction`), its creation unless told otherwise. */
  part(at: {readonly resource: string; readonly subResource: string; readonly namespace: string; readonly name: string; readonly uid: string; readonly operation?: 'CREATE' | 'UPDATE'}, object: JsonObject): Promise<void>;
  get(collection: string, key: string): JsonObject | undefined;
  /** Nothing is left to do: no update request waits, and the API server sees no write for a while. */
  settled(): Promise<void>;
  /** Requests that wrote, as `PATCH path`. */
  writes(): string[];
  requests(): JsonObject[];
  lead(leading: boolean): void;
}

const urCollection = 'apis/kyverno.io/v2/updaterequests';
let clockOffset = 0;

export interface BackgroundWorldOptions {
  readonly lead?: boolean;
  readonly searchBytes?: number;
  readonly webhooksServed?: () => boolean | Promise<boolean>;
  /** One that stands still leaves requests all their time, however slow the machine is. */
  readonly clock?: Clock;
  /** Time of each request. */
  readonly requestMs?: number;
}

/** The background feature on an API server in this process. */
export async function createBackgroundWorld({lead = true, searchBytes, webhooksServed = () => true, clock = systemClock, requestMs = 1_000}: BackgroundWorldOptions = {}): Promise<BackgroundWorld> {
  const test = await createTestCore({reads: 'cluster', searchBytes, clock});
  const {core, server} = test;
  server.tracksFields = true;
  const feature = createBackgroundFeature({...core, webhooksServed});
  let leads = false;
  const {expected} = core.findings;
  const {observer} = createRequestsFeature(core, {
    works: () => leads,
    expect: (uid, work) => expected.expect(uid, work),
    over: work => expected.over(work),
    remember: work => void feature.remember(work),
  });
  const setLeading = (leading: boolean) => {
    leads = leading;
    feature.setLeading?.(leading);
  };
  core.manager.register({key: 'clusterpolicies', group: 'kyverno.io', version: 'v1', resource: 'clusterpolicies', namespaced: false, reconcile: () => undefined});
  core.manager.register({key: 'policies', group: 'kyverno.io', version: 'v1', resource: 'policies', namespaced: true, reconcile: () => undefined});
  for (const kind of ['GeneratingPolicy', 'MutatingPolicy', 'NamespacedGeneratingPolicy', 'NamespacedMutatingPolicy']) {
    const resource = celResourceKey(kind);
    core.manager.register({key: resource, group: 'policies.kyverno.io', version: 'v1beta1', resource: kind.toLowerCase().replace(/y$/, 'ies'), namespaced: kind.startsWith('Namespaced'), reconcile: () => undefined});
  }
  core.manager.register({key: 'namespaces', group: '', version: 'v1', resource: 'namespaces', namespaced: false});
  await test.run({...feature, setLeading: leading => setLeading(leading && lead)});

  const find = (collection: string, key: string) =>
    server.objects(collection).find(object => [ownPath(object, 'metadata', 'namespace'), ownPath(object, 'metadata', 'name')].filter(Boolean).join('/') === key);

  async function admitted(object: JsonObject, operation: 'CREATE' | 'UPDATE' | 'DELETE', old: JsonObject | undefined, username: string): Promise<void> {
    const [group, version] = String(object['apiVersion']).includes('/') ? String(object['apiVersion']).split('/') : ['', String(object['apiVersion'])];
    const kind = builtinResourceMap.find(String(object['kind'])).find(info => info.group === group && info.version === version)!;
    const base = existingObjectRequest(object, kind, operation);
    const request: EngineRequest = {
      ...base,
      uid: `request-${clockOffset}`,
      oldObject: operation === 'CREATE' ? undefined : old,
      raw: {...base.raw, uid: `request-${clockOffset++}`, userInfo: {username, groups: []}, ...(operation !== 'DELETE' && {object}), ...(operation !== 'CREATE' && old !== undefined && {oldObject: old})},
      user: {username, groups: [], roles: [], clusterRoles: []},
    };
    await told(request);
  }

  async function told(request: EngineRequest): Promise<void> {
    for (const route of routes()) {
      if (observer?.concerns(request, route) === true) await observer.admitted(request, route, clock.now() + requestMs);
    }
  }

  function routes(): AdmissionRoute[] {
    const cel = [...core.cel.cache.policies()].map(({kind, key}): AdmissionRoute => ({handler: 'cel', pattern: '', webhook: 'validate', kind, policies: [key.slice(key.indexOf('/') + 1)]}));
    return [{handler: 'validate', pattern: '/validate', webhook: 'validate'}, ...cel];
  }

  function collectionOf(kind: string): string {
    return `apis/policies.kyverno.io/v1beta1/${kind.toLowerCase().replace(/y$/, 'ies')}`;
  }

  const isWrite = ({method, path}: {method: string; path: string}) => method !== 'GET' && !/selfsubject|events/.test(path);

  const world: BackgroundWorld = {
    ...test,
    policy(yaml, fields = {}) {
      const [document] = parseYamlDocuments(yaml);
      const written = document!.value as JsonObject;
      const metadata = {...(ownPath(written, 'metadata') as JsonObject), creationTimestamp: new Date(Date.now() - 2_000).toISOString(), generation: 1, ...fields};
      const isCluster = written['kind'] === 'ClusterPolicy';
      const stored = server.put(`apis/kyverno.io/v1/${isCluster ? 'clusterpolicies' : 'policies'}`, {...written, metadata});
      const state = core.cache.putPolicy(stored);
      if (state.status === 'refused') throw new Error(JSON.stringify(state.problems));
      feature.onPolicy?.(isCluster ? 'ClusterPolicy' : 'Policy', state.key, state, undefined);
    },
    dropPolicy(name) {
      server.remove('apis/kyverno.io/v1/clusterpolicies', name);
      core.cache.dropPolicy(name);
      feature.onPolicy?.('ClusterPolicy', name, undefined, undefined);
    },
    celPolicy(yaml, fields = {}) {
      const [document] = parseYamlDocuments(yaml);
      const written = document!.value as JsonObject;
      const kind = String(written['kind']);
      const metadata = {...(ownPath(written, 'metadata') as JsonObject), creationTimestamp: new Date(Date.now() - 2_000).toISOString(), generation: 1, ...fields};
      const state = core.cel.cache.putPolicy(server.put(collectionOf(kind), {...written, metadata}));
      if (state.status === 'refused') throw new Error(JSON.stringify(state.problems));
      feature.onCelPolicy?.(kind, state.key, state);
    },
    dropCelPolicy(kind, key) {
      server.remove(collectionOf(kind), key);
      core.cel.cache.dropPolicy(kind, key);
      feature.onCelPolicy?.(kind, key, undefined);
    },
    async create(collection, object, user = 'alice') {
      const stored = server.put(collection, object);
      await admitted(stored, 'CREATE', undefined, user);
      return stored;
    },
    async update(collection, object) {
      const key = [ownPath(object, 'metadata', 'namespace'), ownPath(object, 'metadata', 'name')].filter(Boolean).join('/');
      const old = find(collection, key);
      const {managedFields: _managed, resourceVersion: _version, ...metadata} = ownPath(object, 'metadata') as JsonObject;
      const next = {...object, metadata: {...metadata, creationTimestamp: ownPath(old, 'metadata', 'creationTimestamp') ?? null}};
      const stored = server.put(collection, next);
      await admitted(stored, 'UPDATE', old, 'alice');
      return stored;
    },
    async remove(collection, key) {
      const old = find(collection, key);
      server.remove(collection, key);
      if (old !== undefined) await admitted(old, 'DELETE', old, 'alice');
    },
    admit: (object, operation) => admitted(object, operation, object, 'alice'),
    async part({resource, subResource, namespace, name, uid, operation = 'CREATE'}, object) {
      const [version = '', group = ''] = String(object['apiVersion']).split('/').reverse();
      const of = {group: '', version: 'v1', resource};
      const whole = builtinResourceMap.kindOf(of)!;
      const raw: JsonObject = {uid, kind: {group, version, kind: String(object['kind'])}, resource: of, subResource, requestSubResource: subResource, namespace, name, operation, object};
      await told({uid, kind: {group: whole.group, version: whole.version, kind: whole.kind}, resource: of, subResource, namespace, name, operation, object, oldObject: undefined, user: {username: 'alice', groups: [], roles: [], clusterRoles: []}, dryRun: false, raw});
    },
    get: find,
    async settled() {
      let last = -1;
      for (let quiet = 0; quiet < 16; ) {
        await new Promise(resolve => setTimeout(resolve, 50));
        const count = server.requests.length;
        const waits = server.objects(urCollection).some(object => ownPath(object, 'status', 'state') !== 'Failed');
        quiet = count === last && !waits ? quiet + 1 : 0;
        last = count;
      }
    },
    writes: () => server.requests.filter(isWrite).map(({method, path}) => `${method} ${path}`),
    requests: () => server.objects(urCollection),
    lead: setLeading,
  };
  return world;
}

export function namespaceObject(name: string, labels: JsonObject = {}): JsonObject {
  return {apiVersion: 'v1', kind: 'Namespace', metadata: {name, labels}};
}

export function configMap(namespace: string, name: string, data: JsonObject, labels: JsonObject = {}): JsonObject {
  return {apiVersion: 'v1', kind: 'ConfigMap', metadata: {namespace, name, labels}, data};
}

