import {describe, expect, it} from 'vitest';
import {createManualClock} from '../clock/manual-clock.js';
import {createCongestion} from './congestion.js';

const most = 10;

/** Rounds against a server that works at `processors` requests at a time, `milliseconds` each, and keeps the others waiting. */
function load(congestion: ReturnType<typeof createCongestion>, {processors, milliseconds, rounds = 40, kind = 'create pods'}: {processors: number; milliseconds: number; rounds?: number; kind?: string}): number {
  for (let round = 0; round < rounds; round += 1) {
    const width = congestion.width(most);
    for (let index = 0; index < width; index += 1) congestion.note(kind, milliseconds * Math.max(1, width / processors));
  }
  return congestion.width(most);
}

describe('congestion', () => {
  it('lets as many requests go out as a large server answers at once', () => {
    expect(load(createCongestion(createManualClock()), {processors: 32, milliseconds: 4})).toBe(most);
  });

  it('keeps few under way where more of them would only wait', () => {
    const congestion = createCongestion(createManualClock());
    load(congestion, {processors: 32, milliseconds: 4});
    const width = load(congestion, {processors: 1, milliseconds: 4});
    expect(width).toBeGreaterThanOrEqual(2);
    expect(width).toBeLessThanOrEqual(4);
  });

  it('holds each kind of request against its own quickest answer', () => {
    const congestion = createCongestion(createManualClock());
    congestion.note('delete pods', 1);
    expect(load(congestion, {processors: 32, milliseconds: 80})).toBe(most);
  });

  it('forgets how quick a server once was', () => {
    const clock = createManualClock();
    const congestion = createCongestion(clock);
    load(congestion, {processors: 32, milliseconds: 1});
    expect(load(congestion, {processors: 32, milliseconds: 20, rounds: 10})).toBe(2);
    clock.advance(130_000);
    expect(load(congestion, {processors: 32, milliseconds: 20})).toBe(most);
  });

  it('does not grow while nobody fills what there is', () => {
    const congestion = createCongestion(createManualClock());
    for (let index = 0; index < 100; index += 1) congestion.note('create pods', 4);
    expect(congestion.width(most)).toBeLessThanOrEqual(5);
  });
});
