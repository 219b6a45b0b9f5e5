import {describe, expect, it} from 'vitest';
import type {KubeClient} from '../../adapters/kube/types.js';
import {ownPath} from '../../engine/json/types.js';
import {createWorkerRights} from './worker-rights.js';

const silent = {warn: () => undefined} as never;
/** Pauses end at once. */
const clock = {schedule: (_: number, task: () => void) => queueMicrotask(task)} as never;

function rights(answer: (verb: string, round: number) => boolean) {
  const asked = new Map<string, number>();
  const create = async (_: unknown, review: never) => {
    const verb = String(ownPath(review, 'spec', 'resourceAttributes', 'verb'));
    asked.set(verb, (asked.get(verb) ?? 0) + 1);
    return {status: {allowed: answer(verb, asked.get(verb)!)}};
  };
  const client = {create} as unknown as Pick<KubeClient, 'create'>;
  return {asked, of: createWorkerRights({client, account: 'system:serviceaccount:a:b', clock, log: silent})};
}

const target = {group: 'apps', resource: 'deployments', namespace: 'team', path: 'spec.rules[0].generate'};

describe('the rights of who works in the background', () => {
  it('are told as one fault per target, with the account and what to grant', async () => {
    const {of, asked} = rights(() => false);
    const faults = await of([
      {...target, verb: 'get'},
      {...target, verb: 'create'},
      {...target, verb: 'create', path: 'spec.rules[1].generate'},
    ]);
    expect(faults.map(({path, message}) => ({path, message}))).toEqual([
      {path: 'spec.rules[0].generate', message: "auth check fails, additional privileges are required for the service account 'system:serviceaccount:a:b': get, create deployments.apps in namespace team"},
      {path: 'spec.rules[1].generate', message: "auth check fails, additional privileges are required for the service account 'system:serviceaccount:a:b': create deployments.apps in namespace team"},
    ]);
    expect(asked).toEqual(new Map([['get', 3], ['create', 3]]));
  });

  it('may come a moment after the policy', async () => {
    expect(await rights((_, round) => round === 2).of([{...target, verb: 'get'}])).toEqual([]);
  });

  it('refuse nothing while the API server does not say', async () => {
    const {of} = rights(() => {
      throw new Error('unreachable');
    });
    expect(await of([{...target, verb: 'get'}])).toEqual([]);
  });
});
