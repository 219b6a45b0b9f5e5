import {afterEach, beforeEach, describe, expect, it} from 'vitest';
import {createManualClock, type ManualClock} from '../../adapters/clock/manual-clock.js';
import {createKubeClient} from '../../adapters/kube/client.js';
import {fail, startTestApiServer, type TestApiServer} from '../../adapters/kube/testing/api-server.js';
import {eventually, eventuallyBy, turns} from '../../adapters/kube/testing/eventually.js';
import type {KubeClient} from '../../adapters/kube/types.js';
import {silentLog} from '../../adapters/log.js';
import {type JsonObject, ownPath} from '../../engine/json/types.js';
import {cutNote, type PolicyEvent} from './event.js';
import {createEventEmitter, type EventEmitter, type EventEmitterOptions} from './event-emitter.js';

const events = 'apis/events.k8s.io/v1/events';
let server: TestApiServer;
let client: KubeClient;
let clock: ManualClock;
let emitter: EventEmitter;

beforeEach(async () => {
  server = await startTestApiServer();
  client = createKubeClient({kubeConfig: server.kubeConfig, userAgent: 'kyverno', qps: 0, burst: 0, log: silentLog});
  clock = createManualClock();
});

afterEach(async () => {
  server.intercept = undefined;
  await emitter.stop();
  client.close();
  await server.close();
});

function start(options: Partial<EventEmitterOptions> = {}): void {
  emitter = createEventEmitter({client, clock, log: silentLog, hostname: 'pod-1', qps: 0, ...options});
  emitter.start();
}

function violation(more: Partial<PolicyEvent> = {}): PolicyEvent {
  return {
    regarding: {apiVersion: 'kyverno.io/v1', kind: 'ClusterPolicy', namespace: '', name: 'need-label', uid: 'u1'},
    related: {apiVersion: 'v1', kind: 'Pod', namespace: 'shop', name: 'web'},
    reason: 'PolicyViolation',
    action: 'Resource Blocked',
    note: 'webhook denied',
    source: 'kyverno-admission',
    ...more,
  };
}

function written(): JsonObject[] {
  return server.objects(events);
}

describe('event emitter', () => {
  it('writes an Event of the events API; of a cluster-scoped object into default', async () => {
    start();
    emitter.emit(violation());
    await eventually(() => written().length === 1);
    expect(written()[0]).toMatchObject({
      metadata: {namespace: 'default', name: expect.stringMatching(/^need-label\.[0-9a-f]+$/)},
      type: 'Warning',
      reason: 'PolicyViolation',
      action: 'Resource Blocked',
      note: 'webhook denied',
      regarding: {kind: 'ClusterPolicy', name: 'need-label', uid: 'u1'},
      related: {kind: 'Pod', namespace: 'shop', name: 'web'},
      reportingController: 'kyverno-admission',
      reportingInstance: 'kyverno-admission-pod-1',
      eventTime: '2026-01-01T00:00:00.000000Z',
    });
  });

  it('writes Events of a namespaced object beside it, Normal for what went well', async () => {
    start();
    emitter.emit(
      violation({regarding: {apiVersion: 'v1', kind: 'Pod', namespace: 'shop', name: 'web'}, reason: 'PolicyApplied'}),
    );
    await eventually(() => written().length === 1);
    expect(written()[0]).toMatchObject({type: 'Normal', metadata: {namespace: 'shop'}});
  });

  it('counts repeats into a series of the first', async () => {
    start();
    emitter.emit(violation());
    await eventually(() => written().length === 1);
    for (let repeat = 0; repeat < 50; repeat += 1) emitter.emit(violation());
    await turns();
    const before = server.requests.length;
    await eventuallyBy(clock, 1_000, () => ownPath(written()[0], 'series', 'count') === 51);
    expect(server.requests.length).toBe(before + 1);
    expect(written().length).toBe(1);
  });

  it('writes another Event for another object or text', async () => {
    start();
    emitter.emit(violation());
    emitter.emit(violation({note: 'other'}));
    emitter.emit(violation({related: {apiVersion: 'v1', kind: 'Pod', namespace: 'shop', name: 'db'}}));
    await eventually(() => written().length === 3);
    expect(new Set(written().map(event => ownPath(event, 'metadata', 'name'))).size).toBe(3);
  });

  it('starts a new Event when the last one is long ago or was deleted', async () => {
    start();
    emitter.emit(violation());
    await eventually(() => written().length === 1);
    clock.advance(11 * 60_000);
    emitter.emit(violation());
    await eventually(() => written().length === 2);
    for (const event of written()) server.remove(events, `default/${String(ownPath(event, 'metadata', 'name'))}`);
    emitter.emit(violation());
    while (written().length !== 1) {
      clock.advance(10_000);
      await turns(2);
    }
  });

  it('drops what does not fit its queue, and counts it', async () => {
    let reported = 0;
    start({
      maxQueued: 3,
      onDropped: count => {
        reported += count;
      },
    });
    server.intercept = () => true;
    for (let index = 0; index < 10; index += 1) emitter.emit(violation({note: `n${index}`}));
    expect(emitter.dropped).toBeGreaterThanOrEqual(6);
    expect(reported).toBe(emitter.dropped);
    const stopping = emitter.stop(1_000);
    clock.advance(1_000);
    await stopping;
    expect(emitter.dropped).toBe(10);
  });

  it('tries again when the server falters, and gives up on a refusal', async () => {
    start();
    let code = 500;
    let refusals = 0;
    server.intercept = (_request, response) => {
      if (refusals === 2) return false;
      refusals += 1;
      fail(response, {code, reason: 'No'});
      return true;
    };
    emitter.emit(violation());
    while (written().length === 0) {
      clock.advance(1_000);
      await turns(2);
    }
    expect(emitter.dropped).toBe(0);
    refusals = 1;
    code = 403;
    emitter.emit(violation({note: 'refused'}));
    await eventually(() => emitter.dropped === 1);
  });

  it('leaves one line for a store that is down, and one when it is back', async () => {
    const lines: string[] = [];
    const note = (message: string) => void lines.push(message);
    start({log: {debug: note, info: note, warn: note, error: note}});
    server.intercept = (_request, response) => {
      fail(response, {code: 403, reason: 'No'});
      return true;
    };
    for (let index = 0; index < 5; index += 1) emitter.emit(violation({note: `n${index}`}));
    await eventually(() => emitter.dropped === 5);
    server.intercept = undefined;
    emitter.emit(violation({note: 'back'}));
    await eventually(() => lines.length === 2);
    expect(lines).toEqual(['an Event could not be written', 'Events are written again']);
  });

  it('keeps to its rate', async () => {
    start({qps: 1, burst: 2});
    for (let index = 0; index < 4; index += 1) emitter.emit(violation({note: `n${index}`}));
    await eventually(() => written().length === 2);
    await turns();
    expect(written().length).toBe(2);
    clock.advance(1_000);
    await eventually(() => written().length === 3);
    clock.advance(1_000);
    await eventually(() => written().length === 4);
  });

  it('makes no Event for an omitted reason, a nameless object, or at all with a queue of 0', async () => {
    start({omit: ['PolicyApplied']});
    emitter.emit(violation({reason: 'PolicyApplied'}));
    emitter.emit(violation({regarding: {apiVersion: 'v1', kind: 'Pod', namespace: 'shop', name: ''}}));
    await turns();
    await emitter.stop();
    start({maxQueued: 0});
    emitter.emit(violation());
    await turns();
    expect(server.requests).toEqual([]);
  });

  it('makes a valid name of any object name', async () => {
    start();
    emitter.emit(
      violation({
        regarding: {apiVersion: 'v1', kind: 'ClusterRole', namespace: '', name: `system:Node-.${'x'.repeat(300)}`},
      }),
    );
    await eventually(() => written().length === 1);
    const name = String(ownPath(written()[0], 'metadata', 'name'));
    expect(name).toMatch(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/);
    expect(name.length).toBeLessThanOrEqual(253);
  });

  it('cuts a note at 1024 bytes without tearing a character', () => {
    expect(cutNote('short')).toBe('short');
    const cut = cutNote('ü'.repeat(1_000));
    expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(1_024);
    expect(cut).toMatch(/^ü+\.\.\.$/);
  });
});
