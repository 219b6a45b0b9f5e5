import {compilePolicy, type CompileOptions} from '../compile/compile-policy.js';
import type {CompiledPolicy} from '../compile/types.js';
import {textOfThrown} from '../context/thrown-text.js';
import {CompileError, type Diagnostic} from '../diagnostic.js';
import {type CompiledException, compileException, type ExceptionRules} from '../exception/compile-exception.js';
import {type Json, type JsonObject, ownPath} from '../json/types.js';
import {loadClassicPolicy, loadException} from '../policy/index.js';
import type {ResourceMap} from '../resource-map.js';
import {PolicySnapshot} from './policy-snapshot.js';
import type {SnapshotSource} from './types.js';
import {textOf} from '../json/text.js';

/** How the cache holds one policy: served, or dropped out with everything that is wrong with it. */
export type PolicyState = {
  readonly key: string;
  readonly uid: string;
  readonly generation: number;
  readonly resourceVersion: string;
  readonly warnings: readonly Diagnostic[];
} & (
  | {readonly status: 'served'; readonly policy: CompiledPolicy}
  | {readonly status: 'refused'; readonly problems: readonly Diagnostic[]}
);

export type ExceptionState = {readonly key: string; readonly warnings: readonly Diagnostic[]} & (
  | {readonly status: 'served'; readonly exception: CompiledException}
  | {readonly status: 'refused'; readonly problems: readonly Diagnostic[]}
);

export interface PolicyCacheOptions {
  readonly resources: () => ResourceMap;
  readonly compile: CompileOptions;
  readonly exceptions: ExceptionRules;
  /** Policies that are served in another way (as the API server's own) stay out of the snapshot. */
  readonly leaveOut?: (policy: CompiledPolicy) => boolean;
}

/**
 * Everything that is served, compiled once per change. Feeding it is cheap; the next reader of `current` pays one
 * rebuild of the index for all changes since the last. A broken policy drops out alone.
 */
export class PolicyCache implements SnapshotSource<PolicySnapshot> {
  readonly #options: PolicyCacheOptions;
  readonly #policies = new Map<string, PolicyState>();
  readonly #exceptions = new Map<string, ExceptionState>();
  #snapshot: PolicySnapshot | undefined = PolicySnapshot.empty;

  constructor(options: PolicyCacheOptions) {
    this.#options = options;
  }

  get current(): PolicySnapshot {
    if (this.#snapshot === undefined) {
      const {leaveOut = () => false} = this.#options;
      const served = [...this.#policies.values()].flatMap(state => (state.status === 'served' && !leaveOut(state.policy) ? [state.policy] : []));
      const exceptions = this.#options.exceptions.enabled
        ? [...this.#exceptions.values()].flatMap(state => (state.status === 'served' ? [state.exception] : []))
        : [];
      this.#snapshot = PolicySnapshot.of(served, exceptions);
    }
    return this.#snapshot;
  }

  /** Adds or replaces a ClusterPolicy or Policy. */
  putPolicy(raw: JsonObject): PolicyState {
    const state = compileState(raw, this.#options);
    this.#policies.set(state.key, state);
    this.#snapshot = undefined;
    return state;
  }

  /** `key` is `name` or `namespace/name`. */
  dropPolicy(key: string): void {
    if (this.#policies.delete(key)) this.#snapshot = undefined;
  }

  /** The next reader asks `leaveOut` anew. */
  refresh(): void {
    this.#snapshot = undefined;
  }

  putException(raw: JsonObject): ExceptionState {
    const key = objectKey(raw);
    const {policy: source, errors, warnings} = loadException(raw);
    const state = source === undefined ? refusedException(key, errors, warnings) : this.#exception(key, source, warnings);
    this.#exceptions.set(key, state);
    this.#snapshot = undefined;
    return state;
  }

  dropException(key: string): void {
    if (this.#exceptions.delete(key)) this.#snapshot = undefined;
  }

  policy(key: string): PolicyState | undefined {
    return this.#policies.get(key);
  }

  policies(): IterableIterator<PolicyState> {
    return this.#policies.values();
  }

  exceptions(): IterableIterator<ExceptionState> {
    return this.#exceptions.values();
  }

  #exception(key: string, source: Parameters<typeof compileException>[0], warnings: readonly Diagnostic[]): ExceptionState {
    try {
      return {key, warnings, status: 'served', exception: compileException(source, this.#options.exceptions)};
    } catch (error) {
      if (error instanceof CompileError) return refusedException(key, [error.diagnostic], warnings);
      return refusedException(key, [{code: 'internal', path: '', message: `internal error: ${textOfThrown(error)}`}], warnings);
    }
  }
}

function refusedException(key: string, problems: readonly Diagnostic[], warnings: readonly Diagnostic[]): ExceptionState {
  return {key, warnings, status: 'refused', problems};
}

/** Loads and compiles one policy; never throws for the policy's sake: a fault of ours refuses that policy alone. */
export function compileState(raw: JsonObject, options: Pick<PolicyCacheOptions, 'resources' | 'compile'>): PolicyState {
  try {
    return loadAndCompile(raw, options);
  } catch (thrown) {
    const problem = {code: 'internal', path: '', message: `internal error: ${textOfThrown(thrown)}`};
    return {...stateBase(raw), warnings: [], status: 'refused', problems: [problem]};
  }
}

function loadAndCompile(raw: JsonObject, options: Pick<PolicyCacheOptions, 'resources' | 'compile'>): PolicyState {
  const base = stateBase(raw);
  const misnamed = misnamedBy(raw);
  if (misnamed.length > 0) return {...base, warnings: [], status: 'refused', problems: misnamed};
  const {policy: source, errors, warnings} = loadClassicPolicy(raw, {resources: options.resources()});
  if (source === undefined) return {...base, warnings, status: 'refused', problems: errors};
  const {policy, problems} = compilePolicy(source, options.compile);
  return policy === undefined ? {...base, warnings, status: 'refused', problems} : {...base, warnings, status: 'served', policy};
}

function stateBase(raw: JsonObject) {
  const metadata = ownPath(raw, 'metadata');
  const generation = ownPath(metadata, 'generation');
  return {
    key: policyKey(raw),
    uid: textOf(ownPath(metadata, 'uid')),
    generation: typeof generation === 'number' ? generation : 0,
    resourceVersion: textOf(ownPath(metadata, 'resourceVersion')),
  };
}

/** `name` for a ClusterPolicy whatever its namespace says, `namespace/name` for a Policy. */
export function policyKey(raw: JsonObject): string {
  return ownPath(raw, 'kind') === 'ClusterPolicy' ? keyPart(ownPath(raw, 'metadata', 'name')) : objectKey(raw);
}

function objectKey(raw: JsonObject): string {
  return `${keyPart(ownPath(raw, 'metadata', 'namespace')) || 'default'}/${keyPart(ownPath(raw, 'metadata', 'name'))}`;
}

/** Files may hold names that no API server takes: a slash in one must not make it look like another policy. */
function keyPart(value: Json | undefined): string {
  return textOf(value).replaceAll('/', '%2F');
}

function misnamedBy(raw: JsonObject): Diagnostic[] {
  return ['name', 'namespace'].flatMap(field => {
    const value = textOf(ownPath(raw, 'metadata', field));
    if (!value.includes('/')) return [];
    return [{code: 'name-form', path: `metadata.${field}`, message: `${field} must not contain "/": ${JSON.stringify(value)}`}];
  });
}
