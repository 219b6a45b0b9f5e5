import type {Outcome} from '../compile/types.js';
import type {ImageOutcome, Verdict} from './verify-images.js';

export interface ImagesOutcome extends Outcome {
  readonly warns: boolean;
}

/**
 * What a rule says of all its images: nothing when none is its business. Failures and errors both show: one is for the
 * failure action, the other for the failure policy. The failure comes last: of two, reports keep it. What passed is said where nothing is wrong.
 */
export function summarise(outcomes: readonly ImageOutcome[]): ImagesOutcome[] {
  const verdicts = outcomes.flatMap(outcome => outcome.verdicts);
  const wrong = (['error', 'fail'] as const).flatMap(status => joined(verdicts, status));
  if (wrong.length > 0) return wrong;
  const passed = joined(verdicts, 'pass');
  return passed.length > 0 ? passed : joined(verdicts, 'skip');
}

function joined(verdicts: readonly Verdict[], status: Verdict['status']): ImagesOutcome[] {
  const these = verdicts.filter(verdict => verdict.status === status);
  if (these.length === 0) return [];
  return [
    {
      status,
      message: [...new Set(these.map(({message}) => message))].join('; '),
      warns: these.some(({warns}) => warns === true),
    },
  ];
}
