import {describe, expect, it} from 'vitest';
import {expand, resolveEnvironment} from '../../cluster/node-agent/environment.js';
import {choosePodPorts} from '../../cluster/node-agent/pod-ports.js';
import {createPodStatus} from '../../cluster/node-agent/pod-status.js';
import type {Container, ContainerView, EnvVar, Pod} from '../../cluster/node-agent/types.js';

const container: Container = {name: 'main', image: 'main', ports: [{name: 'https', containerPort: 9443}]};
const pod: Pod = {
  metadata: {name: 'p', namespace: 'n', uid: 'u', labels: {app: 'x'}},
  spec: {nodeName: 'node', containers: [container]},
};

const addresses = {podIP: '127.0.0.1', hostIP: '127.0.0.1'};

describe('container environment', () => {
  it.each([
    ['a known name', '$(A)-$(B)', '1-2'],
    ['an unknown name', '$(C)', '$(C)'],
    ['an escaped name', '$$(A)', '$(A)'],
    ['no name', 'a$b', 'a$b'],
  ])('expands %s', (_name, text, expected) => {
    expect(expand(text, {A: '1', B: '2'})).toBe(expected);
  });

  const field = (name: string, fieldPath: string): EnvVar => ({name, valueFrom: {fieldRef: {fieldPath}}});
  const api = {
    request: async <T>(_method: string, path: string) => {
      const found = path.endsWith('/secrets/s');
      return {status: found ? 200 : 404, headers: {}, body: {data: {key: 'c2VjcmV0'}} as T};
    },
  };
  const resolve = (env: EnvVar[]) => resolveEnvironment({api, pod, container: {...container, env}, base: {BASE: '1'}, addresses});

  it('reads fields, keys and earlier variables', async () => {
    const keyRef = {name: 's', key: 'key'};
    const env = [
      field('NAME', 'metadata.name'),
      field('LABEL', "metadata.labels['app']"),
      field('IP', 'status.podIP'),
      {name: 'KEY', valueFrom: {secretKeyRef: keyRef}},
      {name: 'NONE', valueFrom: {configMapKeyRef: {...keyRef, optional: true}}},
      {name: 'BOTH', value: '$(NAME)/$(BASE)'},
    ];
    expect(await resolve(env)).toEqual({BASE: '1', NAME: 'p', LABEL: 'x', IP: '127.0.0.1', KEY: 'secret', BOTH: 'p/1'});
  });

  it.each([
    ['an unknown field', [field('X', 'spec.other')], 'fieldRef spec.other'],
    ['a missing key', [{name: 'X', valueFrom: {configMapKeyRef: {name: 'm', key: 'k'}}}], 'has no key k'],
    ['another source', [{name: 'X', valueFrom: {resourceFieldRef: {}}}], 'env X'],
  ])('refuses %s', async (_name, env, message) => {
    await expect(resolve(env)).rejects.toThrow(message);
  });
});

describe('ports of a Pod', () => {
  it('moves the webhook and metrics ports and leaves others', async () => {
    const ports = await choosePodPorts(pod);
    expect(ports.resolve('https')).toBe(ports.webhook);
    expect(ports.resolve(9443)).toBe(ports.webhook);
    expect(ports.resolve(8000)).toBe(ports.metrics);
    expect(ports.resolve(1234)).toBe(1234);
    expect(() => ports.resolve('other')).toThrow('no container port is named other');
    expect(ports.servesWebhooks).toBe(true);
  });
});

describe('status of a Pod', () => {
  const view: ContainerView = {
    name: 'main',
    image: 'main',
    state: {running: {startedAt: 't0'}},
    lastState: {},
    restartCount: 0,
    started: true,
    ready: true,
    pid: 1,
    finished: false,
  };
  const ended = (exitCode: number) => ({
    state: {terminated: {exitCode, reason: 'Completed', startedAt: 't0', finishedAt: 't1'} as const},
    ready: false,
    finished: true,
  });
  const waiting = {state: {waiting: {reason: 'ContainerCreating'}}, ready: false} as const;
  const status = (views: readonly ContainerView[]) =>
    createPodStatus()({addresses, startTime: 't0', initialized: true, initContainers: [], containers: views}, 't0');

  it.each([
    ['Running', [view]],
    ['Pending', [{...view, ...waiting}]],
    ['Running', [{...view, ...waiting, restartCount: 1}]],
    ['Succeeded', [{...view, ...ended(0)}]],
    [
      'Failed',
      [
        {...view, ...ended(1)},
        {...view, ...ended(0)},
      ],
    ],
    ['Running', [{...view, ...ended(1)}, view]],
  ])('is %s for its containers (%#)', (phase, views) => {
    expect(status(views)).toMatchObject({phase});
  });

  it('keeps the time of a condition that did not change', () => {
    const compute = createPodStatus();
    const input = {addresses, startTime: 't0', initialized: true, initContainers: [], containers: [view]};
    compute(input, 't0');
    const later = compute({...input, containers: [{...view, ready: false}]}, 't1');
    const times = (later['conditions'] as {type: string; lastTransitionTime: string}[]).map(condition => [
      condition.type,
      condition.lastTransitionTime,
    ]);
    expect(Object.fromEntries(times)).toEqual({
      PodScheduled: 't0',
      Initialized: 't0',
      ContainersReady: 't1',
      Ready: 't1',
    });
  });
});
