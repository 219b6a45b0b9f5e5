/**
 * What came of a request: judged rightly (`denied`, `allowed`), not judged and refused by the API server (`refused`), the
 * API server itself not reached (`unreachable`), or wrong.
 */
export type Verdict =
  | 'denied'
  | 'allowed'
  | 'refused'
  | 'unreachable'
  | 'wrongly-allowed'
  | 'wrongly-denied'
  | 'unpatched'
  | 'other';

export const wrong: ReadonlySet<Verdict> = new Set<Verdict>([
  'wrongly-allowed',
  'wrongly-denied',
  'unpatched',
  'other',
]);

interface Answer {
  readonly status: number;
  readonly body: unknown;
}

/** Judges an answer to the creation of a ConfigMap that the policies of `policies.ts` must allow (`good`) or deny. */
export function verdictOn(good: boolean, {status, body}: Answer): {readonly verdict: Verdict; readonly text: string} {
  const text = JSON.stringify(body);
  if (status === 201) {
    if (!good) return {verdict: 'wrongly-allowed', text};
    return text.includes('"stamped":"yes"') ? {verdict: 'allowed', text: ''} : {verdict: 'unpatched', text};
  }
  if (text.includes('denied the request') && text.includes('a team is wanted')) {
    return good ? {verdict: 'wrongly-denied', text} : {verdict: 'denied', text: ''};
  }
  return {verdict: text.includes('failed calling webhook') ? 'refused' : 'other', text};
}
