import {Budget, type BudgetLimits} from '../budget.js';
import type {ImageQuestions} from '../cel/kyverno/image-verify.js';
import type {ContextLoader, LoadOptions} from '../context-loader.js';
import {BudgetError, EvalError} from '../diagnostic.js';
import type {FunctionEnv} from '../jmespath/types.js';
import {jsonSize} from '../json/size.js';
import type {Json} from '../json/types.js';
import type {Fault} from '../quarantine/quarantine.js';
import type {RegexEngine} from '../regex/types.js';
import type {ResourceMap} from '../resource-map.js';
import type {GivenValues} from './given-values.js';
import {scopeLoader} from './scoped-loader.js';
import {isPromise, Suspend} from './suspend.js';
import {textOfThrown} from './thrown-text.js';

type Outcome = {readonly value: unknown} | {readonly error: unknown};

/** A rule that needs more different values from outside than this is refused rather than restarted for ever. */
const maxLoads = 256;
/** Bytes that what was fetched may take in one request, whatever its rules make of it. */
const maxLoadedBytes = 32 * 1024 * 1024;
const unlimited = {
  steps: Number.POSITIVE_INFINITY,
  bytes: Number.POSITIVE_INFINITY,
  deadline: Number.POSITIVE_INFINITY,
};

export interface RunOptions {
  readonly loader: ContextLoader;
  readonly regex: RegexEngine;
  readonly limits: BudgetLimits;
  /** Kinds that rules may read or write. */
  readonly resources: ResourceMap;
  /** Never written to by rules that copy into every namespace. */
  readonly operatorNamespace: string;
  /** Of Secrets that are named without a namespace; the operator's when absent. */
  readonly secretNamespace?: string | undefined;
  /** Only in offline runs. */
  readonly given?: GivenValues | undefined;
  /** Of images only what is cached counts; nothing is fetched. */
  readonly cachedImagesOnly?: boolean | undefined;
}

/**
 * The rules of one request that share a scope, one after another. What was fetched stays for the request; the budget
 * starts anew with each rule and each attempt. `settle` is the only place where evaluation meets a Promise.
 */
export class RuleRun implements FunctionEnv {
  #budget: Budget | undefined;
  readonly loader: ContextLoader;
  readonly regex: RegexEngine;
  readonly given: GivenValues | undefined;
  readonly resources: ResourceMap;
  readonly operatorNamespace: string;
  readonly secretNamespace: string;
  readonly cachedImagesOnly: boolean;
  /** What the functions on images ask; set by whoever evaluates a policy on images, for as long as that takes. */
  imageRun: ImageQuestions | undefined;
  readonly #limits: BudgetLimits;
  readonly #loadOptions: LoadOptions;
  readonly #loads = new Map<string, Outcome>();
  readonly #asked = new Map<string, Promise<void>>();
  readonly #now = () => this.loader.now();
  #loadsOfRule = 0;
  #loadedBytes = 0;
  #internal = false;
  readonly #options: RunOptions;
  readonly #confined = new Map<string, RuleRun>();

  constructor(options: RunOptions) {
    this.#options = options;
    this.loader = options.loader;
    this.regex = options.regex;
    this.given = options.given;
    this.resources = options.resources;
    this.operatorNamespace = options.operatorNamespace;
    this.secretNamespace = options.secretNamespace ?? options.operatorNamespace;
    this.cachedImagesOnly = options.cachedImagesOnly ?? false;
    this.#limits = options.limits;
    this.#loadOptions = {deadline: options.limits.deadline};
  }

  get budget(): Budget {
    this.#budget ??= new Budget(this.#limits, this.#now);
    return this.#budget;
  }

  /** What went wrong in the rule that is no matter of its request. */
  get fault(): Fault | undefined {
    if (this.#internal) return 'internal';
    const own = this.#budget?.exhausted;
    if (own !== undefined) return own;
    for (const run of this.#confined.values()) if (run.fault !== undefined) return run.fault;
    return undefined;
  }

  /** A bug of ours ended the rule. */
  failedInside(): void {
    this.#internal = true;
  }

  readonly settle = <T>(key: string, load: (options: LoadOptions) => T | Promise<T>): T => {
    const known = this.#loads.get(key);
    if (known !== undefined) {
      if ('error' in known) throw known.error;
      return known.value as T;
    }
    // Asked for already, by another part of the rule that waits as well.
    const asked = this.#asked.get(key);
    if (asked !== undefined) throw new Suspend(asked);
    this.budget.checkDeadline();
    const loads = this.#loads;
    this.#loadsOfRule += 1;
    if (this.#loadsOfRule > maxLoads) throw new BudgetError(`a rule may load at most ${maxLoads} values from outside`);
    const result = this.#ask(key, load);
    if (!isPromise(result)) {
      loads.set(key, {value: result});
      return result;
    }
    const settled = result
      .then(
        value => {
          loads.set(key, this.#hasRoomFor(value) ? {value} : {error: tooMuch()});
        },
        error => {
          loads.set(key, {error: asEvalError(error)});
        },
      )
      .then(() => {
        this.#asked.delete(key);
      });
    this.#asked.set(key, settled);
    throw new Suspend(settled);
  };

  #hasRoomFor(value: unknown): boolean {
    try {
      this.#loadedBytes += jsonSize(value as Json, new Budget(unlimited, () => 0));
    } catch (error) {
      // Nested deeper than any walk of ours could follow.
      if (error instanceof RangeError) return false;
      throw error;
    }
    return this.#loadedBytes <= maxLoadedBytes;
  }

  /** A run for what somebody of `namespace` wrote, within this one's rules: it sees nothing of other namespaces. */
  confinedTo(namespace: string): RuleRun {
    let run = this.#confined.get(namespace);
    if (run === undefined) {
      const loader = scopeLoader(this.loader, {kind: 'namespace', namespace}, {allowServiceCalls: false});
      run = new RuleRun({...this.#options, loader});
      this.#confined.set(namespace, run);
    }
    return run;
  }

  /** A load that fails at once is remembered like one that fails later. */
  #ask<T>(key: string, load: (options: LoadOptions) => T | Promise<T>): T | Promise<T> {
    try {
      return load(this.#loadOptions);
    } catch (thrown) {
      const error = asEvalError(thrown);
      this.#loads.set(key, {error});
      throw error;
    }
  }

  /** Gives the next rule its own budget. */
  startRule(): void {
    this.#budget = undefined;
    this.#internal = false;
    this.#loadsOfRule = 0;
    for (const run of this.#confined.values()) run.startRule();
  }

  #startAttempt(): void {
    this.#budget = undefined;
    for (const run of this.#confined.values()) run.#startAttempt();
  }

  /**
   * Runs `body` to its end, waiting for what it asks for. Synchronous when nothing has to be fetched.
   * `body` must be free of side effects: it may run several times.
   */
  complete<T>(body: () => T): T | Promise<T> {
    try {
      return body();
    } catch (thrown) {
      if (!(thrown instanceof Suspend)) throw thrown;
      return this.#resume(body, thrown);
    }
  }

  async #resume<T>(body: () => T, first: Suspend): Promise<T> {
    let suspended = first;
    for (;;) {
      await suspended.promise;
      this.#startAttempt();
      try {
        return body();
      } catch (thrown) {
        if (!(thrown instanceof Suspend)) throw thrown;
        suspended = thrown;
      }
    }
  }
}

function tooMuch(): EvalError {
  return new BudgetError(`context size limit exceeded: more than ${maxLoadedBytes} bytes were loaded for one request`);
}

function asEvalError(thrown: unknown): EvalError {
  return thrown instanceof EvalError ? thrown : new EvalError(textOfThrown(thrown));
}
