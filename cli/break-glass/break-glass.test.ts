import {readFile} from 'node:fs/promises';
import {join} from 'node:path';
import {parseAllDocuments} from 'yaml';
import {afterEach, beforeEach, describe, expect, it} from 'vitest';
import {createKubeClient} from '../../adapters/kube/client.js';
import {startTestApiServer, type TestApiServer} from '../../adapters/kube/testing/api-server.js';
import type {KubeClient} from '../../adapters/kube/types.js';
import {silentLog} from '../../adapters/log.js';
import type {JsonObject} from '../../engine/json/types.js';
import {ownPath} from '../../engine/json/types.js';
import {planFixedWebhooks} from '../../operator/webhooks/plan-resource-webhooks.js';
import {planStaticWebhooks} from '../../operator/webhooks/plan-static-webhooks.js';
import {guardSystemNamespaces} from '../../operator/webhooks/system-namespaces.js';
import {breakGlass, deleteLine} from './break-glass.js';

const group = 'apis/admissionregistration.k8s.io/v1';
const validating = `${group}/validatingwebhookconfigurations`;
const labels = {'webhook.kyverno.io/managed-by': 'kyverno'};

let server: TestApiServer;
let client: KubeClient;

beforeEach(async () => {
  server = await startTestApiServer();
  client = createKubeClient({kubeConfig: server.kubeConfig, userAgent: 'test', qps: 0, burst: 0, log: silentLog});
  server.put(validating, {metadata: {name: 'kyverno-one', labels}, webhooks: [{name: 'a', failurePolicy: 'Fail'}, {name: 'b', failurePolicy: 'Ignore'}]});
  server.put(`${group}/mutatingwebhookconfigurations`, {metadata: {name: 'kyverno-two', labels}, webhooks: []});
  server.put(validating, {metadata: {name: 'foreign', labels: {}}, webhooks: [{name: 'c', failurePolicy: 'Fail'}]});
});

afterEach(async () => {
  client.close();
  await server.close();
});

async function run(options: {readonly ignore?: boolean; readonly dryRun?: boolean} = {}): Promise<string> {
  let text = '';
  await breakGlass(client, {ignore: false, dryRun: false, ...options, out: line => void (text += line)});
  return text;
}

const names = () => server.objects(validating).map(object => ownPath(object, 'metadata', 'name'));

describe('break-glass', () => {
  it('removes every configuration of the operator and nothing else, and says so', async () => {
    const text = await run();
    expect(text).toContain('validatingwebhookconfigurations/kyverno-one deleted');
    expect(text).toContain('mutatingwebhookconfigurations/kyverno-two deleted');
    expect(text).toContain(deleteLine);
    expect(names()).toEqual(['foreign']);
    expect(await run()).toContain('nothing to do');
  });

  it('has requests pass while nobody answers, and leaves the configurations', async () => {
    expect(await run({ignore: true})).toContain('kyverno-one: 1 of 2 entries set to Ignore');
    const one = server.objects(validating).find(object => ownPath(object, 'metadata', 'name') === 'kyverno-one')!;
    expect((one['webhooks'] as JsonObject[]).map(entry => entry['failurePolicy'])).toEqual(['Ignore', 'Ignore']);
    expect(await run({ignore: true})).toContain('nothing to do');
  });

  it('does nothing on a dry run', async () => {
    expect(await run({dryRun: true})).toContain('kyverno-one would be deleted');
    expect(names()).toContain('kyverno-one');
  });
});

describe('install/break-glass.yaml', () => {
  it('names every configuration that the operator writes', async () => {
    const text = await readFile(join(import.meta.dirname, '../../install/break-glass.yaml'), 'utf8');
    const listed = parseAllDocuments(text).map(document => document.toJS() as {kind: string; metadata: {name: string}});
    const planned = [...planStaticWebhooks({defaultTimeout: 10}), ...planFixedWebhooks({defaultTimeout: 10}).flatMap(guardSystemNamespaces)];
    const named = listed.map(({kind, metadata}) => `${kind} ${metadata.name}`);
    expect(named).toEqual(expect.arrayContaining(planned.map(({kind, name}) => `${kind} ${name}`)));
  });
});
