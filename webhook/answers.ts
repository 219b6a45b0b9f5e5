import type {FailurePolicy} from '../engine/types.js';
import type {AdmissionAnswer} from './types.js';

export const allowed: AdmissionAnswer = Object.freeze({allowed: true});

export function denied(message: string): AdmissionAnswer {
  return {allowed: false, message};
}

/** `allowed`, with warnings when there are any. */
export function allowedWith(warnings: readonly string[]): AdmissionAnswer {
  return warnings.length === 0 ? allowed : {allowed: true, warnings: warnings.map(oneLine)};
}

/**
 * What a request gets that could not be judged: its path's failure policy decides, Fail where the path names none.
 * Under Ignore the requester still learns of it.
 */
export function failed(failurePolicy: FailurePolicy | undefined, message: string): AdmissionAnswer {
  const answer = failurePolicy === 'Ignore' ? allowedWith([message]) : denied(message);
  return {...answer, error: message};
}

/** The API server drops warnings with control characters. */
function oneLine(warning: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what has to go
  return warning.replace(/\s*[\u0000-\u001f\u007f]+\s*/g, ' ').trim();
}
