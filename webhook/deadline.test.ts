import {describe, expect, it} from 'vitest';
import {createManualClock} from '../adapters/clock/manual-clock.js';
import {allowed} from './answers.js';
import type {AdmissionContext} from './context.js';
import {deadlines, guarded} from './deadline.js';
import type {AdmissionAnswer} from './types.js';

describe('deadlines', () => {
  it.each([1000, 5000, 10_000, 30_000])(
    'leave half a second of a timeout of %d ms, evaluation ends before',
    timeout => {
      const {deadline, answerBy} = deadlines(0, timeout, 500);
      expect(answerBy).toBeLessThanOrEqual(timeout - 500);
      expect(deadline).toBeLessThan(answerBy);
      expect(deadline).toBeGreaterThan(0);
    },
  );

  it('of a timeout too short for the reserve still leave some time', () => {
    const {deadline, answerBy} = deadlines(0, 200, 500);
    expect([deadline, answerBy]).toEqual([25, 50]);
  });
});

describe('a guarded handler', () => {
  const clock = createManualClock();
  const context = (failurePolicy: 'Fail' | 'Ignore'): AdmissionContext =>
    ({
      route: {handler: 'validate', pattern: '/validate', webhook: 'validate', failurePolicy},
      timeoutMs: 10_000,
      answerBy: clock.now() + 9000,
    }) as AdmissionContext;
  const never = () => new Promise<AdmissionAnswer>(() => {});

  it('answers by failure policy when it throws or rejects', async () => {
    const thrower = guarded(() => {
      throw new Error('boom');
    }, clock);
    const rejecter = guarded(() => Promise.reject(new Error('boom')), clock);
    for (const handler of [thrower, rejecter]) {
      expect(await handler(context('Fail'))).toMatchObject({
        allowed: false,
        message: 'failed to judge the request: boom',
      });
      expect(await handler(context('Ignore'))).toMatchObject({
        allowed: true,
        warnings: ['failed to judge the request: boom'],
      });
    }
  });

  it('answers in time when it hangs', async () => {
    const pending = guarded(never, clock)(context('Fail'));
    clock.advance(9000);
    expect(await pending).toMatchObject({
      allowed: false,
      message: 'failed to judge the request within its timeout of 10s',
    });
  });

  it('lets a standing answer win when it hangs later', async () => {
    const late = context('Fail');
    const pending = guarded(running => {
      running.standingAnswer = allowed;
      return never();
    }, clock)(late);
    clock.advance(9000);
    expect(await pending).toBe(allowed);
    expect(late.expired).toBe(true);
  });

  it('leaves no timer behind', async () => {
    const before = clock.pending();
    await guarded(() => Promise.resolve(allowed), clock)(context('Fail'));
    expect(clock.pending()).toBe(before);
  });
});
