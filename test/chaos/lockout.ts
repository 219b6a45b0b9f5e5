import {expect, it} from 'vitest';
import {eventually} from '../cluster/eventually.js';
import {put, type Thing} from '../e2e/support/policies.js';
import type {ChaosCluster} from './support/chaos-cluster.js';
import {namespace, standing} from './support/policies.js';

const configurations = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations';
const resource = `${configurations}/kyverno-resource-validating-webhook-cfg`;
const system = 'openshift-apps';

interface Configuration {
  readonly metadata: {readonly name: string; readonly uid: string; readonly generation: number; readonly labels?: Readonly<Record<string, string>>};
  readonly webhooks: readonly {readonly name: string; readonly failurePolicy: string; readonly timeoutSeconds: number; readonly clientConfig: {readonly caBundle: string}}[];
}

/** What a cluster needs to boot, refused to everybody without a label while a replica answers. */
const boot: Thing = {
  apiVersion: 'kyverno.io/v1',
  kind: 'ClusterPolicy',
  metadata: {name: 'lock', annotations: {'pod-policies.kyverno.io/autogen-controllers': 'none'}},
  spec: {
    background: false,
    failurePolicy: 'Fail',
    rules: [
      {
        name: 'key',
        match: {any: [{resources: {kinds: ['Pod', 'Node', 'Lease'], operations: ['CREATE']}}]},
        validate: {failureAction: 'Enforce', message: 'a key is wanted', pattern: {metadata: {labels: {key: '?*'}}}},
      },
    ],
  },
};

/** As restricted as the operator's namespace wants its Pods. */
const pod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {name: 'asked'},
  spec: {
    securityContext: {runAsNonRoot: true, seccompProfile: {type: 'RuntimeDefault'}},
    containers: [{name: 'c', image: 'nowhere.example/c', securityContext: {allowPrivilegeEscalation: false, capabilities: {drop: ['ALL']}}}],
  },
};
const needed: ReadonlyArray<readonly [what: string, path: string, body: unknown]> = [
  ['a Pod of kube-system', '/api/v1/namespaces/kube-system/pods', pod],
  ['a Pod of another kube- namespace', '/api/v1/namespaces/kube-public/pods', pod],
  ['a Pod of an openshift- namespace', `/api/v1/namespaces/${system}/pods`, pod],
  ['a Pod of the operator', '/api/v1/namespaces/kyverno/pods', pod],
  ['a Node', '/api/v1/nodes', {apiVersion: 'v1', kind: 'Node', metadata: {name: 'asked'}}],
  ['a Lease', '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases', {apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: {name: 'asked'}, spec: {}}],
];

/** Nobody is left to answer; what the cluster boots from goes on, the rest waits, and the next replica mends what it finds. */
export function lockoutSuite(get: () => ChaosCluster): void {
  const ask = async (path: string, body: unknown) => {
    const {status, body: answer} = await get().cluster.request('POST', `${path}?dryRun=All`, body);
    return {status, text: JSON.stringify(answer)};
  };
  const configMap = () => ask(`/api/v1/namespaces/${namespace}/configmaps`, {apiVersion: 'v1', kind: 'ConfigMap', metadata: {name: 'asked', labels: {team: 'red'}}});

  it('all replicas are killed: Pods of the system, Nodes, Leases and the own Pods can be created, and a restart repairs', async () => {
    const chaos = get();
    const {cluster, agent, balancer, proxy} = chaos;
    await chaos.whole();
    await cluster.request('POST', '/api/v1/namespaces', {apiVersion: 'v1', kind: 'Namespace', metadata: {name: system}});
    for (const place of ['kube-system', 'kube-public', system, 'kyverno']) {
      await eventually(async () => (await cluster.request('GET', `/api/v1/namespaces/${place}/serviceaccounts/default`)).status === 200, {what: `the account of ${place}`});
    }
    await put(chaos, [boot]);
    // While a replica answers it judges there, too.
    expect((await ask(`/api/v1/namespaces/${system}/pods`, pod)).text).toContain('a key is wanted');

    proxy.refuse();
    proxy.cut();
    try {
      for (const {pid} of agent.replicas()) if (pid !== undefined) process.kill(pid, 'SIGKILL');
      await eventually(() => balancer.backends.length === 0, {what: 'nobody is left'});
      const answers = await Promise.all(needed.map(async ([what, path, body]) => ({what, ...(await ask(path, body))})));
      expect(answers.filter(({status}) => status !== 201)).toEqual([]);
      expect((await configMap()).text).toContain('failed calling webhook');

      // What comes back finds an authority that is not its own, and one configuration less.
      const {body: found} = await cluster.request<Configuration>('GET', resource);
      const webhooks = found.webhooks.map(entry => ({...entry, clientConfig: {...entry.clientConfig, caBundle: Buffer.from(cluster.ca).toString('base64')}}));
      expect((await cluster.request('PUT', resource, {...found, webhooks})).status).toBe(200);
      await cluster.request('DELETE', `${configurations}/kyverno-webhook-cfg`);
    } finally {
      proxy.pass();
    }
    await chaos.whole();
    await eventually(async () => (await configMap()).status === 201, {what: 'requests are judged again', timeoutMs: 120_000});
    await eventually(async () => (await cluster.request('GET', `${configurations}/kyverno-webhook-cfg`)).status === 200, {what: 'the configuration is back'});
    expect((await ask('/api/v1/namespaces/default/pods', pod)).text).toContain('a key is wanted');
    await cluster.request('DELETE', '/apis/kyverno.io/v1/clusterpolicies/lock');
  });

  it('etcd is killed and comes back: no replica ends, and all judge as before', async () => {
    const chaos = get();
    await chaos.whole();
    const before = chaos.agent.replicas().map(({name, pid}) => [name, pid]);
    await chaos.cluster.restartEtcd();
    await chaos.equal(200_000);
    await eventually(async () => (await configMap()).status === 201, {what: 'requests are judged'});
    expect(chaos.agent.replicas().map(({name, pid}) => [name, pid])).toEqual(before);
    await put(chaos, standing);
  });

  it('a webhook configuration that is edited or deleted by hand is back, with the timeout that was set, and without a fight', async () => {
    const chaos = get();
    const {cluster} = chaos;
    await chaos.whole();
    const read = async () => (await cluster.request<Configuration>('GET', resource)).body;
    const entry = async () => (await read()).webhooks?.find(({name}) => name === 'validate.kyverno.io');
    const patch = JSON.stringify({metadata: {labels: {edited: 'yes'}}, webhooks: [{name: 'validate.kyverno.io', timeoutSeconds: 7, failurePolicy: 'Ignore'}]});
    await cluster.kubectl(['patch', 'validatingwebhookconfigurations', 'kyverno-resource-validating-webhook-cfg', '--type=strategic', '-p', patch]);
    await eventually(async () => (await read()).metadata.labels?.['edited'] === undefined && (await entry())?.failurePolicy === 'Fail', {what: 'the edit is undone'});
    expect((await entry())?.timeoutSeconds).toBe(7);
    const {uid} = (await read()).metadata;
    await cluster.request('DELETE', resource);
    const anew = await eventually(
      async () => {
        const {status, body} = await cluster.request<Configuration>('GET', resource);
        return status === 200 && body.metadata.uid !== uid && (body.webhooks ?? []).length > 0 ? body : undefined;
      },
      {what: 'the configuration is made anew'},
    );
    await chaos.barrier();
    await eventually(async () => (await configMap()).status === 201, {what: 'requests are judged'});
    // Written once, and once more when it has settled.
    expect((await read()).metadata.generation - anew.metadata.generation).toBeLessThanOrEqual(2);
    expect(chaos.logs()).not.toContain('is being rewritten by somebody else');
  });
}
