import {sharedBudget} from '../../adapters/kube/rate-limit.js';
import {createMark} from '../../adapters/mark.js';

/** What the threads of the process read and write without asking one another. */
export interface SharedMemory {
  /** Of a mark: when a review was answered last. */
  readonly answers: SharedArrayBuffer;
  /** Of a mark: when the main thread, which renews the Leases, last had its turn. */
  readonly heart: SharedArrayBuffer;
  /** Of the limits that flags set for the process: requests to the API server, and those that write Events. */
  readonly requests: SharedArrayBuffer;
  readonly events: SharedArrayBuffer;
}

export function createSharedMemory(): SharedMemory {
  return {answers: createMark().memory, heart: createMark().memory, requests: sharedBudget(), events: sharedBudget()};
}
