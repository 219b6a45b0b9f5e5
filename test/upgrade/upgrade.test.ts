import {afterAll, beforeAll, describe, expect, it} from 'vitest';
import {eventually} from '../cluster/eventually.js';
import {ensureBuilt} from '../e2e/support/build.js';
import {celReady, putCel} from '../e2e/support/cel-policies.js';
import {createNamespaces} from '../e2e/support/namespaces.js';
import {allServed, pathOf, put, type Thing, write} from '../e2e/support/policies.js';
import {configMap} from '../e2e/support/samples.js';
import {createShell} from '../e2e/support/shell.js';
import {docCommands} from '../guide/doc-blocks.js';
import type {Item} from '../takeover/support/kinds.js';
import {refusedObjects} from '../takeover/support/refused.js';
import {added, ofKind, recreated, type Snapshot, takeSnapshot} from '../takeover/support/snapshot.js';
import {atRest, certificates, doubled, said, untrusting, webhookEntries} from './support/record.js';
import {missingTag, presentRelease, type Release, releaseOf} from './support/release.js';
import {startUpgradeCluster, type UpgradeCluster} from './support/upgrade-cluster.js';
import {askedMeanwhile, wrongAnswers} from './support/verdicts.js';
import {celPolicies, classicPolicies, cleanup, exception, ledger, made, namespaces, original, owned, teamless, triggers} from './support/world.js';

const tag = 'v0.1.0';
const missing = missingTag(tag);
const title = `from ${tag} to this version, and back`;

/** What was seen of one change of versions. */
interface Move {
  /** Nothing under way. */
  readonly settled: Snapshot;
  /** With requests in flight. */
  readonly before: Snapshot;
  readonly after: Snapshot;
  readonly wrong: readonly string[];
  readonly rounds: number;
  /** Requests that waited when the old version was gone. */
  readonly waiting: readonly Item[];
}

describe.skipIf(missing !== undefined)(missing === undefined ? title : `${title}: ${missing}`, () => {
  let upgrade: UpgradeCluster;
  let first: Release;
  /** Of the first version, before anything else was installed. */
  let start: Snapshot;

  const configMapOf = (namespace: string, name: string) => `/ConfigMap/${namespace}/${name}`;
  const dataOf = async (object: Thing) => (await upgrade.cluster.request<{data?: Readonly<Record<string, string>>}>('GET', pathOf(object))).body.data;
  const inOffice = (name: string) => configMap(name, {namespace: 'office'});

  beforeAll(async () => {
    await ensureBuilt();
    first = await releaseOf(tag, 'olm/install');
    upgrade = await startUpgradeCluster({first, present: presentRelease()});
    await upgrade.install('first');
    await createNamespaces(upgrade, namespaces);
    for (const object of [original, ledger, teamless]) await write(upgrade, object);
    await put(upgrade, classicPolicies);
    await putCel(upgrade, celPolicies);
    for (const [path, object] of [
      ['/apis/kyverno.io/v2/clustercleanuppolicies', cleanup],
      ['/apis/kyverno.io/v2/namespaces/shop/policyexceptions', exception],
    ] as const) {
      const {status, body} = await upgrade.cluster.request('POST', path, object);
      expect(status, JSON.stringify(body)).toBe(201);
    }
    await eventually(async () => (await wrongAnswers(upgrade.cluster)).length === 0, {what: 'right answers of the first version'});
    for (const object of triggers) await write(upgrade, object);
    for (const name of made) await eventually(async () => (await upgrade.cluster.request('GET', pathOf(inOffice(name)))).status === 200, {what: name, timeoutMs: 120_000});
    await eventually(async () => (await dataOf(ledger))?.['last'] === 'four', {what: 'the mark of four', timeoutMs: 120_000});
    await eventually(async () => [...said(await takeSnapshot(upgrade.cluster), 'shop').values()].filter(lines => ['cel-level', 'wants-owner', 'wants-team'].every(name => lines.some(line => line.startsWith(`${name}/`)))).length >= triggers.length + 1, {
      what: 'reports of all objects',
      timeoutMs: 300_000,
      everyMs: 500,
    });
    start = await atRest(upgrade.cluster);
  });

  afterAll(() => upgrade?.stop());

  /** Goes to another version with two requests in flight, and waits for rest. */
  async function move(to: string, suffix: string): Promise<Move> {
    const {cluster} = upgrade;
    const settled = await atRest(cluster);
    await write(upgrade, configMap(`swept-${suffix}`, {namespace: 'yard', labels: {sweep: 'later'}}));
    const giveBack = await upgrade.holdBackground();
    await write(upgrade, owned(`flying-${suffix}`, {from: 'data'}));
    await write(upgrade, owned(`marking-${suffix}`, {from: 'mark'}));
    await eventually(async () => ofKind(await takeSnapshot(cluster), 'UpdateRequest').length >= 2, {what: 'two requests in flight'});
    const before = await takeSnapshot(cluster);
    const {wrong, rounds} = await askedMeanwhile(cluster, () => upgrade.install(to));
    const waiting = ofKind(await takeSnapshot(cluster), 'UpdateRequest');
    await giveBack();
    await write(upgrade, configMap(`swept-${suffix}`, {namespace: 'yard', labels: {sweep: 'now'}}));
    await eventually(async () => ofKind(await takeSnapshot(cluster), 'UpdateRequest').length === 0, {what: 'no request left', timeoutMs: 180_000, everyMs: 500});
    return {settled, before, after: await atRest(cluster), wrong, rounds, waiting};
  }

  function describeMove({name, to, suffix}: {readonly name: string; readonly to: string; readonly suffix: string}, further?: (get: () => Move) => void): void {
    describe(name, () => {
      let moved: Move;

      beforeAll(async () => {
        moved = await move(to, suffix);
      });

      it('answers rightly all the while', () => {
        expect(moved.rounds).toBeGreaterThan(0);
        expect(moved.wrong).toEqual([]);
      });

      it('finishes what was in flight', async () => {
        expect(moved.waiting.map(({spec}) => (spec as {policy: string}).policy).sort()).toEqual(['copies', 'marks']);
        expect(await dataOf(inOffice(`flying-${suffix}-copy`))).toEqual({level: 'low'});
        expect((await dataOf(ledger))?.['last']).toBe(`marking-${suffix}`);
      });

      it('makes nothing anew and loses nothing', () => {
        const {before, after} = moved;
        expect(recreated(before, after)).toEqual([]);
        const passing = /^(\/Pod|apps\/ReplicaSet|coordination\.k8s\.io\/Lease|kyverno\.io\/UpdateRequest)\//;
        expect([...before.keys()].filter(id => !after.has(id) && !passing.test(id) && id !== configMapOf('yard', `swept-${suffix}`))).toEqual([]);
        expect(added(before, after, id => id.startsWith('/ConfigMap/') && !id.startsWith('/ConfigMap/kyverno/'))).toEqual([configMapOf('office', `flying-${suffix}-copy`)]);
      });

      it('does not write what was generated', () => {
        for (const id of made.map(generated => configMapOf('office', generated))) expect([id, moved.after.get(id)?.metadata.resourceVersion]).toEqual([id, moved.before.get(id)?.metadata.resourceVersion]);
      });

      it('keeps generated objects in step', async () => {
        const ids = ['one-copy', 'two-clone'].map(generated => configMapOf('office', generated));
        await write(upgrade, owned('one', {from: 'data', level: suffix}));
        await write(upgrade, {...original, data: {key: suffix}} as Thing);
        await eventually(async () => (await dataOf(inOffice('one-copy')))?.['level'] === suffix && (await dataOf(inOffice('two-clone')))?.['key'] === suffix, {what: 'copy and clone follow', timeoutMs: 120_000});
        const now = await takeSnapshot(upgrade.cluster);
        expect(ids.map(id => now.get(id)?.metadata.uid)).toEqual(ids.map(id => moved.before.get(id)?.metadata.uid));
      });

      it('goes on with the reports that are there', () => {
        expect(doubled(moved.after)).toEqual([]);
        const after = said(moved.after, 'shop');
        for (const [id, lines] of said(moved.settled, 'shop')) expect([id, after.get(id)]).toEqual([id, lines]);
      });

      it('keeps authority and certificate, and entries that trust them', () => {
        expect(certificates(moved.before).size).toBe(2);
        expect(certificates(moved.after)).toEqual(certificates(moved.before));
        expect(untrusting(moved.after)).toEqual([]);
      });

      it('changes no policy, and all are ready', async () => {
        for (const [id, {metadata, spec}] of moved.before) if (/^(policies\.)?kyverno\.io\/.*(Policy|Exception)\//.test(id)) expect([id, moved.after.get(id)?.metadata.generation, moved.after.get(id)?.['spec']]).toEqual([id, metadata.generation, spec]);
        await allServed(upgrade, classicPolicies);
        for (const policy of celPolicies) await celReady(upgrade, policy);
        expect(await wrongAnswers(upgrade.cluster)).toEqual([]);
      });

      it('cleans up when it is due', async () => {
        await eventually(async () => (await upgrade.cluster.request('GET', pathOf(configMap(`swept-${suffix}`, {namespace: 'yard'})))).status === 404, {what: 'the clean-up', timeoutMs: 200_000, everyMs: 500});
      });

      further?.(() => moved);
    });
  }

  describeMove({name: 'the upgrade', to: 'present', suffix: 'up'}, get => {
    it('gives webhook configurations the owner that they go with', () => {
      const ours = ofKind(get().after, 'ValidatingWebhookConfiguration', 'MutatingWebhookConfiguration').filter(({metadata}) => metadata.name.startsWith('kyverno-'));
      expect(ours.length).toBeGreaterThan(0);
      for (const {metadata} of ours) expect(metadata['ownerReferences']).toMatchObject([{kind: 'ClusterRole', name: 'kyverno'}]);
    });
  });

  describeMove({name: 'the way back', to: 'first', suffix: 'back'}, get => {
    it('has every webhook that the first version had, and what else is left fails open until it is deleted', async () => {
      const paths = (snapshot: Snapshot) => [...webhookEntries(snapshot)].map(([name, {clientConfig}]) => `${name} ${clientConfig.service?.path}`).sort();
      const entries = [...webhookEntries(get().after)];
      const known = webhookEntries(start);
      expect(entries.filter(([name]) => !known.has(name)).map(([, {failurePolicy}]) => failurePolicy)).not.toContain('Fail');
      const {code, stderr} = await createShell(upgrade.cluster).run(docCommands('upgrade.md', 'delete what is left'));
      expect([code, stderr]).toEqual([0, '']);
      await allServed(upgrade, classicPolicies);
      expect(paths(await takeSnapshot(upgrade.cluster))).toEqual(paths(start));
    });

    it('stores nothing that the first definitions refuse', async () => {
      expect(await refusedObjects(upgrade.cluster, await takeSnapshot(upgrade.cluster))).toEqual([]);
      for (const {metadata, spec} of first.definitions) {
        const {body} = await upgrade.cluster.request<{status: {storedVersions: readonly string[]}}>('GET', `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${metadata.name}`);
        const known = spec.versions.map(({name}) => name);
        for (const version of body.status.storedVersions) expect(known, `${metadata.name} stores ${version}`).toContain(version);
      }
    });

    it('leaves what was there from the start', () => {
      const kept = [...start.keys()].filter(id => /^(\/ConfigMap|\/Secret|kyverno\.io|policies\.kyverno\.io|wgpolicyk8s\.io)/.test(id) && !id.includes('/UpdateRequest/'));
      expect(kept.map(id => [id, get().after.get(id)?.metadata.uid])).toEqual(kept.map(id => [id, start.get(id)?.metadata.uid]));
    });
  });
});
