import {beforeAll, describe, expect, it} from 'vitest';
import {eventually} from '../../cluster/eventually.js';
import {putDefinition} from '../../cluster/install-operator.js';
import {idOf, type Item} from './kinds.js';
import type {Definition} from './outside-data.js';
import {refusedObjects} from './refused.js';
import {ofKind, recreated, type Snapshot, takeSnapshot} from './snapshot.js';
import type {TakeoverCluster} from './takeover-cluster.js';

export interface WayBack {
  readonly takeover: TakeoverCluster;
  /** Of the installation that comes back. */
  readonly definitions: readonly Definition[];
  readonly dump: readonly Item[];
}

/** The operator goes, and what it leaves is what the installation before it takes. */
export function describeWayBack(get: () => WayBack): void {
  describe('and the way back', () => {
    let end: Snapshot;
    let left: Snapshot;
    let said: string;

    beforeAll(async () => {
      const {takeover, definitions} = get();
      const {cluster} = takeover;
      end = await takeSnapshot(cluster);
      said = await takeover.kyverno('migrate', '--all');
      said += await takeover.kyverno('uninstall');
      for (const definition of definitions) await putDefinition(cluster, definition);
      left = await eventually(() => takeSnapshot(cluster), {what: 'everything is read by the definitions of before', timeoutMs: 120_000});
    });

    /** A report goes with its object; the operator's own Pods have some, too. */
    const isOfGone = (item: Item, now: Snapshot) => {
      const {uid} = (item['scope'] as {uid?: string} | undefined) ?? {};
      return item.kind === 'PolicyReport' && uid !== undefined && ![...now.values()].some(({metadata}) => metadata.uid === uid);
    };

    it('1. keeps downstreams, sources, policies and reports', () => {
      expect(recreated(end, left)).toEqual([]);
      const lost = [...end.keys()].filter(id => !left.has(id) && !/(WebhookConfiguration|Lease|Pod|ReplicaSet)\//.test(id) && !isOfGone(end.get(id)!, left));
      expect(lost).toEqual([]);
      for (const [id, {metadata}] of end) {
        if (metadata.labels?.['app.kubernetes.io/managed-by'] === 'kyverno' && left.has(id)) expect([id, left.get(id)?.metadata.labels]).toEqual([id, metadata.labels]);
      }
    });

    it('2. has no object that the definitions of before refuse', async () => {
      const {takeover, definitions} = get();
      expect(await refusedObjects(takeover.cluster, left)).toEqual([]);
      for (const {metadata, spec} of definitions) {
        const {body} = await takeover.cluster.request<{status: {storedVersions: readonly string[]}}>('GET', `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${metadata.name}`);
        const known = spec.versions.map(({name}) => name);
        for (const version of body.status.storedVersions) expect(known, `${metadata.name} stores ${version}`).toContain(version);
      }
    });

    it('3. has no webhook configuration of the operator', () => {
      const ours = ofKind(left, 'ValidatingWebhookConfiguration', 'MutatingWebhookConfiguration').filter(({metadata}) => metadata.labels?.['webhook.kyverno.io/managed-by'] === 'kyverno');
      expect(ours.map(idOf)).toEqual([]);
    });

    it('4. holds no Lease, and has no finalizer anywhere', () => {
      const held = ofKind(left, 'Lease').filter(({metadata, spec}) => metadata.namespace === 'kyverno' && !metadata.name.startsWith('kyverno-health') && ((spec as {holderIdentity?: string})?.holderIdentity ?? '') !== '');
      const live = held.filter(({spec}) => Date.parse((spec as {renewTime?: string}).renewTime ?? '') > Date.now() - 12_000);
      expect(live.map(idOf)).toEqual([]);
      const finalized = [...left].filter(([, {metadata}]) => (metadata.finalizers ?? []).some(name => /kyverno/.test(name)));
      expect(finalized.map(([id]) => id)).toEqual([]);
    });

    it('5. leaves requests that wait, and no others', () => {
      expect(ofKind(left, 'UpdateRequest').map(({status}) => (status as {state?: string})?.state).filter(state => state !== 'Pending')).toEqual([]);
    });

    it('6. leaves the Deployments of before to be scaled up again', () => {
      const {dump} = get();
      for (const deployment of dump.filter(({kind, metadata}) => kind === 'Deployment' && metadata.namespace === 'kyverno')) {
        expect(left.get(idOf(deployment))?.metadata.uid).toBe(deployment.metadata.uid);
      }
      expect(said).toContain('scaled to 0');
    });
  });
}
