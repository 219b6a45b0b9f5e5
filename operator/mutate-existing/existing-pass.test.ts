import {expect, it} from 'vitest';
import {createManualClock} from '../../adapters/clock/manual-clock.js';
import {KubeError} from '../../adapters/kube/kube-error.js';
import type {CollectionRef, KubeClient, ListOptions} from '../../adapters/kube/types.js';
import {silentLogger} from '../../adapters/log/logger.js';
import {builtinResourceMap} from '../../engine/builtin-resources.js';
import type {Core} from '../feature.js';
import {MissingRight} from '../generate/work-errors.js';
import type {BackgroundFamily, BackgroundPolicy, BackgroundRule} from '../update-requests/background-policy.js';
import {createExistingPass} from './existing-pass.js';

const kinds = ['ConfigMap', 'Secret'];

function world() {
  const clock = createManualClock();
  const failing = new Map<string, KubeError>();
  const lists: string[] = [];
  const queued: string[] = [];
  const told: string[] = [];
  let version = '1';
  let triggers = kinds;
  const client = {
    async list({resource}: CollectionRef, {onPage}: ListOptions = {}) {
      lists.push(resource);
      const error = failing.get(resource);
      if (error !== undefined) throw error;
      onPage?.([{metadata: {namespace: 'shop', name: resource, uid: 'u'}}]);
      return {items: [], resourceVersion: ''};
    },
  } as unknown as KubeClient;
  const policies = function* (): Generator<BackgroundPolicy> {
    const rule = {name: 'r', type: 'mutate', existing: true, targetsByTrigger: true, triggers: () => triggers.map(kind => builtinResourceMap.find(kind)[0]!)};
    yield {id: 'ClusterPolicy/p', ref: {namespace: '', key: 'p'}, uid: 'u', version, rules: [rule as unknown as BackgroundRule]} as unknown as BackgroundPolicy;
  };
  const pass = createExistingPass({
    core: {client, clock, log: silentLogger, flags: {backgroundScanInterval: 3_600_000} as Core['flags']},
    families: [{policies} as unknown as BackgroundFamily],
    enqueue: (_policy, {name}) => queued.push(name),
    troubles: {
      report: (_policy, {rule, work, error}) => told.push(`${rule} ${work}: ${error instanceof MissingRight ? error.message : 'other'}`),
      mended: (_policy, rule, work) => told.push(`${rule} ${work}: mended`),
    },
  });
  pass.start();
  return {
    pass, failing, lists, queued, told, clock,
    async after(ms: number) {
      clock.advance(ms);
      for (let turns = 0; turns < 50; turns += 1) await Promise.resolve();
    },
    says(next: string, of: readonly string[]) {
      version = next;
      triggers = [...of];
      pass.touch();
    },
  };
}

const forbidden = new KubeError({status: 403, reason: 'Forbidden', message: 'secrets is forbidden: User "u" cannot list resource "secrets" in API group "" at the cluster scope'});

it.each([403, 410, 500, 0])('kinds whose triggers could not be listed (%i) are tried again until they are, and they alone', async status => {
  const {failing, lists, queued, after} = world();
  failing.set('secrets', new KubeError({status, reason: 'x', message: 'x'}));
  await after(500);
  expect(queued).toEqual(['configmaps']);
  await after(1_000);
  failing.clear();
  await after(2_000);
  expect(queued).toEqual(['configmaps', 'secrets']);
  await after(600_000);
  expect(lists).toEqual(['configmaps', 'secrets', 'secrets', 'secrets']);
});

it('are asked for once a minute in the end', async () => {
  const {failing, lists, after} = world();
  failing.set('secrets', forbidden);
  for (let minutes = 0; minutes < 30; minutes += 1) await after(60_000);
  const before = lists.length;
  for (let minutes = 0; minutes < 10; minutes += 1) await after(60_000);
  expect(lists.length - before).toBeGreaterThanOrEqual(10);
  expect(lists.length - before).toBeLessThanOrEqual(20);
});

it.each([404, 405])('are not, where the cluster has none (%i)', async status => {
  const {failing, lists, after} = world();
  failing.set('secrets', new KubeError({status, reason: 'x', message: 'x'}));
  await after(500);
  await after(600_000);
  expect(lists).toEqual(['configmaps', 'secrets']);
});

it('a right that is missing is told, until it is there', async () => {
  const {failing, told, after} = world();
  failing.set('secrets', forbidden);
  await after(500);
  expect(told).toContain('r triggers secrets: missing right: list secrets');
  failing.clear();
  await after(1_000);
  expect(told.at(-1)).toBe('r triggers secrets: mended');
});

it('a right that is missing is told no longer when the policy does without', async () => {
  const {failing, told, says, after} = world();
  failing.set('secrets', forbidden);
  await after(500);
  says('2', ['ConfigMap']);
  await after(500);
  expect(told.filter(text => text.includes('secrets'))).toEqual(['r triggers secrets: missing right: list secrets', 'r triggers secrets: mended']);
  says('3', []);
  await after(600_000);
  expect(told.filter(text => text.includes('secrets'))).toHaveLength(2);
});

it('nothing is asked for any more by one that has stopped', async () => {
  const {pass, failing, lists, clock, after} = world();
  failing.set('secrets', forbidden);
  await after(500);
  pass.stop();
  await after(600_000);
  expect(lists).toHaveLength(2);
  expect(clock.pending()).toBe(0);
});
