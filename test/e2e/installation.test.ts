import {afterAll, beforeAll, describe, expect, it} from 'vitest';
import type {JsonObject} from '../../engine/json/types.js';
import {eventually} from '../cluster/eventually.js';
import {type OperatorCluster, startOperatorCluster} from './support/operator-cluster.js';
import {collectionOf, put} from './support/policies.js';
import {configMap, labelRule, policy} from './support/samples.js';
import {createNamespaces} from './support/namespaces.js';

interface ConfigurationList {
  readonly items: ReadonlyArray<{
    readonly metadata: {readonly name: string};
    readonly webhooks?: ReadonlyArray<{readonly clientConfig: JsonObject}>;
  }>;
}

let operator: OperatorCluster;

/** Webhooks by address instead of Service: an operator that runs beside its cluster. */
beforeAll(async () => {
  operator = await startOperatorCluster({replicas: 1, args: ['--serverIP=127.0.0.1']});
  await createNamespaces(operator, ['shop']);
});
afterAll(() => operator?.stop());

async function ours(): Promise<ConfigurationList['items']> {
  const lists = await Promise.all(
    ['validatingwebhookconfigurations', 'mutatingwebhookconfigurations'].map(resource =>
      operator.cluster.request<ConfigurationList>(
        'GET',
        `/apis/admissionregistration.k8s.io/v1/${resource}?labelSelector=webhook.kyverno.io%2Fmanaged-by%3Dkyverno`,
      ),
    ),
  );
  return lists.flatMap(list => list.body.items);
}

describe('an installation without a Service', () => {
  it('is called by URL and judges all the same', async () => {
    await put(operator, [policy('owned', {rules: [labelRule('owner', {kinds: ['ConfigMap']})]})]);
    const configurations = await ours();
    const entries = configurations.flatMap(configuration => configuration.webhooks ?? []);
    expect(entries.length).toBeGreaterThan(0);
    expect(entries.every(entry => String(entry.clientConfig['url']).startsWith('https://127.0.0.1/'))).toBe(true);
    const object = configMap('nobodys');
    const {status, body} = await operator.cluster.request<{message?: string}>('POST', collectionOf(object), object);
    expect(status, body.message).toBeGreaterThanOrEqual(400);
    expect(body.message).toContain('owned');
  });
});

describe('the ConfigMap', () => {
  const patch = (data: Record<string, string | null>) =>
    operator.cluster.kubectl(['-n', 'kyverno', 'patch', 'configmap', 'kyverno', '--type=merge', '-p', JSON.stringify({data})]);

  it('cannot keep policies from being enforced by a condition that the API server refuses', async () => {
    await patch({matchConditions: JSON.stringify([{name: 'broken', expression: 'request.nonsense('}])});
    await put(operator, [policy('tiered', {rules: [labelRule('tier', {kinds: ['Secret']})]})]);
    const conditions = (await ours()).flatMap(({webhooks = []}) => webhooks.map(entry => (entry as {matchConditions?: unknown}).matchConditions));
    expect(conditions).not.toHaveLength(0);
    expect(JSON.stringify(conditions)).not.toContain('nonsense');
    await patch({matchConditions: null});
  });

  it('lets users through whom it names, as soon as it says so', async () => {
    const object = configMap('freed');
    const create = () => operator.cluster.request('POST', `${collectionOf(object)}?dryRun=All`, object);
    expect((await create()).status).toBeGreaterThanOrEqual(400);
    await patch({excludeGroups: 'system:nodes,system:masters'});
    await eventually(async () => (await create()).status === 201, {what: 'the exclusion'});
    await patch({excludeGroups: 'system:nodes'});
    await eventually(async () => (await create()).status >= 400, {what: 'the exclusion to end'});
  });
});

describe('the end of an installation', () => {
  it('keeps its webhooks while a Pod is only replaced', async () => {
    const before = (await ours()).map(({metadata}) => metadata.name).sort();
    const pod = operator.agent.replicas()[0]?.name;
    await operator.cluster.kubectl(['-n', 'kyverno', 'delete', 'pod', String(pod)]);
    await eventually(async () => operator.agent.replicas().some(({name, ready}) => name !== pod && ready), {
      what: 'the next replica',
      timeoutMs: 120_000,
    });
    expect((await ours()).map(({metadata}) => metadata.name).sort()).toEqual(before);
  });

  it('takes its webhooks along when it is scaled to nothing, so that nobody is locked out', async () => {
    await operator.cluster.kubectl(['-n', 'kyverno', 'scale', 'deployment', 'kyverno', '--replicas=0']);
    await eventually(async () => operator.agent.replicas().length === 0, {what: 'no replica', timeoutMs: 120_000});
    expect(await ours()).toEqual([]);
    const object = configMap('free');
    expect((await operator.cluster.request('POST', collectionOf(object), object)).status).toBe(201);
  });

  it('puts them back when it is scaled up again', async () => {
    await operator.cluster.kubectl(['-n', 'kyverno', 'scale', 'deployment', 'kyverno', '--replicas=1']);
    await eventually(async () => (await ours()).length >= 7, {what: 'webhook configurations', timeoutMs: 120_000});
    const object = configMap('nobodys-again');
    await eventually(
      async () => (await operator.cluster.request('POST', `${collectionOf(object)}?dryRun=All`, object)).status >= 400,
      {what: 'enforcement', timeoutMs: 60_000},
    );
  });
});
