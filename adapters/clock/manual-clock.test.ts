import {expect, it} from 'vitest';
import {createManualClock} from './manual-clock.js';

it('runs what falls due in order and shows each task its own time', () => {
  const clock = createManualClock(1000);
  const seen: Array<[string, number]> = [];
  clock.schedule(20, () => seen.push(['late', clock.now()]));
  clock.schedule(10, () => {
    seen.push(['early', clock.now()]);
    clock.schedule(5, () => seen.push(['nested', clock.now()]));
  });
  const cancel = clock.schedule(1, () => seen.push(['cancelled', clock.now()]));
  cancel();
  clock.advance(25);
  expect(seen).toEqual([
    ['early', 1010],
    ['nested', 1015],
    ['late', 1020],
  ]);
  expect([clock.now(), clock.monotonic(), clock.pending()]).toEqual([1025, 25, 0]);
});
