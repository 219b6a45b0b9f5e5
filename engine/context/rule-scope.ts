import type {CompiledEntry} from './compile-entry.js';
import {isObject, type Json, type JsonObject, own, setOwn} from '../json/types.js';
import type {ContextEntry} from '../policy/model.js';
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
  readonly #given: Given | undefined;
  #values: Array<Json | undefined> | undefined;
  /** Entries at or behind this index are not visible: set while an earlier one is being evaluated. */
  #limit: number;

  constructor(options: {
    readonly env: RuleRun;
    readonly context: RequestContext;
    readonly entries: readonly CompiledEntry[];
    readonly parent?: RuleScope;
    readonly variables?: Readonly<Record<string, Json>>;
    readonly given?: Given;
  }) {
    super();
    this.env = options.env;
    this.context = options.context;
    this.deleting = options.context.request.operation === 'DELETE';
    this.#entries = options.entries;
    this.#limit = options.entries.length;
    this.#parent = options.parent;
    this.#variables = options.variables;
    this.#given = options.given;
  }

  child(entries: readonly CompiledEntry[], variables: Readonly<Record<string, Json>>): RuleScope {
    const given = this.#given === undefined ? undefined : {...this.#given, below: undefined, above: undefined};
    return new RuleScope({
      env: this.env,
      context: this.context,
      entries,
      parent: this,
      variables,
      ...(given !== undefined && {given}),
    });
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
      ...(this.#given !== undefined && {given: this.#given}),
    });
    scope.#values = this.#values?.slice();
    return scope;
  }

  get(key: string): Json | undefined {
    const above = this.#given?.above;
    if (above !== undefined && Object.hasOwn(above, key)) return above[key];
    for (let index = this.#limit - 1; index >= 0; index--) {
      const entry = this.#entries[index];
      if (entry !== undefined && entry.root === key && this.#loads(entry)) return this.#entry(entry, index);
    }
    return this.#below(key);
  }

  #loads(entry: CompiledEntry): boolean {
    return this.#given === undefined || this.#given.resolves(entry.type);
  }

  /** What `key` is without this scope's own entries. */
  #below(key: string): Json | undefined {
    if (this.#variables !== undefined && Object.hasOwn(this.#variables, key)) return this.#variables[key];
    if (this.#parent !== undefined) return this.#parent.get(key);
    const base = builtin(this, key);
    const given = this.#given?.below === undefined ? undefined : own(this.#given.below, key);
    if (given === undefined) return base;
    return isObject(base) && isObject(given) ? merged(base, given) : given;
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
    const entries = this.#entries.slice(0, this.#limit).filter(entry => this.#loads(entry)).map(entry => entry.root);
    const given = [...Object.keys(this.#given?.below ?? {}), ...Object.keys(this.#given?.above ?? {})];
    return [...new Set([...inherited, ...own, ...entries, ...given])].sort();
  }
}

/** What an offline run gives to one rule. */
export interface Given {
  readonly below: JsonObject | undefined;
  readonly above: Readonly<Record<string, Json>> | undefined;
  readonly resolves: (type: ContextEntry['type']) => boolean;
}

const builtinNames = ['images', 'request', 'serviceAccountName', 'serviceAccountNamespace'];

function builtin({context, env}: RuleScope, key: string): Json | undefined {
  switch (key) {
    case 'request':
      return context.requestJson;
    case 'images':
      return context.images(env.loader.imageDefaults);
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

