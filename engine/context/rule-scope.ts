import type {CompiledEntry} from './compile-entry.js';
import {isObject, type Json, type JsonObject, own, setOwn} from '../json/types.js';
import {LazyRoot} from '../jmespath/types.js';
import type {TemplateScope} from '../variables/template.js';
import type {RequestContext} from './request-context.js';
import type {RuleRun} from './rule-run.js';

/**
 * The variable context of a rule, or of one loop element inside it: entries are evaluated on first use and see only
 * what is declared before them. Children see their parents; parents never see their children.
 */
export class RuleScope extends LazyRoot implements TemplateScope {
  readonly root: LazyRoot = this;
  readonly env: RuleRun;
  readonly deleting: boolean;
  readonly context: RequestContext;
  readonly #parent: RuleScope | undefined;
  readonly #variables: Readonly<Record<string, Json>> | undefined;
  readonly #entries: readonly CompiledEntry[];
  #values: Array<Json | undefined> | undefined;
  /** Entries at or behind this index are not visible: set while an earlier one is being evaluated. */
  #limit: number;

  constructor(options: {
    readonly env: RuleRun;
    readonly context: RequestContext;
    readonly entries: readonly CompiledEntry[];
    readonly parent?: RuleScope;
    readonly variables?: Readonly<Record<string, Json>>;
  }) {
    super();
    this.env = options.env;
    this.context = options.context;
    this.deleting = options.context.request.operation === 'DELETE';
    this.#entries = options.entries;
    this.#limit = options.entries.length;
    this.#parent = options.parent;
    this.#variables = options.variables;
  }

  child(entries: readonly CompiledEntry[], variables: Readonly<Record<string, Json>>): RuleScope {
    return new RuleScope({env: this.env, context: this.context, entries, parent: this, variables});
  }

  /** The same entries over another object, for rules that change what they look at; what was evaluated already stays. */
  withContext(context: RequestContext): RuleScope {
    const parent = this.#parent?.withContext(context);
    const scope = new RuleScope({
      env: this.env,
      context,
      entries: this.#entries,
      ...(parent !== undefined && {parent}),
      ...(this.#variables !== undefined && {variables: this.#variables}),
    });
    scope.#values = this.#values?.slice();
    return scope;
  }

  get(key: string): Json | undefined {
    for (let index = this.#limit - 1; index >= 0; index--) {
      const entry = this.#entries[index];
      if (entry !== undefined && entry.root === key) return this.#entry(entry, index);
    }
    return this.#below(key);
  }

  /** What `key` is without this scope's own entries. */
  #below(key: string): Json | undefined {
    if (this.#variables !== undefined && Object.hasOwn(this.#variables, key)) return this.#variables[key];
    return this.#parent === undefined ? builtin(this.context, key) : this.#parent.get(key);
  }

  #entry(entry: CompiledEntry, index: number): Json {
    const values = (this.#values ??= []);
    const known = values[index];
    if (known !== undefined) return known;
    const limit = this.#limit;
    this.#limit = index;
    try {
      const value = entry.evaluate(this);
      const before = entry.merges ? this.get(entry.root) : undefined;
      const result = entry.merges && isObject(before) && isObject(value) ? merged(before, value) : value;
      values[index] = result;
      return result;
    } finally {
      this.#limit = limit;
    }
  }

  toJson(): JsonObject {
    const result: JsonObject = {};
    for (const name of this.#names()) {
      const value = this.get(name);
      if (value !== undefined) setOwn(result, name, value);
    }
    return result;
  }

  #names(): string[] {
    const inherited = this.#parent === undefined ? builtinNames : this.#parent.#names();
    const own = Object.keys(this.#variables ?? {});
    const entries = this.#entries.slice(0, this.#limit).map(entry => entry.root);
    return [...new Set([...inherited, ...own, ...entries])].sort();
  }
}

const builtinNames = ['images', 'request', 'serviceAccountName', 'serviceAccountNamespace'];

function builtin(context: RequestContext, key: string): Json | undefined {
  switch (key) {
    case 'request':
      return context.requestJson;
    case 'images':
      return context.images;
    case 'serviceAccountName':
      return context.request.user === undefined ? undefined : context.serviceAccount().name;
    case 'serviceAccountNamespace':
      return context.request.user === undefined ? undefined : context.serviceAccount().namespace;
    default:
      return undefined;
  }
}

function merged(before: JsonObject, after: JsonObject): JsonObject {
  const result: JsonObject = {...before};
  for (const [key, value] of Object.entries(after)) {
    const earlier = own(result, key);
    setOwn(result, key, isObject(earlier) && isObject(value) ? merged(earlier, value) : value);
  }
  return result;
}

