import {totalmem} from 'node:os';
import type {ResourceLimits} from 'node:worker_threads';

const MiB = 1024 * 1024;
/** Of Node's 48, as much as the short-lived objects of background work need: the same CPU, a third less memory at rest. */
const youngMiB = 12;
const [leastMiB, mostMiB] = [128, 4_096];

/**
 * Half of the memory that the process may have, so that the thread ends and not the process. `constrained`: bytes of a cgroup's limit;
 * absent or beyond what there is: none.
 */
export function heapLimits(constrained = process.constrainedMemory(), total = totalmem()): ResourceLimits {
  const given = constrained !== undefined && constrained > 0 ? Math.min(constrained, total) : total;
  return {maxYoungGenerationSizeMb: youngMiB, maxOldGenerationSizeMb: Math.min(mostMiB, Math.max(leastMiB, Math.floor(given / MiB / 2)))};
}
