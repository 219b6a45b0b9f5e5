import {describe, expect, it} from 'vitest';
import {decodeReplicaState, encodeReplicaState, servedBy} from './replica-state.js';

describe('replica state', () => {
  it('comes back as it was told', () => {
    const state = {versions: {ClusterPolicy: '7', Policy: '9'}, refused: {'Policy/shop/x': 'no "rules"'}};
    const settings = {...state, started: {webhookServerPort: 'a1'}};
    expect(decodeReplicaState(encodeReplicaState(settings))).toEqual({...settings, incomplete: false});
    expect(decodeReplicaState(encodeReplicaState(state))).toEqual({...state, incomplete: false, started: {}});
  });

  it('is the same text for the same state', () => {
    expect(encodeReplicaState({versions: {b: '1', a: '2'}, refused: {d: '', c: ''}})).toBe(
      encodeReplicaState({versions: {a: '2', b: '1'}, refused: {c: '', d: ''}}),
    );
  });

  it('stays within what an annotation may hold, and says that it left some out', () => {
    const refused = Object.fromEntries(
      Array.from({length: 5_000}, (_, index) => [`ClusterPolicy/p${index}`, 'x'.repeat(900)]),
    );
    const text = encodeReplicaState({versions: {ClusterPolicy: '1'}, refused});
    expect(text.length).toBeLessThan(70_000);
    expect(decodeReplicaState(text)?.incomplete).toBe(true);
  });

  for (const text of ['', '{', '[]', 'null', '"x"']) {
    it(`says nothing for ${JSON.stringify(text)}`, () => {
      expect(decodeReplicaState(text)).toBeUndefined();
    });
  }

  it('reads no more than text values', () => {
    expect(decodeReplicaState('{"versions":{"a":1,"b":"2"},"refused":[]}')).toEqual({
      versions: {b: '2'},
      refused: {},
      incomplete: false,
      started: {},
    });
  });

  const state = {versions: {ClusterPolicy: '100'}, refused: {bad: 'why'}, incomplete: false};
  for (const [name, of, asked, want] of [
    ['serves an object up to its version', state, {kind: 'ClusterPolicy', key: 'a', resourceVersion: '100'}, 'served'],
    ['serves an older object', state, {kind: 'ClusterPolicy', key: 'a', resourceVersion: '99'}, 'served'],
    ['is behind a newer object', state, {kind: 'ClusterPolicy', key: 'a', resourceVersion: '101'}, 'behind'],
    [
      'is behind a much newer object, compared as a number',
      state,
      {kind: 'ClusterPolicy', key: 'a', resourceVersion: '1000'},
      'behind',
    ],
    ['refuses', state, {kind: 'ClusterPolicy', key: 'bad', resourceVersion: '50'}, 'refused'],
    ['is unknown for a kind it does not tell of', state, {kind: 'Policy', key: 'a', resourceVersion: '1'}, 'unknown'],
    ['is unknown without a state', undefined, {kind: 'Policy', key: 'a', resourceVersion: '1'}, 'unknown'],
    [
      'is unknown when refusals were left out',
      {...state, incomplete: true},
      {kind: 'ClusterPolicy', key: 'a', resourceVersion: '1'},
      'unknown',
    ],
  ] as const) {
    it(`a replica ${name}`, () => {
      expect(servedBy(of, asked)).toBe(want);
    });
  }
});
