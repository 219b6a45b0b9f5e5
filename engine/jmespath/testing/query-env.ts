import {createRegexEngine} from '../../../adapters/regex/regex-engine.js';
import {Budget, defaultLimits} from '../../budget.js';
import type {ContextLoader} from '../../context-loader.js';
import {EvalError} from '../../diagnostic.js';
import type {FunctionEnv} from '../types.js';

export interface QueryEnvOptions {
  readonly steps?: number;
  readonly bytes?: number;
  /** Milliseconds since the epoch. */
  readonly now?: number;
  readonly hosts?: Readonly<Record<string, readonly string[]>>;
}

const regex = createRegexEngine();

/** A small linear congruential generator, uniform in [0, 1). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

function unused(): never {
  throw new EvalError('not reachable from a query');
}

/** What functions see in tests: a fixed clock, seeded randomness, a table of hosts. */
export function createQueryEnv(options: QueryEnvOptions = {}): FunctionEnv {
  const {steps = defaultLimits.steps, bytes = defaultLimits.bytes, now = 1_700_000_000_000, hosts = {}} = options;
  const loader: ContextLoader = {
    configMap: unused,
    apiCall: unused,
    globalReference: unused,
    imageData: unused,
    namespaceLabels: unused,
    resourceGet: unused,
    resourceList: unused,
    resourcePost: unused,
    resourceOfKind: unused,
    httpCall: unused,
    lookupHost(name) {
      const addresses = hosts[name];
      if (!addresses) throw new EvalError(`lookup ${name}: no such host`);
      return addresses;
    },
    now: () => now,
    random: seededRandom(7),
  };
  return {
    budget: new Budget({steps, bytes, deadline: Number.POSITIVE_INFINITY}, () => now),
    regex,
    loader,
    settle: (_key, load) => {
      const value = load({deadline: Number.POSITIVE_INFINITY});
      if (value instanceof Promise) throw new Error('the test loader answers at once');
      return value;
    },
  };
}
