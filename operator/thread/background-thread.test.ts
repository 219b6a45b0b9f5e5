import {mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterEach, beforeEach, describe, expect, it} from 'vitest';
import {systemClock} from '../../adapters/clock.js';
import {eventually} from '../../adapters/kube/testing/eventually.js';
import type {ImageSource} from '../../engine/image/verification.js';
import type {PolicyRef} from '../../engine/types.js';
import type {Foundations} from '../process/foundations.js';
import type {Judgement} from '../process/judgement.js';
import {createSharedMemory} from '../process/shared-memory.js';
import {createTestCore, type TestCore} from '../testing/test-core.js';
import {type BackgroundThread, createBackgroundThread} from './background-thread.js';

/** Says what it was told, and does what findings ask for. */
const program = `
const {parentPort, workerData} = require('node:worker_threads');
const told = [];
parentPort.postMessage({type: 'tell', name: 'mirror', value: ['clusterpolicies']});
parentPort.on('message', ({type, name, value, id}) => {
  if (type === 'tell') told.push(name);
  if (name === 'finding' && value === 'end') process.exit(3);
  if (name === 'finding' && value === 'stick') for (;;);
  if (name === 'finding' && value === 'throw') throw new Error('stray');
  if (name === 'finding' && value === 'exhaust') { const kept = []; for (;;) kept.push(new Array(1e6).fill(kept.length)); }
  if (name === 'finding' && value === 'quarantine') parentPort.postMessage({type: 'tell', name: 'quarantine', value: {policy: {kind: 'ClusterPolicy', key: 'p'}, state: {message: 'kept'}}});
  if (type === 'ask' && name === 'metrics') parentPort.postMessage({type: 'answer', id, value: '# HELP told_total h\\n# TYPE told_total counter\\n' + told.map(one => 'told_total{name="' + one + '"} 1\\n').join('')});
  if (type === 'ask' && name === 'ping') parentPort.postMessage({type: 'answer', id, value: undefined});
  if (type === 'ask' && name === 'stop') parentPort.postMessage({type: 'answer', id, value: undefined});
});
`;

describe('the thread of background work', () => {
  let test: TestCore;
  let folder: string;
  let thread: BackgroundThread;

  /** Absent: never too long in a test, however busy the machine. */
  const begin = (silentMs?: number) => {
    const {core} = test;
    // Retries come at once.
    const clock = {...systemClock, schedule: (_ms: number, task: () => void) => systemClock.schedule(1, task)};
    const discovery = {resourceMap: core.resources(), failures: [], refresh: async () => undefined, subscribe: () => () => undefined};
    thread = createBackgroundThread({...core, clock, discovery} as unknown as Foundations, {...core, images: {} as ImageSource} as unknown as Judgement, {
      ...{program: join(folder, 'background.cjs'), memory: createSharedMemory(), webhooksServed: () => true},
      resourceLimits: {maxOldGenerationSizeMb: 64},
      ...(silentMs !== undefined && {silentMs}),
    });
    thread.start();
  };

  beforeEach(async () => {
    test = await createTestCore();
    folder = mkdtempSync(join(tmpdir(), 'kyverno-thread-'));
    writeFileSync(join(folder, 'background.cjs'), program);
    const {core} = test;
    core.manager.register({key: 'clusterpolicies', group: 'kyverno.io', version: 'v1', resource: 'clusterpolicies', namespaced: false});
    core.manager.start();
  });
  afterEach(async () => {
    await thread.stop();
    await test.close();
    rmSync(folder, {recursive: true});
  });

  const send = (text: string) => thread.handOn(text as never);
  const told = async () => [...(await thread.metrics()).matchAll(/name="(\w+)"} (\d+)/g)].map(([, name, count]) => `${name}${count === '1' ? '' : count}`).join();
  const ends = async () => /ends_total (\d+)/.exec(await test.core.metrics.registry.getSingleMetricAsString('kyverno_background_thread_ends_total'))?.[1];

  it('is told of kinds, objects and duties', async () => {
    begin();
    thread.setDuty('background', true);
    expect(thread.works()).toBe(true);
    await eventually(async () => (await told()).includes('objects'));
    expect((await told()).split(',')).toEqual(['duty', 'kinds', 'objects']);
  });

  it.each([['end'], ['throw'], ['exhaust'], ['stick', 3_000]])('is started anew, and told the same again, when it ends by itself (%s)', async (how, silentMs?: number) => {
    begin(silentMs);
    thread.setDuty('reports', true);
    await eventually(async () => (await told()).includes('objects'));
    send(how);
    await eventually(async () => Number(await ends()) >= 1);
    await eventually(async () => {
      const names = await told();
      return names.includes('duty') && names.includes('objects') && !names.includes('finding');
    });
  });

  it('has its say on quarantine for as long as it lives', async () => {
    begin();
    const heard: Array<readonly [PolicyRef, boolean]> = [];
    test.core.quarantined.subscribe((policy, state) => heard.push([policy, state !== undefined]));
    await eventually(async () => (await told()).includes('objects'));
    send('quarantine');
    await eventually(() => heard.length === 1);
    expect(heard[0]).toMatchObject([{kind: 'ClusterPolicy', key: 'p'}, true]);
    send('end');
    await eventually(() => heard.length === 2);
    expect(heard[1]?.[1]).toBe(false);
  });

  it('counts what it cannot be told', async () => {
    begin();
    await thread.stop();
    send('late');
    expect(await test.core.metrics.registry.getSingleMetricAsString('kyverno_report_changes_dropped_total')).toContain('{reason="thread-ended"} 1');
  });

  it('stays ended once it was stopped', async () => {
    begin();
    await eventually(async () => (await told()).includes('objects'));
    await thread.stop();
    await new Promise(resolve => setTimeout(resolve, 100));
    expect(await ends()).toBe('0');
  });
});
