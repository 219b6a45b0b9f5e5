import {type BudgetLimits, defaultLimits} from '../../budget.js';
import {builtinResourceMap} from '../../builtin-resources.js';
import type {GivenValues} from '../../context/given-values.js';
import {RuleRun} from '../../context/rule-run.js';
import {scopeLoader} from '../../context/scoped-loader.js';
import type {ContextLoader} from '../../context-loader.js';
import type {RegexEngine} from '../../regex/types.js';
import type {ResourceMap} from '../../resource-map.js';

export interface RunPoolOptions {
  readonly loader: ContextLoader;
  readonly regex: RegexEngine;
  readonly limits?: Partial<Omit<BudgetLimits, 'deadline'>>;
  /** Lets policies of namespaces make HTTP calls. */
  readonly allowHttp?: boolean;
  /** Kinds of the cluster; the built-in ones when absent. */
  readonly resources?: () => ResourceMap;
  readonly operatorNamespace?: string;
  /** Stands in for a cluster in offline runs. */
  readonly given?: GivenValues;
}

export interface RunSettings {
  readonly deadline: number;
  /** Images are judged by what caches hold. */
  readonly cachedImagesOnly?: boolean | undefined;
}

/** One run per scope: what a policy of a namespace fetched is never another scope's. */
export class RunPool {
  readonly #runs = new Map<string, RuleRun>();
  readonly #options: RunPoolOptions;
  readonly #limits: BudgetLimits;
  readonly #cachedImagesOnly: boolean;

  constructor(options: RunPoolOptions, {deadline, cachedImagesOnly = false}: RunSettings) {
    this.#cachedImagesOnly = cachedImagesOnly;
    this.#options = options;
    this.#limits = {...defaultLimits, ...options.limits, deadline};
  }

  /** Of a policy's namespace; empty = cluster-wide. */
  for(namespace: string): RuleRun {
    const known = this.#runs.get(namespace);
    if (known !== undefined) return known;
    const {loader, regex, allowHttp = false} = this.#options;
    const scope = namespace === '' ? ({kind: 'cluster'} as const) : ({kind: 'namespace', namespace} as const);
    const run = new RuleRun({
      loader: scopeLoader(loader, scope, {allowServiceCalls: allowHttp}),
      regex,
      limits: this.#limits,
      given: this.#options.given,
      cachedImagesOnly: this.#cachedImagesOnly,
      resources: this.#options.resources?.() ?? builtinResourceMap,
      operatorNamespace: this.#options.operatorNamespace ?? 'kyverno',
    });
    this.#runs.set(namespace, run);
    return run;
  }
}
