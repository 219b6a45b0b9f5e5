import {builtinResourceMap} from '../../builtin-resources.js';
import type {ContextLoader} from '../../context-loader.js';
import {formatDiagnostic} from '../../diagnostic.js';
import type {JsonObject} from '../../json/types.js';
import {yamlObject} from '../../policy/testing/build.js';
import {deadline, regex} from '../../testing/engines.js';
import {recordingLoader} from '../../testing/recording-loader.js';
import type {EngineRequest, RuleResult} from '../../types.js';
import {type CelCall, type CelEngine, type CelEngineOptions, createCelEngine} from '../run/create-cel-engine.js';
import {CelPolicyCache} from '../snapshot/cel-policy-cache.js';

const pods = '{resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: ["*"], resources: [pods]}]}';

/** A policy about Pods; `spec` is YAML and replaces parts of it. */
export function celPolicy(kind: string, spec: string, metadata: JsonObject = {}): JsonObject {
  const namespaced = kind.startsWith('Namespaced') ? {namespace: 'default'} : {};
  return {
    apiVersion: 'policies.kyverno.io/v1',
    kind,
    metadata: {name: 'p', ...namespaced, ...metadata},
    spec: {matchConstraints: yamlObject(pods), ...yamlObject(spec)},
  };
}

export function celException(spec: string, metadata: JsonObject = {}): JsonObject {
  return {
    apiVersion: 'policies.kyverno.io/v1',
    kind: 'PolicyException',
    metadata: {name: 'e', namespace: 'kyverno', ...metadata},
    spec: {policyRefs: [{name: 'p', kind: 'ValidatingPolicy'}], ...yamlObject(spec)},
  };
}

export function celCache(exceptionNamespace = ''): CelPolicyCache {
  return new CelPolicyCache({
    resources: () => builtinResourceMap,
    compile: {regex},
    exceptions: {enabled: true, operatorNamespace: 'kyverno', exceptionNamespace},
  });
}

export interface TestCelOptions {
  readonly loader?: ContextLoader;
  readonly exceptionNamespace?: string;
  readonly engine?: Partial<CelEngineOptions>;
}

/** An engine over policies and exceptions; a refused one ends the test. */
export function celEngineOf(objects: readonly JsonObject[], options: TestCelOptions = {}): CelEngine {
  const cache = celCache(options.exceptionNamespace);
  for (const object of objects) {
    const state = object['kind'] === 'PolicyException' ? cache.putException(object) : cache.putPolicy(object);
    if (state.status === 'refused') throw new Error(state.problems.map(formatDiagnostic).join('\n'));
  }
  return createCelEngine({policies: cache, loader: options.loader ?? recordingLoader(), regex, ...options.engine});
}

export const call: CelCall = {phase: 'any', deadline};

export async function celResults(
  engine: CelEngine,
  request: EngineRequest,
  more: Partial<CelCall> = {},
): Promise<RuleResult[]> {
  const {results} = await engine.validate(request, {...call, ...more});
  return results.flatMap(result => [...result.rules]);
}

/** `rule status message`, one line each. */
export async function celVerdicts(
  engine: CelEngine,
  request: EngineRequest,
  more: Partial<CelCall> = {},
): Promise<string[]> {
  return (await celResults(engine, request, more)).map(({rule, status, message}) =>
    `${rule} ${status} ${message}`.trim(),
  );
}

/** What is wrong with a policy, one line per fault. */
export function faultsOf(raw: JsonObject): string[] {
  const state = celCache().putPolicy(raw);
  return state.status === 'refused' ? state.problems.map(formatDiagnostic) : [];
}
