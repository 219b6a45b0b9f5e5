import type {Core} from '../feature.js';

/** Says which limits of background work are in force, and when the one that is only a warning is passed. */
export interface LimitsTold {
  /** Caches are complete. */
  start(): void;
  onPolicy(): void;
}

const manyRules = 1_000;

/** `waiting`: update requests that this replica has heard of. */
export function createLimitsTold({log, cache, config}: Pick<Core, 'log' | 'cache' | 'config'>, waiting: () => number): LimitsTold {
  let started = false;
  let warned = false;

  function countRules(): number {
    let count = 0;
    for (const {rules} of cache.current.policies.values()) count += rules.length;
    return count;
  }

  function watch(): void {
    const count = countRules();
    if (count > manyRules && !warned) log.warn(`rule limit of ${manyRules} passed: ${count} rules, those for Pod controllers included; all are served`);
    warned = count > manyRules;
  }

  return {
    start() {
      started = true;
      log.info(
        `background limit: at most ${config().updateRequestThreshold} outstanding generate requests (updateRequestThreshold), ${waiting()} now; ` +
          `rule limit: ${manyRules}, beyond it is a warning and nothing else, ${countRules()} now`,
      );
      watch();
    },
    onPolicy() {
      if (started) watch();
    },
  };
}
