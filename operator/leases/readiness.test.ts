import {describe, expect, it} from 'vitest';
import type {LiveReplica} from './live-replicas.js';
import {replicaReadiness} from './readiness.js';

function replica(identity: string, version: string | undefined, refused: Record<string, string> = {}): LiveReplica {
  return {
    identity,
    state: version === undefined ? undefined : {versions: {Policy: version}, refused, incomplete: false},
  };
}

const asked = {kind: 'Policy', key: 'shop/x', resourceVersion: '10'};

describe('readiness over replicas', () => {
  for (const [name, replicas, want] of [
    ['is ready when every live replica serves it', [replica('a', '10'), replica('b', '11')], {ready: true}],
    ['is not ready without any replica', [], {ready: false, reason: 'Pending', message: 'no replica has reported yet'}],
    [
      'waits for who is behind and who said nothing',
      [replica('a', '10'), replica('b', '9'), replica('c', undefined)],
      {ready: false, reason: 'Pending', message: 'not yet served by b; not yet reported by c'},
    ],
    [
      'names who refuses it',
      [replica('a', '10', {'shop/x': 'why'}), replica('b', '10')],
      {ready: false, reason: 'Failed', message: 'refused by a'},
    ],
    [
      'takes no refusal of an earlier version for one of this',
      [replica('a', '9', {'shop/x': 'why'}), replica('b', '10')],
      {ready: false, reason: 'Pending', message: 'not yet served by a'},
    ],
    [
      'names only so many',
      ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map(identity => replica(identity, '9')),
      {ready: false, reason: 'Pending', message: 'not yet served by a, b, c, d, e and 2 more'},
    ],
  ] as const) {
    it(name, () => {
      expect(replicaReadiness(replicas, asked)).toEqual(want);
    });
  }
});
