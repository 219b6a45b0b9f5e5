import {describe, expect, it} from 'vitest';
import {createManualClock} from '../../adapters/clock/manual-clock.js';
import {createLogger} from '../../adapters/log/logger.js';
import {createMetrics} from '../metrics/metrics.js';
import {settle} from '../testing/harness.js';
import {createAuditQueue, type AuditQueueOptions} from './audit-queue.js';

function setUp(options: Partial<AuditQueueOptions<string>>) {
  const clock = createManualClock();
  const lines: string[] = [];
  const metrics = createMetrics({version: 't', processMetrics: false});
  const queue = createAuditQueue<string>({
    capacity: 3,
    workers: 2,
    maxBytes: 100,
    sizeOf: () => 1,
    timeoutMs: 30_000,
    run: () => {},
    describe: job => job,
    clock,
    log: createLogger({format: 'text', verbosity: 0, write: line => lines.push(line)}),
    metrics,
    ...options,
  });
  return {queue, clock, lines, metrics};
}

describe('the audit queue', () => {
  it('starts nothing within the turn that submits, and one job per turn', async () => {
    const seen: string[] = [];
    const {queue} = setUp({run: job => void seen.push(job)});
    queue.submit('a');
    queue.submit('b');
    expect(seen).toEqual([]);
    await settle(1);
    expect(seen).toEqual(['a']);
    await queue.idle();
    expect(seen).toEqual(['a', 'b']);
  });

  it('drops and counts what exceeds its capacity, with one line', async () => {
    const {queue, lines, metrics} = setUp({run: () => new Promise(() => {})});
    const accepted = ['a', 'b', 'c', 'd', 'e'].map(job => queue.submit(job));
    expect(accepted).toEqual([true, true, true, false, false]);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain('d dropped: the audit queue is full');
    expect(await metrics.text()).toContain('kyverno_breaker_drops_total{circuit_name="audit",reason="queue-full"} 2');
  });

  it('drops what exceeds its bytes, and takes jobs again once others have ended', async () => {
    const {queue} = setUp({sizeOf: job => Number(job)});
    expect(['60', '50', '40'].map(job => queue.submit(job))).toEqual([true, false, true]);
    await queue.idle();
    expect(queue.submit('100')).toBe(true);
  });

  it('gives a hanging job up after its budget with one line, ends its signal and goes on', async () => {
    const signals: AbortSignal[] = [];
    const done: string[] = [];
    const {queue, clock, lines} = setUp({
      workers: 1,
      run: (job, abort) => {
        signals.push(abort.signal);
        if (job === 'hang') return new Promise(() => {});
        done.push(job);
        return undefined;
      },
    });
    queue.submit('hang');
    queue.submit('next');
    await settle();
    expect(done).toEqual([]);
    clock.advance(29_999);
    await settle();
    expect(lines).toEqual([]);
    clock.advance(1);
    await queue.idle();
    expect(signals[0]!.aborted).toBe(true);
    expect(done).toEqual(['next']);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain('audit work for hang given up after 30 s');
  });

  it('counts failures within a minute into one line', async () => {
    const {queue, clock, lines} = setUp({
      capacity: 100,
      run: job => {
        throw new Error(`no ${job}`);
      },
    });
    for (const job of ['a', 'b', 'c']) queue.submit(job);
    await queue.idle();
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain('audit work for a failed: no a');
    clock.advance(60_000);
    queue.submit('d');
    await queue.idle();
    expect(lines[1]).toContain('no d (and 2 more since)');
  });

  it('runs no more than its workers at one time', async () => {
    let running = 0;
    let most = 0;
    const {queue} = setUp({
      capacity: 20,
      run: async () => {
        most = Math.max(most, ++running);
        await settle(3);
        running--;
      },
    });
    for (let job = 0; job < 10; job++) queue.submit(String(job));
    await queue.idle();
    expect(most).toBe(2);
  });

  it('drops what waits at close and takes nothing more', async () => {
    const {queue, metrics} = setUp({});
    queue.submit('a');
    queue.close();
    expect(queue.submit('b')).toBe(false);
    await settle();
    expect(await metrics.text()).toContain('reason="closed"} 2');
  });
});
