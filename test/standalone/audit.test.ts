import {once} from 'node:events';
import {Agent} from 'node:https';
import {Worker} from 'node:worker_threads';
import {afterEach, describe, expect, it} from 'vitest';
import {systemClock} from '../../adapters/clock.js';
import {createOfflineContextLoader} from '../../adapters/offline-context-loader.js';
import {createRegexEngine} from '../../adapters/regex/regex-engine.js';
import {builtinResourceMap} from '../../engine/builtin-resources.js';
import type {JsonObject} from '../../engine/json/types.js';
import {createEngine} from '../../engine/run/create-engine.js';
import {PolicyCache} from '../../engine/snapshot/policy-cache.js';
import type {Engine} from '../../engine/types.js';
import {type Harness, type HarnessOptions, podReview, settle, startHarness} from '../../webhook/testing/harness.js';
import type {AuditSink} from '../../webhook/types.js';

const running: Array<() => Promise<unknown>> = [];
afterEach(async () => {
  for (const stop of running.splice(0).reverse()) await stop();
});

async function start(options: HarnessOptions): Promise<Harness> {
  const harness = await startHarness({engine: engine(), resources: () => builtinResourceMap, ...options});
  running.push(() => harness.close());
  return harness;
}

/** The real engine with one policy that denies and one that only takes note; Pods without labels offend the latter. */
function engine(): Engine {
  const cache = new PolicyCache({
    resources: () => builtinResourceMap,
    compile: {matchConditions: 'not-available'},
    exceptions: {enabled: true, operatorNamespace: '', exceptionNamespace: ''},
  });
  for (const policy of [
    rulePolicy('no-host-network', 'Enforce', {spec: {'=(hostNetwork)': false}}),
    rulePolicy('need-team', 'Audit', {metadata: {labels: {team: '?*'}}}),
  ]) {
    const state = cache.putPolicy(policy);
    if (state.status === 'refused') throw new Error(JSON.stringify(state.problems));
  }
  const loader = createOfflineContextLoader({resources: [], resourceMap: builtinResourceMap, now: systemClock.now});
  return createEngine({policies: cache, loader, regex: createRegexEngine()});
}

function rulePolicy(name: string, failureAction: string, pattern: JsonObject): JsonObject {
  const match = {any: [{resources: {kinds: ['Pod']}}]};
  return {
    apiVersion: 'kyverno.io/v1',
    kind: 'ClusterPolicy',
    metadata: {name},
    spec: {rules: [{name, match, validate: {failureAction, message: name, pattern}}]},
  };
}

/** A store of records behind HTTP, on a thread of its own: what it costs is not the server's. GET tells how many came. */
const storeProgram = `
  const {parentPort, workerData} = require('node:worker_threads');
  let received = 0;
  const server = require('node:http').createServer((request, response) => {
    if (request.method === 'GET') return response.end(String(received));
    received++;
    request.resume();
    if (workerData !== 'never') request.on('end', () => response.writeHead(workerData).end());
  });
  server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port));
`;

interface Store {
  readonly sink: AuditSink;
  received(): Promise<number>;
}

async function httpStore(answer: 200 | 500 | 'never'): Promise<Store> {
  const worker = new Worker(storeProgram, {eval: true, workerData: answer});
  running.push(() => worker.terminate());
  const [port] = (await once(worker, 'message')) as [number];
  const url = `http://127.0.0.1:${port}/`;
  return {
    received: async () => Number(await (await fetch(url)).text()),
    sink: {
      async submit(record, signal) {
        const body = JSON.stringify({uid: record.request.uid, policies: record.results.map(({policy}) => policy.key)});
        const response = await fetch(url, {method: 'POST', body, signal});
        if (!response.ok) throw new Error(`the store answered ${response.status}`);
        await response.arrayBuffer();
      },
    },
  };
}

const stores = [
  ['no sink at all', undefined],
  ['a sink that works', 200],
  ['a sink that answers 500', 500],
  ['a sink that hangs', 'never'],
] as const;

describe('audit work', () => {
  it('changes no verdict, whatever its sink does; what it costs is printed', async () => {
    for (const [name, answer] of stores) {
      const sink: AuditSink = answer === undefined ? {submit: () => {}} : (await httpStore(answer)).sink;
      const harness = await start({clock: systemClock, audit: sink});
      await load(harness, 100);
      const {times, denied, allowed} = await load(harness, 400);
      const at = (share: number) => times[Math.floor(times.length * share)]!.toFixed(2);
      console.log(`${name}: p50 ${at(0.5)} ms, p99 ${at(0.99)} ms over ${times.length} requests`);
      expect({denied, allowed}).toEqual({denied: 200, allowed: 200});
    }
  });

  it('is given up after its 30 s, with one line for all of it', async () => {
    const store = await httpStore('never');
    const harness = await start({audit: store.sink, limits: {auditWorkers: 2}});
    for (let count = 0; count < 6; count++) expect((await harness.review('/validate/fail')).allowed).toBe(true);
    await settle();
    for (let round = 1; round <= 3; round++) {
      harness.clock.advance(29_999);
      await settle();
      expect(await lost(harness, 'given-up')).toBe(2 * (round - 1));
      harness.clock.advance(1);
      await settle();
      expect(await lost(harness, 'given-up')).toBe(2 * round);
      if (round === 1)
        expect(complaints(harness)).toEqual([expect.stringMatching(/audit work .* given up after 30 s/)]);
    }
    // A minute later there is a second line, which counts those between.
    expect(complaints(harness)).toHaveLength(2);
  });

  it('that its sink refuses leaves one line and is counted', async () => {
    const store = await httpStore(500);
    const harness = await start({audit: store.sink});
    for (let count = 0; count < 10; count++) expect((await harness.review('/validate/fail')).allowed).toBe(true);
    await expect.poll(() => lost(harness, 'failed'), {timeout: 60_000}).toBe(10);
    expect(await store.received()).toBe(10);
    expect(complaints(harness)).toEqual([expect.stringContaining('the store answered 500')]);
  });

  it('beyond its queue is dropped and counted, and no request fails for it', async () => {
    const store = await httpStore('never');
    const harness = await start({audit: store.sink, limits: {auditWorkers: 1, auditCapacity: 4}});
    const answers: boolean[] = [];
    for (let count = 0; count < 25; count++) answers.push((await harness.review('/validate/fail')).allowed);
    expect(answers).toEqual(new Array(25).fill(true));
    await expect.poll(() => store.received(), {timeout: 60_000}).toBe(1);
    expect(await lost(harness, 'queue-full')).toBe(20);
    expect(complaints(harness)).toEqual([expect.stringContaining('the audit queue is full')]);
  });
});

/** Every second request is denied. */
async function load(harness: Harness, count: number): Promise<{times: number[]; denied: number; allowed: number}> {
  const agent = new Agent({keepAlive: true, maxSockets: 4, ca: harness.ca.cert});
  const times: number[] = [];
  const verdicts = {denied: 0, allowed: 0};
  const bodies = [true, false].map(hostNetwork =>
    podReview({
      object: {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: {name: 'web', namespace: 'shop'},
        spec: {hostNetwork, containers: []},
      },
    }),
  );
  let next = 0;
  const worker = async () => {
    for (let index = next++; index < count; index = next++) {
      const begun = performance.now();
      const {text} = await harness.call({path: '/validate/fail?timeout=10s', body: bodies[index % 2]!, agent});
      times.push(performance.now() - begun);
      if ((JSON.parse(text) as {response: {allowed: boolean}}).response.allowed) verdicts.allowed++;
      else verdicts.denied++;
    }
  };
  await Promise.all([worker(), worker(), worker(), worker()]);
  agent.destroy();
  return {times: times.sort((a, b) => a - b), ...verdicts};
}

async function lost(harness: Harness, reason: string): Promise<number> {
  const match = new RegExp(`kyverno_breaker_drops_total\\{circuit_name="audit",reason="${reason}"\\} (\\d+)`).exec(
    await harness.metrics.text(),
  );
  return match === null ? 0 : Number(match[1]);
}

function complaints(harness: Harness): string[] {
  return harness.lines.filter(line => line.includes('audit work'));
}
