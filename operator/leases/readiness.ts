import type {Readiness} from '../status/classic-status.js';
import type {LiveReplica} from './live-replicas.js';
import {type Served, servedBy} from './replica-state.js';

const words: Readonly<Record<Exclude<Served, 'served'>, string>> = {
  refused: 'refused by',
  behind: 'not yet served by',
  unknown: 'not yet reported by',
};

const maxNames = 5;

/** Ready = served, at this version or a later one, by every live replica; else who is in the way. */
export function replicaReadiness(
  replicas: readonly LiveReplica[],
  asked: {readonly kind: string; readonly key: string; readonly resourceVersion: string},
): Readiness {
  if (replicas.length === 0) return {ready: false, reason: 'Pending', message: 'no replica has reported yet'};
  const answers = replicas.map(({identity, state}) => ({identity, served: servedBy(state, asked)}));
  const parts = (['refused', 'behind', 'unknown'] as const).flatMap(served => {
    const names = answers.filter(answer => answer.served === served).map(({identity}) => identity);
    if (names.length === 0) return [];
    const more = names.length > maxNames ? ` and ${names.length - maxNames} more` : '';
    return [`${words[served]} ${names.slice(0, maxNames).join(', ')}${more}`];
  });
  if (parts.length === 0) return {ready: true};
  const isRefused = answers.some(({served}) => served === 'refused');
  return {ready: false, reason: isRefused ? 'Failed' : 'Pending', message: parts.join('; ')};
}
