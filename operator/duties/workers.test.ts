import {describe, expect, it} from 'vitest';
import type {KubeClient} from '../../adapters/kube/types.js';
import {createWorkers} from './workers.js';

describe('who acts for a duty', () => {
  const made: string[] = [];
  const own = {} as KubeClient;
  const workers = createWorkers({
    flags: {backgroundServiceAccountName: 'system:serviceaccount:kyverno:kyverno', cleanupServiceAccountName: '', reportsServiceAccountName: 'system:serviceaccount:kyverno:reader'},
    own,
    ownUser: 'system:serviceaccount:kyverno:kyverno',
    create(user) {
      made.push(user);
      return {} as KubeClient;
    },
  });

  it('is the process itself where nobody else is named, or it is', () => {
    expect((['admission', 'background', 'cleanup'] as const).every(duty => workers.of(duty) === own)).toBe(true);
    expect(made).toEqual([]);
  });

  it('is one client for another account', () => {
    expect(workers.of('reports')).toBe(workers.of('reports'));
    expect(made).toEqual(['system:serviceaccount:kyverno:reader']);
  });
});
