import {createAnswerMark} from '../../adapters/answer-mark.js';
import {sharedBudget} from '../../adapters/kube/rate-limit.js';

/** What the threads of the process read and write without asking one another. */
export interface SharedMemory {
  /** Of an AnswerMark. */
  readonly answers: SharedArrayBuffer;
  /** Of the limits that flags set for the process: requests to the API server, and those that write Events. */
  readonly requests: SharedArrayBuffer;
  readonly events: SharedArrayBuffer;
}

export function createSharedMemory(): SharedMemory {
  return {answers: createAnswerMark().memory, requests: sharedBudget(), events: sharedBudget()};
}
