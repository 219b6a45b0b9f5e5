import {setTimeout as delay} from 'node:timers/promises';
import {type HandlerContext, runHandler} from './probe.js';
import type {Container, Probe} from './types.js';

export interface ProberOptions {
  readonly container: Container;
  readonly context: Omit<HandlerContext, 'timeoutMs'>;
  /** Ends all probing. */
  readonly signal: AbortSignal;
  readonly onStarted: () => void;
  readonly onReady: (ready: boolean) => void;
  /** A startup or liveness probe failed for good: the container must be ended. */
  readonly onDead: (why: string) => void;
}

/** Runs the probes of one container process: startup first, then liveness and readiness side by side. */
export async function runProbes({
  container,
  context,
  signal,
  onStarted,
  onReady,
  onDead,
}: ProberOptions): Promise<void> {
  const {startupProbe, livenessProbe, readinessProbe} = container;
  if (startupProbe) {
    const passed = await untilFirst(startupProbe);
    if (!passed) return;
  }
  if (signal.aborted) return;
  onStarted();
  if (readinessProbe) void watch(readinessProbe, onReady);
  else onReady(true);
  if (livenessProbe) {
    void watch(livenessProbe, (alive, why) => {
      if (!alive) onDead(`liveness probe: ${why}`);
    });
  }

  /** True at the first success; false when it failed too often (the container is told dead) or probing ended. */
  function untilFirst(probe: Probe): Promise<boolean> {
    return new Promise(resolve => {
      const inner = new AbortController();
      signal.addEventListener('abort', () => inner.abort(), {once: true});
      inner.signal.addEventListener('abort', () => resolve(false), {once: true});
      void watch(
        probe,
        (passed, why) => {
          if (!passed) onDead(`startup probe: ${why}`);
          resolve(passed);
          inner.abort();
        },
        inner.signal,
      );
    });
  }

  /** Probes in its period and tells each turn of the outcome once its threshold is reached. */
  async function watch(probe: Probe, onTurn: (ok: boolean, why: string) => void, stop = signal): Promise<void> {
    let last: boolean | undefined;
    let same = 0;
    let told: boolean | undefined;
    await sleep(probe.initialDelaySeconds ?? 0, stop);
    while (!stop.aborted) {
      let why = '';
      try {
        await runHandler(probe, {...context, timeoutMs: 1000 * (probe.timeoutSeconds ?? 1)});
      } catch (error) {
        why = (error as Error).message || String(error);
      }
      if (stop.aborted) return;
      const ok = why === '';
      same = ok === last ? same + 1 : 1;
      last = ok;
      const threshold = ok ? (probe.successThreshold ?? 1) : (probe.failureThreshold ?? 3);
      if (same >= threshold && told !== ok) {
        told = ok;
        onTurn(ok, why);
      }
      await sleep(probe.periodSeconds ?? 10, stop);
    }
  }
}

async function sleep(seconds: number, signal: AbortSignal): Promise<void> {
  await delay(seconds * 1000, undefined, {signal}).catch(() => undefined);
}
