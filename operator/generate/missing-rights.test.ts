import {describe, expect, it} from 'vitest';
import {silentLogger} from '../../adapters/log/logger.js';
import type {KubeClient} from '../../adapters/kube/types.js';
import {type JsonObject, ownPath} from '../../engine/json/types.js';
import {createMissingRights} from './missing-rights.js';
import {MissingRight} from './work-errors.js';

/** A clock whose timers run when they are told to; the pauses that they were set for are kept. */
function manual() {
  let timers: Array<() => void> = [];
  const pauses: number[] = [];
  return {
    clock: {
      now: () => 0,
      monotonic: () => 0,
      schedule(ms: number, run: () => void) {
        pauses.push(ms);
        timers.push(run);
        return () => {
          timers = timers.filter(timer => timer !== run);
        };
      },
    },
    pauses,
    async turn() {
      const due = timers;
      timers = [];
      for (const run of due) run();
      for (let turns = 0; turns < 20; turns += 1) await Promise.resolve();
    },
  };
}

function world() {
  const granted = new Set<string>();
  const asked: string[] = [];
  const going: string[] = [];
  const {clock, turn, pauses} = manual();
  const clientOf = (holder: string) => ({
    async create(_collection: unknown, review: JsonObject) {
      const {verb, resource, subresource, namespace = '*', name} = ownPath(review, 'spec', 'resourceAttributes') as Record<string, string>;
      const right = `${verb} ${resource}${subresource === undefined ? '' : `/${subresource}`}${namespace === '*' && name !== undefined ? '' : ` ${namespace}`}${name === undefined ? '' : ` ${name}`}${holder === 'process' ? ' (own)' : ''}`;
      asked.push(right);
      return {status: {allowed: granted.has(right)}};
    },
  }) as unknown as KubeClient;
  const rights = createMissingRights({clients: {worker: clientOf('worker'), process: clientOf('process')}, clock: clock as never, log: silentLogger, onGranted: (_right, works) => void going.push(...works)});
  return {rights, granted, asked, going, turn, pauses};
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

  it('goes on when the right is granted for the one object that it was missing for', async () => {
    const {rights, granted, asked, going, turn} = world();
    for (const name of ['a', 'b']) rights.park(new MissingRight('get', '', 'secrets', 'shop', {name}), name);
    await turn();
    expect(asked).toEqual(['get secrets *', 'get secrets shop', 'get secrets shop a']);
    granted.add('get secrets shop b');
    await turn();
    expect(going).toEqual(['b']);
    granted.add('get secrets shop');
    await turn();
    expect(going).toEqual(['b', 'a']);
  });

  it('goes on when the right is granted for the one object without a namespace, or in all namespaces by its name', async () => {
    const {rights, granted, going, turn} = world();
    rights.park(new MissingRight('get', '', 'nodes', '', {name: 'n'}), 'w1');
    rights.park(new MissingRight('list', '', 'secrets', '', {name: 'a'}), 'w2');
    for (const right of ['get nodes n', 'list secrets a']) granted.add(right);
    await turn();
    expect(going).toEqual(['w1', 'w2']);
  });

  it('asks for the account that lacks the right', async () => {
    const {rights, granted, going, turn} = world();
    rights.park(new MissingRight('list', '', 'secrets', '', {holder: 'process'}), 'reads');
    rights.park(new MissingRight('list', '', 'secrets', ''), 'writes');
    granted.add('list secrets *');
    await turn();
    expect(going).toEqual(['writes']);
    expect(rights.isMissing(new MissingRight('list', '', 'secrets', '', {holder: 'process'}))).toBe(true);
    granted.add('list secrets * (own)');
    await turn();
    expect(going).toEqual(['writes', 'reads']);
  });

  it.each([['', 'everywhere'], ['a', 'in one namespace, while others wait']])('is tried ever more seldom where a grant was told in vain: %s %s', async namespace => {
    const {rights, granted, going, turn, pauses} = world();
    const right = new MissingRight('create', '', 'configmaps', namespace);
    granted.add(`create configmaps ${namespace || '*'}`);
    if (namespace !== '') rights.park(new MissingRight('create', '', 'configmaps', 'b'), 'other');
    for (let count = 0; count < 8; count += 1) {
      rights.park(right, 'w');
      while (going.length === count) await turn();
    }
    expect(pauses.at(-1)).toBeGreaterThanOrEqual(15_000);
  });

  it('asks about a part of an object as the API server has it', async () => {
    const {rights, asked, turn} = world();
    rights.park(new MissingRight('update', 'apps', 'deployments/scale', ''), 'w');
    await turn();
    expect(asked).toEqual(['update deployments/scale *']);
  });
});
