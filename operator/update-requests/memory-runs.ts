import type {Clock} from '../../adapters/clock.js';
import type {Core} from '../feature.js';
import {textOfError} from '../generate/work-errors.js';
import {isTooEarly} from './too-early.js';
import {type NamedObject, shownObject} from './trigger.js';
import type {RequestedWork} from './update-request.js';

/** Work that reads what may be stored nowhere: the data of a Secret that is going, or as it was before. */
export interface MemoryWork {
  readonly policyId: string;
  readonly request: RequestedWork;
  readonly trigger: NamedObject;
}

export interface MemoryRuns {
  /** Resolves when nothing is left to do of it, however it ended. */
  add(work: MemoryWork): Promise<void>;
  readonly size: number;
  stop(): void;
}

export interface MemoryRunsOptions {
  readonly core: Pick<Core, 'log' | 'events'> & {readonly clock: Clock};
  readonly run: (work: MemoryWork) => Promise<void>;
}

const most = 1_000;
/** Until the request has had its effect, or is known to have had none. */
const graceMs = 10_000;
const firstPauseMs = 50;
const longestPauseMs = 1_000;

/** Runs work once, from this replica's memory: nobody else can do it, and it is lost with the replica. */
export function createMemoryRuns({core: {clock, log, events}, run}: MemoryRunsOptions): MemoryRuns {
  const waiting = new Map<MemoryWork, () => void>();
  const over = new Map<MemoryWork, () => void>();
  const tell = (work: MemoryWork, why: string) => tellUndone({log, events}, work, why);

  function end(work: MemoryWork): void {
    waiting.delete(work);
    over.get(work)?.();
    over.delete(work);
  }

  async function attempt(work: MemoryWork, {since, pauseMs}: {readonly since: number; readonly pauseMs: number}): Promise<void> {
    try {
      await run(work);
      end(work);
      log.info(`background: ${shown(work)} read a Secret's data, which is stored nowhere: done once, from the memory of this replica`);
    } catch (error) {
      if (!waiting.has(work)) return;
      if (isTooEarly(error) && clock.monotonic() - since < graceMs) {
        waiting.set(work, clock.schedule(pauseMs, () => void attempt(work, {since, pauseMs: Math.min(longestPauseMs, pauseMs * 2)})));
        return;
      }
      end(work);
      tell(work, textOfError(error));
    }
  }

  return {
    add(work) {
      if (waiting.size >= most) {
        tell(work, `${most} such runs wait already`);
        return Promise.resolve();
      }
      waiting.set(work, clock.schedule(firstPauseMs, () => void attempt(work, {since: clock.monotonic(), pauseMs: firstPauseMs})));
      return new Promise(resolve => over.set(work, resolve));
    },
    get size() {
      return waiting.size;
    },
    stop() {
      for (const [work, cancel] of waiting) {
        cancel();
        end(work);
        tell(work, 'the replica ends');
      }
    },
  };
}

function shown({request: {policy, contexts}, trigger}: MemoryWork): string {
  return `policy ${policy} rule ${contexts.map(({rule}) => rule).join(', ')} on ${shownObject(trigger)}`;
}

/** Says of work that nobody does it any more. */
export function tellUndone({log, events}: Pick<Core, 'log' | 'events'>, work: MemoryWork, why: string): void {
  const {apiVersion, kind, namespace, name, uid} = work.trigger;
  log.error(`background: ${shown(work)} reads a Secret's data, which is stored nowhere, and was not done: ${why}`);
  events.emit({
    regarding: {apiVersion, kind, namespace, name, ...(uid !== '' && {uid})},
    reason: 'PolicyError',
    action: 'None',
    note: `policy ${work.request.policy}: the work reads this Secret's data, which is stored nowhere; its one run from memory failed: ${why}`.slice(0, 1_000),
    source: 'kyverno-generate',
  });
}
