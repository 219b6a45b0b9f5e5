import {afterAll, beforeAll, describe, expect, it} from 'vitest';
import {eventually} from '../cluster/eventually.js';
import {type OperatorCluster, startOperatorCluster} from './support/operator-cluster.js';
import {put, type Thing} from './support/policies.js';
import {scrape, total} from './support/replicas.js';

/** 1000 in the long run; see CONTRIBUTING. */
const count = Number(process.env['STORM_NAMESPACES'] ?? 60);
let operator: OperatorCluster;

beforeAll(async () => {
  operator = await startOperatorCluster();
});
afterAll(() => operator?.stop());

function rule(name: string) {
  return {
    name,
    match: {any: [{resources: {kinds: ['Namespace'], selector: {matchLabels: {storm: 'yes'}}}}]},
    generate: {apiVersion: 'v1', kind: 'ConfigMap', name, namespace: '{{ request.object.metadata.name }}', synchronize: true, data: {data: {of: '{{ request.object.metadata.name }}'}}},
  };
}

describe('many triggers at once', () => {
  it(`${count} namespaces get three objects each: one write for each of them, two for each request`, async () => {
    const policy: Thing = {apiVersion: 'kyverno.io/v1', kind: 'ClusterPolicy', metadata: {name: 'storm'}, spec: {rules: ['one', 'two', 'three'].map(rule)}};
    await put(operator, [policy]);
    const names = Array.from({length: count}, (_, index) => `storm-${index}`);
    const started = Date.now();
    for (let at = 0; at < names.length; at += 20) {
      await Promise.all(
        names.slice(at, at + 20).map(name =>
          operator.cluster.request('POST', '/api/v1/namespaces', {apiVersion: 'v1', kind: 'Namespace', metadata: {name, labels: {storm: 'yes'}}}),
        ),
      );
    }
    const sent = Date.now();
    const found = await eventually(
      async () => {
        const {body} = await operator.cluster.request<{items: Thing[]}>('GET', '/api/v1/configmaps?labelSelector=generate.kyverno.io/policy-name%3Dstorm');
        return body.items.length === 3 * count && body.items;
      },
      {what: `${3 * count} objects`, timeoutMs: 300_000, everyMs: 250},
    );
    const made = Date.now();
    await eventually(async () => (await operator.cluster.request<{items: unknown[]}>('GET', '/apis/kyverno.io/v2/namespaces/kyverno/updaterequests')).body.items.length === 0, {
      what: 'no update requests',
      timeoutMs: 120_000,
    });
    const series = await scrape(operator.agent);
    const writes = Object.fromEntries(['create', 'update', 'delete'].map(operation => [operation, total(series, 'kyverno_generate_writes_total', {operation})]));
    const requests = total(series, 'kyverno_update_requests_created_total');
    console.log(`${count} namespaces created in ${sent - started} ms, all ${3 * count} objects there ${made - sent} ms later; writes ${JSON.stringify(writes)}, update requests ${requests}`);
    expect(writes).toEqual({create: 3 * count, update: 0, delete: 0});
    expect(requests).toBe(count);
    expect(new Set(found.map(({metadata}) => `${metadata.namespace}/${metadata.name}`)).size).toBe(3 * count);
  }, 600_000);
});
