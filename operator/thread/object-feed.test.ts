import {afterEach, beforeEach, describe, expect, it} from 'vitest';
import {systemClock} from '../../adapters/clock.js';
import {createKubeClient} from '../../adapters/kube/client.js';
import {startTestApiServer, type TestApiServer} from '../../adapters/kube/testing/api-server.js';
import {eventually} from '../../adapters/kube/testing/eventually.js';
import type {KubeClient} from '../../adapters/kube/types.js';
import {silentLogger} from '../../adapters/log/logger.js';
import {Float, type JsonObject, ownPath} from '../../engine/json/types.js';
import {createManager, type Manager} from '../manager/manager.js';
import type {ObjectChanges} from './calls.js';
import {createFedReflectors} from './fed-reflectors.js';
import {feedObjects} from './object-feed.js';

const collection = 'api/v1/configmaps';
const kind = {key: 'configmaps', group: '', version: 'v1', resource: 'configmaps', namespaced: true} as const;

let server: TestApiServer;
let client: KubeClient;
let first: Manager;
let second: Manager;
let sent: ObjectChanges[];
const reconciled: string[] = [];

beforeEach(async () => {
  server = await startTestApiServer();
  client = createKubeClient({kubeConfig: server.kubeConfig, userAgent: 'kyverno', qps: 0, burst: 0, log: silentLogger});
  first = createManager({client, clock: systemClock, log: silentLogger});
  first.register(kind);
  const fed = createFedReflectors(silentLogger);
  second = createManager({client, clock: systemClock, log: silentLogger, reflectorFor: (registration, onChange) => fed.create(registration, onChange)});
  reconciled.splice(0);
  second.register({...kind, reconcile: key => void reconciled.push(key), indexers: {team: object => [String(ownPath(object, 'data', 'team'))]}});
  second.start();
  sent = [];
  receive = changes => {
    sent.push(changes);
    fed.take(changes);
  };
});
let receive: (changes: ObjectChanges) => void;

afterEach(async () => {
  await Promise.all([first.stop(), second.stop()]);
  client.close();
  await server.close();
});

const put = (name: string, data: JsonObject) => server.put(collection, {apiVersion: 'v1', kind: 'ConfigMap', metadata: {name, namespace: 'shop'}, data});
const feed = () => feedObjects({reflectorOf: key => first.reflector(key), kinds: ['configmaps'], send: receive});

describe('objects that are passed on', () => {
  it('are complete when the first list is, and follow each change', async () => {
    put('a', {team: 'x'});
    put('b', {team: 'y'});
    const end = feed();
    expect(second.hasSynced).toBe(false);
    first.start();
    await second.whenReconciled();
    expect(reconciled.sort()).toEqual(['shop/a', 'shop/b']);
    expect(second.reconciledVersion('configmaps')).toBe(first.reconciledVersion('configmaps'));
    put('a', {team: 'z'});
    server.remove(collection, 'shop/b');
    await eventually(() => second.lister('configmaps').byIndex('team', 'z').length === 1 && second.lister('configmaps').size === 1);
    end();
    put('c', {team: 'x'});
    await eventually(() => first.lister('configmaps').get('shop/c') !== undefined);
    expect(second.lister('configmaps').get('shop/c')).toBeUndefined();
  });

  it('go together where a list brings many, also to one that begins later', async () => {
    for (let index = 0; index < 20; index += 1) put(`c${index}`, {team: 'x'});
    first.start();
    await first.whenSynced();
    const end = feed();
    await second.whenReconciled();
    expect(sent.length).toBeLessThanOrEqual(2);
    expect(second.lister('configmaps').byIndex('team', 'x')).toHaveLength(20);
    end();
  });

  it('keep their numbers', async () => {
    put('n', {whole: 1, double: new Float(1), large: 9_007_199_254_740_993n});
    const end = feed();
    first.start();
    await second.whenReconciled();
    expect(ownPath(second.lister('configmaps').get('shop/n'), 'data')).toEqual(ownPath(first.lister('configmaps').get('shop/n'), 'data'));
    end();
  });
});
