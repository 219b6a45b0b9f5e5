import {describe, expect, it} from 'vitest';
import {createManualClock} from '../../adapters/clock/manual-clock.js';
import {eventually, turns} from '../../adapters/kube/testing/eventually.js';
import type {JsonObject} from '../../engine/json/types.js';
import {followDefinitions} from './follow-definitions.js';

function definition(established: boolean): JsonObject {
  return {
    metadata: {name: 'limits.example.com'},
    spec: {
      group: 'example.com',
      names: {plural: 'limits', kind: 'Limit'},
      versions: [
        {name: 'v1', served: true},
        {name: 'v0', served: false},
      ],
    },
    status: {conditions: established ? [{type: 'Established', status: 'True'}] : []},
  };
}

/** The document has the kind from the given reading on. */
function follower(established: boolean, from: number) {
  const clock = createManualClock();
  let readings = 0;
  const kind = {group: 'example.com', version: 'v1', resource: 'limits', kind: 'Limit', namespaced: true};
  const following = followDefinitions({
    clock,
    discovery: {
      refresh: async () => {
        readings += 1;
      },
      resourceMap: {
        kindOf: ({version}) => (version === 'v1' && readings >= from ? (kind as never) : undefined),
        find: () => [],
        all: () => [],
      },
    },
    definitions: () => [definition(established)],
    onError: error => {
      throw error as Error;
    },
  });
  return {
    following,
    readings: () => readings,
    /** Lets so many milliseconds pass in small steps. */
    async pass(ms: number) {
      for (let passed = 0; passed < ms; passed += 250) {
        await turns(5);
        clock.advance(250);
      }
      await turns(5);
    },
  };
}

describe('discovery after a change of definitions', () => {
  it('is read again until it has what is established', async () => {
    const {following, readings, pass} = follower(true, 6);
    following.touch();
    await pass(60_000);
    expect(readings()).toBe(6);
  });
  it('is read a few times more for what went', async () => {
    const {following, readings, pass} = follower(true, 1);
    following.touch();
    await pass(60_000);
    expect(readings()).toBe(4);
  });
  it('does not wait for a definition that is not established', async () => {
    const {following, readings, pass} = follower(false, 1_000);
    following.touch();
    await pass(60_000);
    expect(readings()).toBe(4);
  });
  it('is left to the regular reading when a kind never shows up', async () => {
    const {following, readings, pass} = follower(true, 1_000);
    following.touch();
    await pass(200_000);
    expect(readings()).toBe(9);
  });
  it('begins anew with the next change', async () => {
    const {following, readings, pass} = follower(true, 1);
    following.touch();
    await pass(60_000);
    following.touch();
    await eventually(() => readings() === 5);
    await following.stop();
  });
});

describe('somebody who asks for a kind that is not there', () => {
  it('waits until what is defined can be found', async () => {
    const {following, readings, pass} = follower(false, 4);
    const caughtUp = following.catchUp();
    await pass(10_000);
    await caughtUp;
    expect(readings()).toBe(4);
  });
  it('waits for a second reading where nothing is on its way', async () => {
    const {following, readings, pass} = follower(true, 1);
    const caughtUp = following.catchUp();
    await pass(10_000);
    await caughtUp;
    expect(readings()).toBe(2);
  });
  it('waits no longer than three seconds', async () => {
    const {following, readings, pass} = follower(true, 1_000);
    const caughtUp = following.catchUp();
    await pass(3_000);
    await caughtUp;
    expect(readings()).toBe(7);
  });
});
