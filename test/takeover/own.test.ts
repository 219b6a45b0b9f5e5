import {join, resolve} from 'node:path';
import {afterAll, beforeAll, describe, expect, it} from 'vitest';
import {eventually} from '../cluster/eventually.js';
import {readDump} from './support/dump.js';
import {type Item, idOf, pathOf} from './support/kinds.js';
import {readDefinitions} from './support/outside-data.js';
import {added, ofKind, recreated, type Snapshot, takeSnapshot} from './support/snapshot.js';
import {startTakeoverCluster, type TakeoverCluster} from './support/takeover-cluster.js';
import {describeWayBack} from './support/way-back.js';

const dump = readDump(join(import.meta.dirname, 'testdata'));
const definitions = readDefinitions(resolve(import.meta.dirname, '../../crds')).filter(({spec}) => spec.group !== 'operator.kyverno-ts.io');
const peer = '/apis/apps/v1/namespaces/kyverno/deployments/kyverno-admission-controller';
const own = '/apis/apps/v1/namespaces/kyverno/deployments/kyverno';
const validating = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations';

/** A small cluster that another installation left: see the folder of its objects. */
describe('a cluster that another installation left', () => {
  let takeover: TakeoverCluster;
  let before: Snapshot;
  let after: Snapshot;

  beforeAll(async () => {
    takeover = await startTakeoverCluster({definitions, items: dump});
    before = takeover.before;
    await takeover.takeOver();
    await eventually(
      async () => {
        const now = await takeSnapshot(takeover.cluster);
        return ofKind(now, 'UpdateRequest').length === 0 && ofKind(now, 'EphemeralReport').length === 0 && now.has('/Secret/new-shop/shop-key');
      },
      {what: 'the take-over is through', timeoutMs: 180_000, everyMs: 500},
    );
    after = await takeSnapshot(takeover.cluster);
  });

  afterAll(() => takeover?.stop());

  it('makes nothing anew, and what is missing once', () => {
    expect(recreated(before, after)).toEqual([]);
    const concerns = (id: string) => /^\/(Secret|ConfigMap)\/(old-shop|new-shop|origin)\//.test(id) && !id.endsWith('/kube-root-ca.crt');
    expect(added(before, after, concerns)).toEqual(['/Secret/new-shop/shop-key']);
  });

  it('does not write what the peer has generated', () => {
    const id = '/Secret/old-shop/shop-key';
    expect(after.get(id)?.metadata.resourceVersion).toBe(before.get(id)?.metadata.resourceVersion);
  });

  it('keeps what the peer has generated in step from then on', async () => {
    const source = {apiVersion: 'v1', kind: 'Secret', metadata: {namespace: 'origin', name: 'shop-key'}};
    expect((await takeover.cluster.request('PATCH', pathOf(source), {data: {key: 'bmV3'}})).status).toBe(200);
    const copy = {apiVersion: 'v1', kind: 'Secret', metadata: {namespace: 'old-shop', name: 'shop-key'}};
    const read = await eventually(
      async () => {
        const now = await takeover.read<Item & {readonly data: {readonly key: string}}>(copy);
        return now?.data.key === 'bmV3' ? now : undefined;
      },
      {what: 'the copy follows its source'},
    );
    expect(read.metadata.uid).toBe(before.get(idOf(copy))?.metadata.uid);
  });

  it('finishes a request that had failed for want of a webhook', () => {
    expect(after.get('/ConfigMap/old-shop/consumer')?.metadata.labels).toEqual({owner: 'jane', stamped: 'yes'});
  });

  it('has one report per object, and leaves those of others', () => {
    const reports = ofKind(after, 'PolicyReport').filter(({metadata}) => metadata.namespace === 'old-shop');
    expect(reports.filter(item => (item['scope'] as {name?: string} | undefined)?.name === 'ownerless').map(({metadata}) => metadata.uid)).toEqual(['11111111-0000-4000-8000-000000000040']);
    const theirs = 'wgpolicyk8s.io/PolicyReport/old-shop/of-a-scanner';
    expect(after.get(theirs)).toEqual(before.get(theirs));
  });

  it('removes webhooks that nobody serves, and none of others', () => {
    expect(after.has('admissionregistration.k8s.io/ValidatingWebhookConfiguration//kyverno-cleanup-validating-webhook-cfg')).toBe(false);
    const theirs = 'admissionregistration.k8s.io/ValidatingWebhookConfiguration//of-somebody-else';
    expect(after.get(theirs)).toEqual(before.get(theirs));
  });

  it('enforces: without an owner nothing is let in', async () => {
    const post = (labels: Record<string, string>) => takeover.cluster.request('POST', '/api/v1/namespaces/old-shop/configmaps?dryRun=All', {apiVersion: 'v1', kind: 'ConfigMap', metadata: {name: 'asked', labels}});
    await eventually(async () => JSON.stringify((await post({})).body).includes('an owner is wanted'), {what: 'a refusal'});
    expect((await post({owner: 'jane'})).status).toBe(201);
  });

  it('changes no policy', () => {
    for (const [id, {metadata, spec}] of before) {
      if (!id.startsWith('kyverno.io/ClusterPolicy/')) continue;
      expect([id, after.get(id)?.metadata.generation, after.get(id)?.['spec']]).toEqual([id, metadata.generation, spec]);
      expect((after.get(id)!['status'] as {conditions: unknown}).conditions).toEqual(expect.arrayContaining([expect.objectContaining({type: 'Ready', status: 'True'})]));
    }
  });

  it('gives its webhook configurations an owner that goes with the installation', async () => {
    const {body} = await takeover.cluster.request<Item>('GET', `${validating}/kyverno-resource-validating-webhook-cfg`);
    expect(body.metadata['ownerReferences']).toMatchObject([{kind: 'ClusterRole', name: 'kyverno'}]);
  });

  it('writes nothing while the peer runs beside it, and says so', async () => {
    const ready = (readyReplicas: number) => takeover.cluster.request('PATCH', `${peer}/status`, {status: {replicas: readyReplicas, readyReplicas, availableReplicas: readyReplicas}});
    const condition = async () => {
      const {body} = await takeover.cluster.request<{status: {conditions?: readonly {type: string; status: string; message: string}[]}}>('GET', own);
      return body.status.conditions?.find(({type}) => type === 'PeerActive');
    };
    expect((await ready(1)).status).toBe(200);
    await eventually(async () => (await condition())?.status === 'True', {what: 'the condition PeerActive'});
    expect((await condition())?.message).toContain('kyverno-admission-controller');
    const path = `${validating}/kyverno-resource-validating-webhook-cfg`;
    const {metadata} = (await takeover.cluster.request<Item>('GET', path)).body;
    const changed = await takeover.cluster.request<Item>('PATCH', path, {metadata: {labels: {changed: 'yes'}}});
    expect(changed.status).toBe(200);
    await ready(0);
    await eventually(async () => (await condition())?.status === 'False', {what: 'the condition is taken back'});
    // Undone only now.
    const undone = await eventually(
      async () => {
        const {body} = await takeover.cluster.request<Item>('GET', path);
        return body.metadata.labels?.['changed'] === undefined ? body : undefined;
      },
      {what: 'the configuration is put back'},
    );
    expect(undone.metadata.uid).toBe(metadata.uid);
  });

  describeWayBack(() => ({takeover, definitions, dump}));
});
