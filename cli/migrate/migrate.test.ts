import {afterEach, beforeEach, describe, expect, it} from 'vitest';
import {createKubeClient} from '../../adapters/kube/client.js';
import {startTestApiServer, type TestApiServer} from '../../adapters/kube/testing/api-server.js';
import type {KubeClient} from '../../adapters/kube/types.js';
import {silentLog} from '../../adapters/log.js';
import {ownPath} from '../../engine/json/types.js';
import {migrateResource} from './migrate.js';

const definitions = 'apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const widgets = 'apis/example.com/v2/widgets';

let server: TestApiServer;
let client: KubeClient;

beforeEach(async () => {
  server = await startTestApiServer();
  client = createKubeClient({kubeConfig: server.kubeConfig, userAgent: 'test', qps: 0, burst: 0, log: silentLog});
});
afterEach(async () => {
  client.close();
  await server.close();
});

function define(storedVersions: string[], storage = true): void {
  server.put(definitions, {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: {name: 'widgets.example.com'},
    spec: {group: 'example.com', names: {plural: 'widgets'}, versions: [{name: 'v1'}, {name: 'v2', storage}]},
    status: {storedVersions},
  });
}

async function migrate(): Promise<string> {
  let text = '';
  await migrateResource(client, 'widgets.example.com', {out: line => void (text += line)});
  return text;
}

const writes = () => server.requests.filter(request => request.method === 'PUT').map(request => request.path);

describe('migrate', () => {
  it('writes each object at the storage version and then the stored versions', async () => {
    define(['v1', 'v2']);
    for (const [namespace, name] of [
      ['a', 'one'],
      ['b', 'two'],
    ] as const) {
      server.put(widgets, {apiVersion: 'example.com/v2', kind: 'Widget', metadata: {namespace, name}, spec: {size: 1}});
    }
    expect(await migrate()).toMatch(/from v1 to v2\.\.\.\n.*2 objects written, stored versions are now v2\n/);
    expect(writes()).toEqual([
      '/apis/example.com/v2/namespaces/a/widgets/one',
      '/apis/example.com/v2/namespaces/b/widgets/two',
      `/${definitions}/widgets.example.com/status`,
    ]);
    expect(ownPath(server.objects(definitions)[0], 'status', 'storedVersions')).toEqual(['v2']);
    expect(ownPath(server.objects(widgets)[0], 'spec')).toEqual({size: 1});
  });

  it('has nothing to do where only the storage version is stored', async () => {
    define(['v2']);
    expect(await migrate()).toContain('v2 is the only stored version');
    expect(writes()).toEqual([]);
  });

  it('passes over objects that went away or changed meanwhile', async () => {
    define(['v1']);
    for (const name of ['gone', 'changed', 'kept']) server.put(widgets, {metadata: {namespace: 'a', name}});
    server.intercept = ({method, path}, response) => {
      const status = path.endsWith('/gone') ? 404 : path.endsWith('/changed') ? 409 : 0;
      if (method !== 'PUT' || status === 0) return false;
      response.writeHead(status, {'content-type': 'application/json'}).end(`{"kind":"Status","code":${status}}`);
      return true;
    };
    expect(await migrate()).toContain('1 objects written');
  });

  it('leaves the stored versions alone when an object is refused', async () => {
    define(['v1']);
    server.put(widgets, {metadata: {namespace: 'a', name: 'bad'}});
    server.intercept = ({method}, response) => {
      if (method !== 'PUT') return false;
      response
        .writeHead(422, {'content-type': 'application/json'})
        .end('{"kind":"Status","code":422,"message":"size is missing"}');
      return true;
    };
    await expect(migrate()).rejects.toThrow(/^a\/bad: .*size is missing/);
    expect(ownPath(server.objects(definitions)[0], 'status', 'storedVersions')).toEqual(['v1']);
  });

  it('says which definition is not there or has no storage version', async () => {
    await expect(migrate()).rejects.toThrow(/NotFound|not found/i);
    define(['v1'], false);
    await expect(migrate()).rejects.toThrow('no version is marked');
  });
});
