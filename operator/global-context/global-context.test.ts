import {afterEach, beforeEach, describe, expect, it} from 'vitest';
import {systemClock} from '../../adapters/clock.js';
import {createKubeClient} from '../../adapters/kube/client.js';
import {startTestApiServer, type TestApiServer} from '../../adapters/kube/testing/api-server.js';
import {eventually} from '../../adapters/kube/testing/eventually.js';
import type {KubeClient} from '../../adapters/kube/types.js';
import {silentLogger} from '../../adapters/log/logger.js';
import {createRegexEngine} from '../../adapters/regex/regex-engine.js';
import type {ApiCallRequest, ContextLoader} from '../../engine/context-loader.js';
import {EvalError} from '../../engine/diagnostic.js';
import {builtinResourceMap} from '../../engine/builtin-resources.js';
import {loadGlobalContextEntry} from '../../engine/global-context/load-entry.js';
import {type Json, type JsonObject, ownPath} from '../../engine/json/types.js';
import type {Core, Feature} from '../feature.js';
import {createManager, type Manager} from '../manager/manager.js';
import {EntryStore} from './entry-store.js';
import {createGlobalContextFeature} from './global-context-feature.js';

const collection = 'apis/kyverno.io/v2beta1/globalcontextentries';
let server: TestApiServer;
let client: KubeClient;
let manager: Manager;
let store: EntryStore;
let feature: Feature;
let answer: () => Json;
let events: string[];

beforeEach(async () => {
  server = await startTestApiServer();
  client = createKubeClient({kubeConfig: server.kubeConfig, userAgent: 'kyverno', qps: 0, burst: 0, log: silentLogger});
  manager = createManager({client, clock: systemClock, log: silentLogger});
  store = new EntryStore();
  events = [];
  answer = () => ({items: [1, 2, 3]});
  const loader = {
    apiCall: async (_request: ApiCallRequest) => answer(),
    now: () => Date.now(),
    random: () => 0.5,
  } as unknown as ContextLoader;
  feature = createGlobalContextFeature(
    {
      client,
      clock: systemClock,
      log: silentLogger,
      manager,
      loader,
      regex: createRegexEngine(),
      resources: () => builtinResourceMap,
      events: {emit: (event: {readonly note: string}) => void events.push(event.note)},
      flags: {maxGlobalContextEntries: 2, apiCallTimeout: 1_000},
      isLeading: () => true,
    } as unknown as Core,
    store,
  );
  for (const registration of feature.registrations!) manager.register(registration);
  manager.start();
});

afterEach(async () => {
  await feature.stop!();
  await manager.stop();
  client.close();
  await server.close();
});

function entry(name: string, spec: JsonObject, generation = 1): JsonObject {
  return {apiVersion: 'kyverno.io/v2beta1', kind: 'GlobalContextEntry', metadata: {name, generation}, spec};
}

function readyOf(name: string): Json | undefined {
  const object = server.objects(collection).find(item => ownPath(item, 'metadata', 'name') === name);
  const conditions = ownPath(object, 'status', 'conditions');
  return Array.isArray(conditions) ? ownPath(conditions[0], 'status') : undefined;
}

function read(name: string, projection?: string): Json | undefined | Error {
  try {
    return store.read(name, projection);
  } catch (error) {
    return error as EvalError;
  }
}

describe('global context', () => {
  it('keeps all objects of a kind, and projections of them, up to date', async () => {
    const deployment = (name: string) => ({apiVersion: 'apps/v1', kind: 'Deployment', metadata: {name, namespace: 'shop'}});
    server.put('apis/apps/v1/deployments', deployment('a'));
    server.put(
      collection,
      entry('deployments', {
        kubernetesResource: {group: 'apps', version: 'v1', resource: 'deployments'},
        projections: [{name: 'count', jmesPath: 'length(@)'}],
      }),
    );
    await eventually(() => read('deployments', 'count') === 1);
    await eventually(() => server.watchers === 2);
    server.put('apis/apps/v1/deployments', deployment('b'));
    await eventually(() => read('deployments', 'count') === 2);
    expect((read('deployments') as JsonObject[]).map(item => ownPath(item, 'metadata', 'name'))).toEqual(['a', 'b']);
    expect((read('deployments') as JsonObject[])[0]).not.toHaveProperty('metadata.managedFields');
    await eventually(() => readyOf('deployments') === 'True');
    server.remove(collection, 'deployments');
    await eventually(() => read('deployments') === undefined);
  });

  it('keeps the answer of a call, and its failure until the next success', async () => {
    answer = () => {
      throw new EvalError('HTTP 503 from https://example');
    };
    const call = {urlPath: '/api/v1/nodes', refreshInterval: '1s', retryLimit: 0};
    server.put(collection, entry('nodes', {apiCall: call, projections: [{name: 'n', jmesPath: 'length(items)'}]}));
    await eventually(() => readyOf('nodes') === 'False');
    expect(String(read('nodes'))).toContain('HTTP 503');
    expect(events).toEqual(['global context entry nodes failed: HTTP 503 from https://example']);
    answer = () => ({items: [1, 2]});
    await eventually(() => read('nodes', 'n') === 2);
    await eventually(() => readyOf('nodes') === 'True');
    expect(String(read('nodes', 'other'))).toContain('has no projection other');
  });

  it('tells a projection that fails alone', async () => {
    server.put(
      collection,
      entry('x', {apiCall: {urlPath: '/x'}, projections: [{name: 'bad', jmesPath: 'to_upper(items)'}, {name: 'good', jmesPath: 'items[0]'}]}),
    );
    await eventually(() => read('x', 'good') === 1);
    expect(String(read('x', 'bad'))).toContain('global context entry x, projection bad: ');
  });

  it('keeps no more entries than it may, and takes a changed one anew', async () => {
    for (const name of ['a', 'b', 'c']) server.put(collection, entry(name, {apiCall: {urlPath: `/${name}`}}));
    await eventually(() => String(read('c')).includes('no more than 2 global context entries'));
    answer = () => 'new';
    server.put(collection, entry('a', {apiCall: {urlPath: '/other'}}, 2));
    await eventually(() => read('a') === 'new');
  });
});

describe('an entry that cannot be served', () => {
  const faults = (spec: JsonObject) => loadGlobalContextEntry(entry('x', spec)).errors.map(error => `${error.path}: ${error.message}`);

  it('is told every fault at once', () => {
    expect(faults({})).toEqual(['spec: one of kubernetesResource and apiCall is required']);
    expect(faults({apiCall: {urlPath: '/x'}, kubernetesResource: {version: 'v1', resource: 'pods'}})).toEqual([
      'spec: kubernetesResource and apiCall exclude each other',
    ]);
    expect(faults({kubernetesResource: {}})).toHaveLength(2);
    expect(faults({apiCall: {service: {url: 'http://x'}, method: 'GET', data: [{key: 'a', value: 1}]}})).toEqual([
      'spec.apiCall.data: only a POST request has data',
    ]);
    expect(faults({apiCall: {urlPath: '/x', refreshInterval: 'often', retryLimit: -1}})).toHaveLength(2);
    expect(faults({apiCall: {urlPath: '/x'}, projections: [{name: 'a', jmesPath: 'a['}, {name: 'a', jmesPath: 'b'}, {}]})).toHaveLength(4);
  });
});
