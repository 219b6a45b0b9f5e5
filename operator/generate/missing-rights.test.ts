import {describe, expect, it} from 'vitest';
import {silentLogger} from '../../adapters/log/logger.js';
import type {KubeClient} from '../../adapters/kube/types.js';
import {type JsonObject, ownPath} from '../../engine/json/types.js';
import {createMissingRights} from './missing-rights.js';
import {MissingRight} from './work-errors.js';

/** A clock whose timers run when they are told to. */
function manual() {
  let timers: Array<() => void> = [];
  return {
    clock: {
      now: () => 0,
      monotonic: () => 0,
      schedule(_ms: number, run: () => void) {
        timers.push(run);
        return () => {
          timers = timers.filter(timer => timer !== run);
        };
      },
    },
    async turn() {
      const due = timers;
      timers = [];
      for (const run of due) run();
      for (let turns = 0; turns < 10; turns += 1) await Promise.resolve();
    },
  };
}

function world() {
  const granted = new Set<string>();
  const asked: string[] = [];
  const going: string[] = [];
  const {clock, turn} = manual();
  const client = {
    async create(_collection: unknown, review: JsonObject) {
      const {verb, resource, subresource, namespace = '*'} = ownPath(review, 'spec', 'resourceAttributes') as Record<string, string>;
      const right = `${verb} ${resource}${subresource === undefined ? '' : `/${subresource}`} ${namespace}`;
      asked.push(right);
      return {status: {allowed: granted.has(right)}};
    },
  } as unknown as KubeClient;
  const rights = createMissingRights({client, clock: clock as never, log: silentLogger, onGranted: (_right, works) => void going.push(...works)});
  return {rights, granted, asked, going, turn};
}

describe('work that waits for a right', () => {
  it('goes on everywhere when it is granted everywhere', async () => {
    const {rights, granted, going, turn} = world();
    rights.park(new MissingRight('create', '', 'configmaps', 'a'), 'w1');
    rights.park(new MissingRight('create', '', 'configmaps', 'b'), 'w2');
    await turn();
    expect(going).toEqual([]);
    granted.add('create configmaps *');
    await turn();
    expect(going).toEqual(['w1', 'w2']);
    expect(rights.size).toBe(0);
  });

  it('goes on in a namespace where it is granted by a RoleBinding, and waits in the others', async () => {
    const {rights, granted, going, turn} = world();
    for (const name of ['a', 'b', 'c']) rights.park(new MissingRight('create', '', 'configmaps', name), `in ${name}`);
    granted.add('create configmaps b');
    for (let turns = 0; turns < 3; turns += 1) await turn();
    expect(going).toEqual(['in b']);
    expect(rights.isMissing(new MissingRight('create', '', 'configmaps', 'a'))).toBe(true);
    expect(rights.isMissing(new MissingRight('create', '', 'configmaps', 'b'))).toBe(false);
  });

  it('costs two questions a turn, however many namespaces wait', async () => {
    const {rights, asked, turn} = world();
    for (let index = 0; index < 100; index += 1) rights.park(new MissingRight('create', '', 'configmaps', `n${index}`), `w${index}`);
    await turn();
    expect(asked).toEqual(['create configmaps *', 'create configmaps n0']);
  });

  it('asks about a part of an object as the API server has it', async () => {
    const {rights, asked, turn} = world();
    rights.park(new MissingRight('update', 'apps', 'deployments/scale', ''), 'w');
    await turn();
    expect(asked).toEqual(['update deployments/scale *']);
  });
});
