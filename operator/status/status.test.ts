import {afterEach, beforeEach, describe, expect, it} from 'vitest';
import {createKubeClient} from '../../adapters/kube/client.js';
import {startTestApiServer, type TestApiServer} from '../../adapters/kube/testing/api-server.js';
import type {KubeClient} from '../../adapters/kube/types.js';
import {silentLog} from '../../adapters/log.js';
import {type JsonObject, ownPath} from '../../engine/json/types.js';
import type {ClassicPolicy, ClassicRule} from '../../engine/policy/model.js';
import {classicStatus, type ClassicStatusInput} from './classic-status.js';
import {timestamp} from './conditions.js';
import {writeStatus} from './write-status.js';

const collection = 'apis/kyverno.io/v1/clusterpolicies';
const ref = {group: 'kyverno.io', version: 'v1', resource: 'clusterpolicies', name: 'p'} as const;
const ready = {conditions: [{type: 'Ready', status: 'True'}]};
let server: TestApiServer;
let client: KubeClient;

beforeEach(async () => {
  server = await startTestApiServer();
  client = createKubeClient({kubeConfig: server.kubeConfig, userAgent: 'kyverno', qps: 0, burst: 0, log: silentLog});
});

afterEach(async () => {
  client.close();
  await server.close();
});

function put(more: JsonObject = {}): JsonObject {
  return server.put(collection, {
    apiVersion: 'kyverno.io/v1',
    kind: 'ClusterPolicy',
    metadata: {name: 'p'},
    spec: {a: 1},
    ...more,
  });
}

describe('status writer', () => {
  it('writes the status and nothing else', async () => {
    put();
    expect(await writeStatus(client, ref, () => ready)).toBe('written');
    const request = server.requests.at(-1);
    expect([request?.method, request?.path]).toEqual(['PUT', '/apis/kyverno.io/v1/clusterpolicies/p/status']);
    expect(request?.body).not.toHaveProperty('spec');
    expect(server.objects(collection)[0]).toMatchObject({spec: {a: 1}, status: ready});
  });

  it('makes no request when the cached object is right', async () => {
    const cached = put({status: ready});
    expect(await writeStatus(client, ref, () => ready, {cached})).toBe('unchanged');
    expect(server.requests).toEqual([]);
  });

  it('does not write what is right on the server', async () => {
    put({status: ready});
    expect(await writeStatus(client, ref, () => ready)).toBe('unchanged');
    expect(server.requests.map(({method}) => method)).toEqual(['GET']);
  });

  it('computes again from the object as it is after a conflict', async () => {
    const cached = put();
    put({spec: {a: 2}});
    const outcome = await writeStatus(client, ref, object => ({seen: ownPath(object, 'spec', 'a') ?? null}), {cached});
    expect(outcome).toBe('written');
    expect(server.objects(collection)[0]).toMatchObject({status: {seen: 2}});
  });

  it('gives up after so many conflicts, for the queue to try again', async () => {
    put();
    await expect(
      writeStatus(
        client,
        ref,
        () => {
          put();
          return ready;
        },
        {attempts: 3},
      ),
    ).rejects.toMatchObject({status: 409});
    expect(server.requests.filter(({method}) => method === 'PUT').length).toBe(3);
  });

  it('says that the object is gone', async () => {
    expect(await writeStatus(client, ref, () => ready)).toBe('gone');
  });
});

function rule(name: string, type: ClassicRule['action']['type']): ClassicRule {
  return {name, action: {type}} as ClassicRule;
}

const policy = {
  spec: {
    admission: true,
    background: false,
    failurePolicy: 'Ignore',
    rules: [rule('a', 'validate'), rule('b', 'validate'), rule('c', 'mutate'), rule('d', 'verifyImages')],
  },
} as unknown as ClassicPolicy;

function input(more: Partial<ClassicStatusInput> = {}): ClassicStatusInput {
  return {
    generation: 3,
    policy,
    refused: [],
    autogenRules: [],
    readiness: {ready: true},
    existing: undefined,
    now: '2026-01-01T00:00:00Z',
    ...more,
  };
}

describe('status of a classic policy', () => {
  it('tells effective values, rule counts and the generation', () => {
    expect(classicStatus(input({autogenRules: [{name: 'autogen-a'}]}))).toEqual({
      observedGeneration: 3,
      conditions: [
        {
          type: 'Ready',
          status: 'True',
          reason: 'Succeeded',
          message: 'Ready',
          observedGeneration: 3,
          lastTransitionTime: '2026-01-01T00:00:00Z',
        },
      ],
      admission: true,
      background: false,
      failurePolicy: 'Ignore',
      autogen: {rules: [{name: 'autogen-a'}]},
      rulecount: {validate: 2, mutate: 1, generate: 0, verifyimages: 1},
      validatingadmissionpolicy: {generated: false, message: ''},
    });
  });

  it('is not ready with every reason of a refusal', () => {
    const status = classicStatus(input({policy: undefined, refused: ['spec.rules: missing', 'spec.x: unknown']}));
    expect(status['conditions']).toMatchObject([
      {type: 'Ready', status: 'False', reason: 'Failed', message: 'Not Ready: spec.rules: missing; spec.x: unknown'},
    ]);
    expect(status).not.toHaveProperty('rulecount');
  });

  it('is not ready before every replica serves it', () => {
    const readiness = {ready: false, reason: 'Pending', message: 'replica b is behind'} as const;
    expect(classicStatus(input({readiness}))['conditions']).toMatchObject([
      {status: 'False', reason: 'Pending', message: 'Not Ready: replica b is behind'},
    ]);
  });

  it('keeps the transition time while the status stays, whatever the message', () => {
    const first = classicStatus(input({readiness: {ready: false, reason: 'A', message: 'a'}}));
    const second = classicStatus(
      input({readiness: {ready: false, reason: 'B', message: 'b'}, existing: first, now: '2026-02-02T00:00:00Z'}),
    );
    expect(second['conditions']).toMatchObject([{reason: 'B', lastTransitionTime: '2026-01-01T00:00:00Z'}]);
    const third = classicStatus(input({existing: second, now: '2026-03-03T00:00:00Z'}));
    expect(third['conditions']).toMatchObject([{status: 'True', lastTransitionTime: '2026-03-03T00:00:00Z'}]);
  });

  it('is the same when nothing has changed but time', () => {
    const first = classicStatus(input());
    expect(classicStatus(input({existing: first, now: '2030-01-01T00:00:00Z'}))).toEqual(first);
  });

  it('drops conditions that no longer hold, and the former ready field', () => {
    const existing = {ready: true, conditions: [{type: 'Old', status: 'True'}]};
    const status = classicStatus(
      input({existing, conditions: [{type: 'BootKinds', status: 'True', reason: 'R', message: 'm'}]}),
    );
    expect((status['conditions'] as JsonObject[]).map(({type}) => type)).toEqual(['Ready', 'BootKinds']);
    expect(status).not.toHaveProperty('ready');
  });

  it('writes times in whole seconds', () => {
    expect(timestamp(1_767_225_600_999)).toBe('2026-01-01T00:00:00Z');
  });
});
