import {type Clock, sleep} from '../../adapters/clock.js';
import type {KubeClient} from '../../adapters/kube/types.js';
import type {Logger} from '../../adapters/log/logger.js';
import type {CompiledPolicy} from '../../engine/compile/types.js';
import type {PolicyState} from '../../engine/snapshot/policy-cache.js';
import {createWorkQueue} from '../manager/work-queue.js';
import {tryMatchConditions} from './match-condition-trial.js';

export type ServedState = PolicyState & {readonly status: 'served'};

export interface ConditionTrialsOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly log: Logger;
  /** An answer came after `judge` had given up waiting for it. */
  readonly onLateAnswer: () => void;
}

export interface ConditionTrials {
  /**
   * Which of these policies the API server takes. Waits for answers on new ones, side by side and a few seconds at most:
   * a policy without an answer costs the others nothing. Until its own comes it stands as it was last taken, or not at all.
   */
  judge(states: readonly ServedState[]): Promise<Judged>;
  /** Why the API server refused the policy's conditions. */
  refusal(key: string): string | undefined;
  stop(): Promise<void>;
}

export interface Judged {
  /** Everything that may be written into configurations now. */
  readonly policies: readonly CompiledPolicy[];
  /** Those of them that are in `policies` as they are now. */
  readonly current: readonly ServedState[];
}

interface Trial {
  readonly state: ServedState;
  /** Settles with the first answer or failure. */
  readonly tried: Promise<void>;
  readonly markTried: () => void;
  /** `open` until there is an answer. */
  outcome: 'open' | 'taken' | 'refused';
  refusal: string | undefined;
  /** The wording before this one that was taken. */
  readonly before: CompiledPolicy | undefined;
  late: boolean;
}

const callMs = 5_000;
const patienceMs = 5_000;
const concurrency = 16;

/** Trials of the match conditions of policies with webhooks of their own, tried again until each has an answer. */
export function createConditionTrials({client, clock, log, onLateAnswer}: ConditionTrialsOptions): ConditionTrials {
  const trials = new Map<string, Trial>();
  const stopped = new AbortController();
  const queue = createWorkQueue({
    clock,
    concurrency,
    firstRetryMs: 500,
    maxRetryMs: 10_000,
    run: ask,
    onError: (key, error, retryInMs) =>
      log.warn(`policy ${key}: the API server gave no answer on its matchConditions`, {error: String(error), retryInMs}),
  });

  async function ask(key: string): Promise<void> {
    const trial = trials.get(key);
    if (trial === undefined || trial.outcome !== 'open') return;
    try {
      const call = {timeoutMs: callMs, signal: stopped.signal};
      trial.refusal = await tryMatchConditions(client, trial.state.policy, call);
      trial.outcome = trial.refusal === undefined ? 'taken' : 'refused';
    } catch (error) {
      // A wording that is no longer the policy's needs no answer.
      if (trials.get(key) !== trial || stopped.signal.aborted) return;
      trial.late = true;
      throw error;
    } finally {
      trial.markTried();
    }
    if (trials.get(key) !== trial) return;
    if (trial.refusal !== undefined) log.error(`policy ${key} failed: ${trial.refusal}`);
    if (trial.late) onLateAnswer();
  }

  function trialOf(state: ServedState): Trial {
    const known = trials.get(state.key);
    if (known !== undefined && known.state.uid === state.uid && known.state.generation === state.generation) return known;
    const kin = known?.state.uid === state.uid ? known : undefined;
    let markTried: () => void = () => undefined;
    const tried = new Promise<void>(resolve => {
      markTried = resolve;
    });
    const before = kin?.outcome === 'taken' ? kin.state.policy : kin?.before;
    const trial: Trial = {state, tried, markTried, outcome: 'open', refusal: undefined, before, late: false};
    trials.set(state.key, trial);
    queue.add(state.key);
    return trial;
  }

  return {
    async judge(states) {
      const fine = states.filter(({policy}) => policy.fineGrained);
      const kept = new Set(fine.map(({key}) => key));
      for (const key of trials.keys()) if (!kept.has(key)) trials.delete(key);
      const asked = fine.map(trialOf);
      const over = new AbortController();
      await Promise.race([Promise.all(asked.map(({tried}) => tried)), sleep(clock, patienceMs, over.signal)]);
      over.abort();
      const policies: CompiledPolicy[] = [];
      const current: ServedState[] = [];
      const byKey = new Map(asked.map(trial => [trial.state.key, trial]));
      for (const state of states) {
        const trial = byKey.get(state.key);
        if (trial === undefined || trial.outcome === 'taken') {
          policies.push(state.policy);
          current.push(state);
          continue;
        }
        if (trial.outcome === 'refused') continue;
        trial.late = true;
        if (trial.before !== undefined) policies.push(trial.before);
      }
      return {policies, current};
    },
    refusal: key => trials.get(key)?.refusal,
    async stop() {
      stopped.abort();
      await queue.stop();
    },
  };
}
