import {sleep, type Clock} from '../adapters/clock.js';
import type {Connections} from './http/connections.js';
import type {DrainOptions} from './types.js';

export interface DrainSteps {
  readonly clock: Clock;
  readonly connections: Connections;
  /** Readiness fails from here on. */
  readonly becomeUnready: () => void;
  /** Answers end their connections from here on. */
  readonly becomeClosing: () => void;
  /** Resolves when work that follows answers is done. */
  readonly workDone: () => Promise<void>;
  readonly close: () => Promise<void>;
}

const defaultMaxWaitMs = 10_000;
const defaultSilentMs = 1_000;
const defaultFinishMs = 15_000;

/**
 * Leaves without a refused call: clients stop finding us before connections end, and a connection ends after an answer
 * that said so or after silence, not while a request may be on the wire.
 */
export async function drainServer(steps: DrainSteps, options: DrainOptions): Promise<void> {
  const {clock, connections} = steps;
  const silentMs = options.silentMs ?? defaultSilentMs;
  steps.becomeUnready();
  if (options.endpointGone !== undefined) {
    await atMost(clock, options.maxWaitMs ?? defaultMaxWaitMs, options.endpointGone());
  }
  steps.becomeClosing();
  const pollMs = Math.max(10, silentMs / 4);
  const end = clock.monotonic() + (options.finishMs ?? defaultFinishMs);
  for (;;) {
    connections.closeSilent(silentMs);
    if (connections.open() === 0 || clock.monotonic() >= end) break;
    await sleep(clock, pollMs);
  }
  await atMost(clock, Math.max(0, end - clock.monotonic()), steps.workDone());
  await steps.close();
}

/** Waits for `work`, whatever becomes of it, but no longer than `ms`. */
async function atMost(clock: Clock, ms: number, work: Promise<void>): Promise<void> {
  const limit = new AbortController();
  const over = () => limit.abort();
  work.then(over, over);
  await sleep(clock, ms, limit.signal);
}
