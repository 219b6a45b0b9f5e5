import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {afterAll, beforeAll, describe, expect, it} from 'vitest';
import {eventually} from '../cluster/eventually.js';
import {readDump} from './support/dump.js';
import {idOf, type Item} from './support/kinds.js';
import {readDefinitions, takeoverData} from './support/outside-data.js';
import {ofKind, recreated, type Snapshot, takeSnapshot} from './support/snapshot.js';
import {startTakeoverCluster, type TakeoverCluster} from './support/takeover-cluster.js';
import {describeWayBack} from './support/way-back.js';

const data = takeoverData();
const gone = '00000000-0000-4000-8000-0000000000ff';

describe.skipIf(data === undefined)('a cluster of 1.13.4 (skipped without its recording: set CONFORMANCE_DIR)', () => {
  const folder = data ?? '';
  let takeover: TakeoverCluster;
  let before: Snapshot;
  let after: Snapshot;
  let dump: readonly Item[];

  beforeAll(async () => {
    dump = readDump(join(folder, 'dump-1.13.4'));
    takeover = await startTakeoverCluster({definitions: readDefinitions(join(folder, 'crds-1.13.4')), items: dump});
    before = takeover.before;
    await takeover.takeOver();
    // No role of this cluster grants what its policies need.
    const roles = join(takeover.cluster.dir, 'rights.yaml');
    writeFileSync(roles, await takeover.kyverno('rbac', '--cluster'));
    await takeover.cluster.kubectl(['apply', '-f', roles]);
    await eventually(
      async () => {
        const now = await takeSnapshot(takeover.cluster);
        const ofGone = ofKind(now, 'PolicyReport').some(item => (item['scope'] as {uid?: string} | undefined)?.uid === gone);
        return !ofGone && ofKind(now, 'UpdateRequest').length === 0 && ofKind(now, 'EphemeralReport').every(item => !before.has(idOf(item)));
      },
      {what: 'the take-over is through', timeoutMs: 180_000, everyMs: 1_000},
    ).catch(async (error: unknown) => {
      const now = await takeSnapshot(takeover.cluster);
      console.log(JSON.stringify(ofKind(now, 'UpdateRequest').map(({metadata, status}) => [metadata.name, status])));
      throw error;
    });
    after = await takeSnapshot(takeover.cluster);
  });

  afterAll(() => takeover?.stop());

  it('makes nothing anew', () => {
    expect(recreated(before, after)).toEqual([]);
    for (const item of readDump(join(folder, 'dump-1.13.4'), digits => digits === '20')) expect([idOf(item), after.has(idOf(item))]).toEqual([idOf(item), true]);
  });

  it('finishes the request that its tries were used up on', () => {
    expect(after.get('/ConfigMap/old-app/old-consumer')?.metadata.labels?.['marked']).toBe('yes');
  });

  it('ends the request of an older version, whose policy and trigger are gone', () => {
    expect(ofKind(after, 'UpdateRequest')).toEqual([]);
  });

  it('has every policy Ready, and honours fields in their old places', async () => {
    for (const item of ofKind(after, 'ClusterPolicy', 'Policy')) {
      const conditions = (item['status'] as {conditions?: readonly {type: string; status: string}[]} | undefined)?.conditions ?? [];
      expect([item.metadata.name, conditions.find(({type}) => type === 'Ready')?.status]).toEqual([item.metadata.name, 'True']);
      // But for defaults that the definitions of before fill in when asked.
      expect(before.get(idOf(item))?.['spec']).toMatchObject(item['spec'] as object);
    }
    const pod = (namespace: string) => takeover.cluster.request<{message?: string}>('POST', `/api/v1/namespaces/${namespace}/pods?dryRun=All`, {apiVersion: 'v1', kind: 'Pod', metadata: {name: 'asked'}, spec: {containers: [{name: 'c', image: 'nowhere.example/c'}]}});
    // Enforced by the spec, audited by its override.
    const denied = await eventually(async () => {
      const answer = await pod('shared');
      return answer.status === 403 && /ServiceAccount|serviceaccount/.test(answer.body.message ?? '') ? undefined : answer;
    }, {what: 'an answer of the policies'});
    expect(denied.body.message).toContain('label team is needed');
    expect((await pod('old-app')).status).toBe(201);
  });

  it('keeps reports of others and one per object, and drops those whose object is gone', () => {
    const theirs = 'wgpolicyk8s.io/PolicyReport/old-app/scanner-report';
    expect(after.get(theirs)).toEqual(before.get(theirs));
    const reports = ofKind(after, 'PolicyReport').filter(({metadata}) => metadata.namespace === 'old-app' && metadata.labels?.['app.kubernetes.io/managed-by'] === 'kyverno');
    const subjects = reports.map(item => (item['scope'] as {uid: string}).uid);
    expect(new Set(subjects).size).toBe(subjects.length);
    expect(subjects).toContain('00000000-0000-4000-8000-000000000053');
    expect(subjects).not.toContain(gone);
  });

  it('leaves no webhook that nobody serves', () => {
    const managed = ofKind(after, 'ValidatingWebhookConfiguration', 'MutatingWebhookConfiguration').filter(({metadata}) => metadata.labels?.['webhook.kyverno.io/managed-by'] === 'kyverno');
    for (const item of managed) {
      for (const {clientConfig} of (item['webhooks'] ?? []) as readonly {clientConfig: {caBundle?: string; service?: {name: string}}}[]) {
        expect([item.metadata.name, clientConfig.service?.name, (clientConfig.caBundle ?? '') !== '']).toEqual([item.metadata.name, 'kyverno-svc', true]);
      }
    }
  });

  describeWayBack(() => ({takeover, definitions: readDefinitions(join(folder, 'crds-1.19.1')), dump}));
});
