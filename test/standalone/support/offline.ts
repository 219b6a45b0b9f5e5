import {createOfflineContextLoader} from '../../../adapters/offline-context-loader.js';
import {createRegexEngine} from '../../../adapters/regex/regex-engine.js';
import {builtinResourceMap} from '../../../engine/builtin-resources.js';
import type {CompileOptions} from '../../../engine/compile/compile-policy.js';
import {formatDiagnostic} from '../../../engine/diagnostic.js';
import {type JsonObject, own} from '../../../engine/json/types.js';
import {createEngine} from '../../../engine/run/create-engine.js';
import {PolicyCache} from '../../../engine/snapshot/policy-cache.js';
import type {Engine, EngineRequest, PolicyResult} from '../../../engine/types.js';

/** One rule's verdict, in words that both sides use. */
export interface Verdict {
  /** `policy/rule`. */
  readonly rule: string;
  readonly status: string;
  readonly message: string;
  readonly action: string;
}

export interface Offline {
  readonly engine: Engine;
  /** Why policies are refused, one line each; empty when all are served. */
  readonly refused: readonly string[];
  /** Every refusal is for a rule type of a later release. */
  readonly later: boolean;
}

/** The engine alone over some policies and exceptions: what the server has to agree with; by default what it has without a cluster. */
export function loadOffline(objects: readonly JsonObject[], options: Pick<CompileOptions, 'background'> = {}): Offline {
  const cache = new PolicyCache({
    resources: () => builtinResourceMap,
    compile: {matchConditions: 'not-available', regex: createRegexEngine(), ...options},
    exceptions: {enabled: true, operatorNamespace: '', exceptionNamespace: ''},
  });
  const states = objects.map(object =>
    own(object, 'kind') === 'PolicyException' ? cache.putException(object) : cache.putPolicy(object),
  );
  const problems = states.flatMap(state => (state.status === 'refused' ? state.problems : []));
  const engine = createEngine({
    policies: cache,
    loader: createOfflineContextLoader({resources: [], resourceMap: builtinResourceMap, now: Date.now}),
    regex: createRegexEngine(),
  });
  const later = problems.length > 0 && problems.every(problem => problem.code === 'not-served');
  return {engine, refused: problems.map(formatDiagnostic), later};
}

export interface OfflineAnswer {
  readonly mutation: readonly Verdict[];
  readonly validation: readonly Verdict[];
  readonly object: JsonObject | undefined;
}

/** Mutation and validation of one request, as its two webhook calls would judge it. */
export async function judgeOffline(engine: Engine, request: EngineRequest): Promise<OfflineAnswer> {
  const deadline = Number.POSITIVE_INFINITY;
  const mutated = await engine.mutate(request, {deadline});
  const {results} = await engine.validate(request, {bucket: 'all', deadline});
  return {mutation: verdicts(mutated.results), validation: verdicts(results), object: mutated.object};
}

function verdicts(results: readonly PolicyResult[]): Verdict[] {
  return results.flatMap(({policy, rules}) =>
    rules.map(({rule, status, message, action}) => ({rule: `${policy.key}/${rule}`, status, message, action})),
  );
}
