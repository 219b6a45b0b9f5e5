import {createRegexEngine} from '../../adapters/regex/regex-engine.js';
import {builtinResourceMap} from '../builtin-resources.js';
import type {ContextLoader} from '../context-loader.js';
import {formatDiagnostic} from '../diagnostic.js';
import type {JsonObject} from '../json/types.js';
import {yamlObject} from '../policy/testing/build.js';
import {createEngine, type EngineOptions} from '../run/create-engine.js';
import {PolicyCache} from '../snapshot/policy-cache.js';
import type {Engine, EngineRequest, MutateResponse, RuleResult, ValidateOptions} from '../types.js';
import {recordingLoader} from './recording-loader.js';

export const regex = createRegexEngine();
export const deadline = Number.POSITIVE_INFINITY;

export interface TestEngineOptions {
  readonly loader?: ContextLoader;
  readonly exceptionNamespace?: string;
  readonly engine?: Partial<EngineOptions>;
}

export interface TestEngine {
  readonly engine: Engine;
  readonly cache: PolicyCache;
}

/** An engine over policies and exceptions; a refused one ends the test. */
export function engineOf(objects: readonly JsonObject[], options: TestEngineOptions = {}): TestEngine {
  const cache = emptyCache(options.exceptionNamespace);
  for (const object of objects) {
    const state = object['kind'] === 'PolicyException' ? cache.putException(object) : cache.putPolicy(object);
    if (state.status === 'refused') throw new Error(`${state.key}: ${state.problems.map(formatDiagnostic).join('\n')}`);
  }
  return {
    cache,
    engine: createEngine({policies: cache, loader: options.loader ?? recordingLoader(), regex, ...options.engine}),
  };
}

export function emptyCache(exceptionNamespace = ''): PolicyCache {
  return new PolicyCache({
    resources: () => builtinResourceMap,
    compile: {matchConditions: 'by-api-server', regex},
    exceptions: {enabled: true, operatorNamespace: 'kyverno', exceptionNamespace},
  });
}

/** A ClusterPolicy, or with a namespace a Policy, of rules in YAML. */
export function policyOf(
  name: string,
  rules: string,
  more: {readonly spec?: string; readonly namespace?: string; readonly metadata?: JsonObject} = {},
): JsonObject {
  return {
    apiVersion: 'kyverno.io/v1',
    kind: more.namespace === undefined ? 'ClusterPolicy' : 'Policy',
    metadata: {name, ...(more.namespace !== undefined && {namespace: more.namespace}), ...more.metadata},
    spec: {
      validationFailureAction: 'Enforce',
      background: false,
      ...yamlObject(more.spec ?? '{}'),
      rules: yamlObject(rules) as never,
    },
  };
}

export async function judge(
  engine: Engine,
  request: EngineRequest,
  bucket: ValidateOptions['bucket'] = 'all',
): Promise<RuleResult[]> {
  const {results} = await engine.validate(request, {bucket, deadline});
  return results.flatMap(result => [...result.rules]);
}

/** `policy/rule status message`, one line each. */
export async function verdicts(
  engine: Engine,
  request: EngineRequest,
  options: Partial<ValidateOptions> = {},
): Promise<string[]> {
  const {results} = await engine.validate(request, {bucket: 'all', deadline, ...options});
  return results.flatMap(({policy, rules}) => rules.map(rule => `${policy.key}/${rule.rule} ${rule.status}`));
}

export async function mutated(engine: Engine, request: EngineRequest): Promise<MutateResponse> {
  return engine.mutate(request, {deadline});
}
