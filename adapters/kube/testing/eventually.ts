import type {ManualClock} from '../../clock/manual-clock.js';

/** Resolves once `condition` holds, looking again after each turn of I/O; the test's own time limit ends it. */
export async function eventually(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise<void>(resolve => setTimeout(resolve, 2));
}

/** The same while the clock goes on by `stepMs` a turn: a timer may be set later than the test looks. */
export async function eventuallyBy(clock: Pick<ManualClock, 'advance'>, stepMs: number, condition: () => boolean | Promise<boolean>): Promise<void> {
  await eventually(async () => {
    if (await condition()) return true;
    clock.advance(stepMs);
    return false;
  });
}

/** Lets `turns` rounds of I/O pass. */
export async function turns(count = 20): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await new Promise<void>(resolve => setTimeout(resolve, 1));
}
