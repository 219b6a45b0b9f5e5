import {textOfThrown} from '../../context/thrown-text.js';
import type {Diagnostic} from '../../diagnostic.js';
import type {ExceptionRules} from '../../exception/compile-exception.js';
import {textOf} from '../../json/text.js';
import {type JsonObject, ownPath} from '../../json/types.js';
import type {ResourceMap} from '../../resource-map.js';
import type {SnapshotSource} from '../../snapshot/types.js';
import {type CelCompileOptions, compileCelPolicy} from '../compile/compile-cel-policy.js';
import {celKind} from '../load/kinds.js';
import {loadCelException} from '../load/load-cel-exception.js';
import {loadCelPolicy} from '../load/load-cel-policy.js';
import type {CelException, CelPolicy} from '../model.js';
import type {CompiledCelPolicy} from '../types.js';
import {CelSnapshot} from './cel-snapshot.js';

/** How the cache holds one policy: served, or dropped out with everything that is wrong with it. */
export type CelPolicyState = {
  /** `<Kind>/<name>` or `<Kind>/<namespace>/<name>`. */
  readonly id: string;
  readonly kind: string;
  /** `name` or `namespace/name`. */
  readonly key: string;
  readonly uid: string;
  readonly generation: number;
  readonly resourceVersion: string;
  /** Doubtful forms, and expressions that compile but hardly mean what they say. */
  readonly warnings: readonly Diagnostic[];
} & (
  | {readonly status: 'served'; readonly policy: CompiledCelPolicy}
  /** `source` is there when only its expressions are wrong. */
  | {readonly status: 'refused'; readonly source: CelPolicy | undefined; readonly problems: readonly Diagnostic[]}
);

export type CelExceptionState = {readonly key: string; readonly warnings: readonly Diagnostic[]} & (
  | {readonly status: 'served'; readonly exception: CelException}
  | {readonly status: 'refused'; readonly problems: readonly Diagnostic[]}
);

export interface CelPolicyCacheOptions {
  readonly resources: () => ResourceMap;
  readonly compile: Omit<CelCompileOptions, 'resources'>;
  readonly exceptions: ExceptionRules;
  /** Policies that are served in another way (as the API server's own) stay out of the snapshot. */
  readonly leaveOut?: (policy: CompiledCelPolicy) => boolean;
}

/**
 * All policies of `policies.kyverno.io`, compiled once per change. Feeding it is cheap; the next reader of `current` pays
 * one rebuild of the index for all changes since the last. A broken policy drops out alone.
 */
export class CelPolicyCache implements SnapshotSource<CelSnapshot> {
  readonly #options: CelPolicyCacheOptions;
  readonly #policies = new Map<string, CelPolicyState>();
  readonly #exceptions = new Map<string, CelExceptionState>();
  #snapshot: CelSnapshot | undefined = CelSnapshot.empty;

  constructor(options: CelPolicyCacheOptions) {
    this.#options = options;
  }

  get current(): CelSnapshot {
    if (this.#snapshot === undefined) {
      const {exceptions, leaveOut = () => false} = this.#options;
      this.#snapshot = new CelSnapshot(
        [...this.#policies.values()].flatMap(state =>
          state.status === 'served' && !leaveOut(state.policy) ? [state.policy] : [],
        ),
        [...this.#exceptions.values()].flatMap(state => (state.status === 'served' ? [state.exception] : [])),
        exceptions,
      );
    }
    return this.#snapshot;
  }

  /** Adds or replaces a policy of any CEL kind. */
  putPolicy(raw: JsonObject): CelPolicyState {
    const state = compileCelState(raw, {resources: this.#options.resources(), compile: this.#options.compile});
    this.#policies.set(state.id, state);
    this.#snapshot = undefined;
    return state;
  }

  /** `key` is `name` or `namespace/name`. */
  dropPolicy(kind: string, key: string): void {
    if (this.#policies.delete(`${kind}/${key}`)) this.#snapshot = undefined;
  }

  /** The next reader asks `leaveOut` anew. */
  refresh(): void {
    this.#snapshot = undefined;
  }

  putException(raw: JsonObject): CelExceptionState {
    const key = `${keyPart(raw, 'namespace') || 'default'}/${keyPart(raw, 'name')}`;
    const {policy: exception, errors: problems, warnings} = loadCelException(raw);
    const state: CelExceptionState =
      exception === undefined
        ? {key, warnings, status: 'refused', problems}
        : {key, warnings, status: 'served', exception};
    this.#exceptions.set(key, state);
    this.#snapshot = undefined;
    return state;
  }

  dropException(key: string): void {
    if (this.#exceptions.delete(key)) this.#snapshot = undefined;
  }

  policy(kind: string, key: string): CelPolicyState | undefined {
    return this.#policies.get(`${kind}/${key}`);
  }

  policies(): IterableIterator<CelPolicyState> {
    return this.#policies.values();
  }

  exceptions(): IterableIterator<CelExceptionState> {
    return this.#exceptions.values();
  }
}

export interface CelStateOptions {
  readonly resources: ResourceMap;
  readonly compile: Omit<CelCompileOptions, 'resources'>;
}

/** Loads and compiles one policy; never throws for the policy's sake: a fault of ours refuses that policy alone. */
export function compileCelState(raw: JsonObject, {resources, compile}: CelStateOptions): CelPolicyState {
  const base = stateBase(raw);
  try {
    const misnamed = misnamedBy(raw);
    if (misnamed.length > 0) return {...base, warnings: [], status: 'refused', source: undefined, problems: misnamed};
    const {policy: source, errors, warnings} = loadCelPolicy(raw);
    if (source === undefined) return {...base, warnings, status: 'refused', source, problems: errors};
    const {policy, problems} = compileCelPolicy(source, {...compile, resources});
    if (policy === undefined) return {...base, warnings, status: 'refused', source, problems};
    return {...base, warnings: [...warnings, ...policy.warnings], status: 'served', policy};
  } catch (thrown) {
    const problem = {code: 'internal', path: '', message: `internal error: ${textOfThrown(thrown)}`};
    return {...base, warnings: [], status: 'refused', source: undefined, problems: [problem]};
  }
}

function stateBase(raw: JsonObject) {
  const metadata = ownPath(raw, 'metadata');
  const generation = ownPath(metadata, 'generation');
  const kind = textOf(ownPath(raw, 'kind'));
  const name = keyPart(raw, 'name');
  const key = celKind(kind)?.namespaced === true ? `${keyPart(raw, 'namespace') || 'default'}/${name}` : name;
  return {
    id: `${kind}/${key}`,
    kind,
    key,
    uid: textOf(ownPath(metadata, 'uid')),
    generation: typeof generation === 'number' ? generation : 0,
    resourceVersion: textOf(ownPath(metadata, 'resourceVersion')),
  };
}

/** Files may hold names that no API server takes: a slash in one must not make it look like another policy. */
function keyPart(raw: JsonObject, field: 'name' | 'namespace'): string {
  return textOf(ownPath(raw, 'metadata', field)).replaceAll('/', '%2F');
}

function misnamedBy(raw: JsonObject): Diagnostic[] {
  return ['name', 'namespace'].flatMap(field => {
    const value = textOf(ownPath(raw, 'metadata', field));
    if (!value.includes('/')) return [];
    return [
      {
        code: 'name-form',
        path: `metadata.${field}`,
        message: `${field} must not contain "/": ${JSON.stringify(value)}`,
      },
    ];
  });
}
