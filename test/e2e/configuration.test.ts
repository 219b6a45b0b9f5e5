import {afterAll, beforeAll, describe, expect, it} from 'vitest';
import {eventually} from '../cluster/eventually.js';
import {docCommands} from '../guide/doc-blocks.js';
import {createNamespaces} from './support/namespaces.js';
import {type OperatorCluster, startOperatorCluster} from './support/operator-cluster.js';
import {collectionOf, put, type Thing} from './support/policies.js';
import {configMap, labelRule, policy} from './support/samples.js';
import {createShell, type Shell} from './support/shell.js';

const group = '/apis/operator.kyverno-ts.io/v1alpha1/kyvernoconfigurations';
const validating = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/kyverno-resource-validating-webhook-cfg';

let operator: OperatorCluster;
let shell: Shell;

beforeAll(async () => {
  operator = await startOperatorCluster({replicas: 2});
  shell = createShell(operator.cluster);
  await createNamespaces(operator, ['shop']);
});
afterAll(() => operator?.stop());

function configuration(spec: Record<string, unknown>, name = 'default'): Thing {
  return {apiVersion: 'operator.kyverno-ts.io/v1alpha1', kind: 'KyvernoConfiguration', metadata: {name}, spec};
}

interface Status {
  readonly metadata: {readonly generation: number};
  readonly status?: {
    readonly observedGeneration?: number;
    readonly conditions?: readonly {readonly type: string; readonly status: string; readonly message: string}[];
    readonly effective?: readonly {readonly key: string; readonly value: string; readonly source: string}[];
    readonly rejectedKeys?: readonly {readonly key: string; readonly source: string; readonly reason: string}[];
  };
}

/** The status once it describes what was written last. */
async function status(): Promise<NonNullable<Status['status']>> {
  return eventually(
    async () => {
      const {body} = await operator.cluster.request<Status>('GET', `${group}/default`);
      return body.status?.observedGeneration === body.metadata.generation ? body.status : undefined;
    },
    {what: 'status of the KyvernoConfiguration'},
  );
}

async function set(spec: Record<string, unknown>) {
  await operator.cluster.request('DELETE', `${group}/default`);
  const {status: code, body} = await operator.cluster.request('POST', group, configuration(spec));
  expect(code, JSON.stringify(body)).toBe(201);
  return status();
}

async function condition(type: string) {
  return (await status()).conditions?.find(each => each.type === type);
}

async function effective(key: string) {
  const found = (await status()).effective?.find(each => each.key === key);
  return found && [found.value, found.source];
}

async function timeouts(): Promise<readonly number[]> {
  const {body} = await operator.cluster.request<{webhooks?: readonly {timeoutSeconds: number}[]}>('GET', validating);
  return (body.webhooks ?? []).map(({timeoutSeconds}) => timeoutSeconds);
}

describe('nobody makes a KyvernoConfiguration', () => {
  it('and none is needed', async () => {
    const {body} = await operator.cluster.request<{items: unknown[]}>('GET', group);
    expect(body.items).toEqual([]);
  });

  it('another name is refused by the API server', async () => {
    const {status: code, body} = await operator.cluster.request<{message: string}>('POST', group, configuration({}, 'other'));
    expect(code).toBe(422);
    expect(body.message).toContain('there is one KyvernoConfiguration, named default');
  });

  it('a key that no setting has is refused by the API server', async () => {
    const {stderr, code} = await shell.run(`kubectl apply --validate=strict -f - <<'E'\n${JSON.stringify(configuration({webhookTimeot: 3}))}\nE`);
    expect(code).toBe(1);
    expect(stderr).toContain('webhookTimeot');
  });
});

describe('an empty one', () => {
  it('changes nothing, and says where every setting comes from', async () => {
    const {conditions, effective: all = []} = await set({});
    expect(conditions).toMatchObject([{type: 'Ready', status: 'True'}, {type: 'RestartNeeded', status: 'False'}]);
    expect(await effective('webhookTimeout')).toEqual(['10', 'default']);
    expect(await effective('updateRequestThreshold')).toEqual(['1000', 'configMap']);
    expect(all.map(({source}) => source)).not.toContain('resource');
  });
});

describe('hot settings', () => {
  it('reach webhook configurations, and leave with the key', async () => {
    await put(operator, [policy('needs-team', {rules: [labelRule('team')]})]);
    await set({webhookTimeout: 17});
    await eventually(async () => (await timeouts()).includes(17), {what: 'the timeout in the webhook configuration'});
    expect(await effective('webhookTimeout')).toEqual(['17', 'resource']);
    await set({});
    await eventually(async () => (await timeouts()).includes(10), {what: 'the default timeout'});
  });

  it('win over the ConfigMap, for requests too', async () => {
    const refused = async () => (await operator.cluster.request('POST', `${collectionOf(configMap('a'))}?dryRun=All`, configMap('a'))).status >= 400;
    await eventually(refused, {what: 'refusal'});
    await set({resourceFilters: ['[ConfigMap,*,*]']});
    await eventually(async () => !(await refused()), {what: 'no refusal'});
    expect(await effective('resourceFilters')).toEqual(['[ConfigMap,*,*]', 'resource']);
    await operator.cluster.request('DELETE', `${group}/default`);
    await eventually(refused, {what: 'refusal after the resource is gone'});
  });
});

describe('keys that cannot be used', () => {
  it('are named with their reason and take no other one along', async () => {
    const {rejectedKeys} = await set({webhookTimeout: 99, maxContextSize: 'big', v: 3, tracingAddress: 'https://user:hidden@collector'});
    expect(rejectedKeys).toMatchObject([
      {key: 'webhookTimeout', source: 'resource', reason: expect.stringContaining('1 to 30')},
      {key: 'maxContextSize', source: 'resource'},
    ]);
    expect(await condition('Ready')).toMatchObject({status: 'False', message: expect.stringContaining('webhookTimeout')});
    expect(await effective('v')).toEqual(['3', 'resource']);
    expect(JSON.stringify(await status())).not.toContain('hidden');
  });
});

describe('settings that are read at the start', () => {
  it('ask for a restart of every replica, and are in force after it', async () => {
    await set({maxAuditCapacity: 900});
    await eventually(async () => (await condition('RestartNeeded'))?.status === 'True', {what: 'RestartNeeded'});
    expect(await condition('RestartNeeded')).toMatchObject({message: expect.stringMatching(/2 of 2 replicas .* maxAuditCapacity/)});
    expect(await effective('maxAuditCapacity')).toEqual(['1000', 'default']);
    const {code, stderr} = await shell.run(`set -e\n${docCommands('configuration.md', 'restart')}`);
    expect(code, stderr).toBe(0);
    await eventually(async () => (await condition('RestartNeeded'))?.status === 'False', {what: 'RestartNeeded is over', timeoutMs: 180_000});
    expect(await effective('maxAuditCapacity')).toEqual(['900', 'resource']);
  });
});

describe('docs/configuration.md', () => {
  it('has commands that do what it says', async () => {
    await operator.cluster.request('DELETE', `${group}/default`);
    const applied = await shell.run(`set -e\n${docCommands('configuration.md', 'apply')}`);
    expect(applied.code, applied.stderr).toBe(0);
    const shown = await shell.run(`set -e\n${docCommands('configuration.md', 'effective')}`);
    expect(shown.code, shown.stderr).toBe(0);
    expect(shown.stdout).toContain('webhookTimeout=15');
    expect(shown.stdout).toMatch(/READY\s+RESTART NEEDED/);
  });
});
