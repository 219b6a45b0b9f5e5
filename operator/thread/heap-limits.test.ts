import {expect, it} from 'vitest';
import {heapLimits} from './heap-limits.js';

const GiB = 1024 ** 3;

it.each([
  ['of a small container', GiB / 2, 16 * GiB, 256],
  ['of one that has less than it needs', GiB / 16, 16 * GiB, 128],
  ['without a limit', 2 ** 63, 4 * GiB, 2_048],
  ['where none is known', 0, 4 * GiB, 2_048],
  ['on a large machine', undefined, 512 * GiB, 4_096],
])('the heap of the thread is half of the memory %s', (_what, constrained, total, mib) => {
  expect(heapLimits(constrained, total).maxOldGenerationSizeMb).toBe(mib);
});
