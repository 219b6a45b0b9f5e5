import type {Attestor} from '../image/verification.js';
import type {Answer, Refusal} from './ask-source.js';
import type {AttestorSet, Member} from './model.js';

/** What one attestor says: `value` when it vouches. */
export type Ask<T> = (attestor: Attestor, path: string) => Answer<T>;

export type SetAnswer<T> =
  | {readonly verified: number; readonly value: T}
  | {readonly verified: number; readonly refusal: Refusal};

/**
 * Asks members in order until enough have vouched. A set that failed is `unreachable` (or `uncached`) only where those who
 * gave no answer could have made the difference.
 */
export function verifySet<T>(set: AttestorSet, ask: Ask<T>): SetAnswer<T> {
  const refusals: Refusal[] = [];
  let verified = 0;
  for (const member of set.members) {
    const answer = askMember(member, ask);
    if ('refusal' in answer) {
      refusals.push(answer.refusal);
      continue;
    }
    verified += 1;
    if (verified >= set.required) return {verified, value: answer.value};
  }
  const silent = refusals.filter(({reason}) => reason !== 'unverified');
  const reason = verified + silent.length < set.required ? 'unverified' : reasonOf(silent);
  return {verified, refusal: {reason, message: refusals.map(({message}) => message).join('; ')}};
}

function askMember<T>(member: Member, ask: Ask<T>): Answer<T> {
  if (member.type === 'set') return verifySet(member.set, ask);
  const answer = ask(member.attestor, member.path);
  return 'value' in answer
    ? answer
    : {refusal: {...answer.refusal, message: `${member.path}: ${answer.refusal.message}`}};
}

function reasonOf(silent: readonly Refusal[]): Refusal['reason'] {
  return silent.some(({reason}) => reason === 'unreachable') ? 'unreachable' : 'uncached';
}
