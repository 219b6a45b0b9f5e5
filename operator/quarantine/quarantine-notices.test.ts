import {beforeEach, describe, expect, it} from 'vitest';
import type {PolicyRef} from '../../engine/types.js';
import {QuarantineNotices} from './quarantine-notices.js';

const policy: PolicyRef = {apiVersion: 'kyverno.io/v1', kind: 'ClusterPolicy', namespace: '', name: 'p', key: 'p'};
const state = {message: 'kept'};

describe('notices of quarantine', () => {
  let notices: QuarantineNotices;
  let heard: string[];
  beforeEach(() => {
    notices = new QuarantineNotices();
    heard = [];
    notices.subscribe((_policy, now) => heard.push(now === undefined ? 'free' : 'kept'));
  });

  it('tell of freedom once no engine keeps the policy away', () => {
    notices.tell(policy, state);
    notices.tell(policy, state, 'background');
    notices.tell(policy, undefined);
    expect(heard).toEqual(['kept', 'kept']);
    notices.tell(policy, undefined, 'background');
    expect(heard).toEqual(['kept', 'kept', 'free']);
  });

  it('let go what an engine kept away that is no more', () => {
    notices.tell(policy, state, 'background');
    notices.release('background');
    notices.release('background');
    expect(heard).toEqual(['kept', 'free']);
  });

  it('forget what comes late of a wording that is no more', () => {
    notices.forget('ClusterPolicy', 'p');
    notices.tell(policy, state, 'background');
    notices.free('ClusterPolicy', 'p', 'background');
    notices.free('ClusterPolicy', 'q', 'background');
    expect(heard).toEqual(['kept', 'free']);
  });

  it('begin anew with another wording', () => {
    notices.tell(policy, state, 'background');
    notices.forget('ClusterPolicy', 'p');
    notices.tell(policy, state);
    notices.tell(policy, undefined);
    expect(heard).toEqual(['kept', 'kept', 'free']);
  });
});
