import {formatDiagnostic} from '../../engine/diagnostic.js';
import {allowedWith, denied} from '../answers.js';
import {after, type Handler} from '../context.js';
import type {AdmissionAnswer, PolicyReview, PolicyReviewResult} from '../types.js';

/** Policy objects as they are written: all faults in one answer, each with its path. */
export function policyReviewHandler(review: PolicyReview): Handler {
  return context => after(review.review(context.request), reviewAnswer);
}

function reviewAnswer(result: PolicyReviewResult): AdmissionAnswer {
  const answer = allowedWith(result.warnings);
  if (result.allowed) return answer;
  return {...answer, ...denied(faultList(result))};
}

function faultList(result: PolicyReviewResult): string {
  const lines = result.errors.map(formatDiagnostic);
  if (lines.length === 0) return 'refused without a reason';
  return lines.length === 1 ? lines[0]! : `${lines.length} faults:\n${lines.map(line => `- ${line}`).join('\n')}`;
}
