import {builtinResourceMap} from '../../builtin-resources.js';
import {type CelEngine, createCelEngine} from '../../cel-policies/run/create-cel-engine.js';
import {CelPolicyCache} from '../../cel-policies/snapshot/cel-policy-cache.js';
import type {ContextLoader} from '../../context-loader.js';
import {formatDiagnostic} from '../../diagnostic.js';
import type {JsonObject} from '../../json/types.js';
import {yamlObject} from '../../policy/testing/build.js';
import type {ResourceMap} from '../../resource-map.js';
import {regex} from '../../testing/engines.js';
import {recordingLoader} from '../../testing/recording-loader.js';

export interface TestWorld {
  readonly loader?: ContextLoader;
  readonly resources?: ResourceMap;
}

function cacheOf(resources: ResourceMap): CelPolicyCache {
  return new CelPolicyCache({
    resources: () => resources,
    compile: {regex},
    exceptions: {enabled: true, operatorNamespace: 'kyverno', exceptionNamespace: '*'},
  });
}

/** An engine over MutatingPolicies and their exceptions; a refused one ends the test. */
export function mutatingEngine(objects: readonly JsonObject[], world: TestWorld = {}): CelEngine {
  const {resources = builtinResourceMap, loader = recordingLoader()} = world;
  const cache = cacheOf(resources);
  for (const object of objects) {
    const state = object['kind'] === 'PolicyException' ? cache.putException(object) : cache.putPolicy(object);
    if (state.status === 'refused') throw new Error(state.problems.map(formatDiagnostic).join('\n'));
  }
  return createCelEngine({policies: cache, loader, regex, resources: () => resources});
}

/** What a policy is refused for. */
export function refusals(policy: JsonObject): readonly string[] {
  const state = cacheOf(builtinResourceMap).putPolicy(policy);
  return state.status === 'refused' ? state.problems.map(formatDiagnostic) : [];
}

export interface TestPolicy {
  readonly name?: string;
  readonly namespace?: string;
  /** Resources of the one rule; Pods when absent. */
  readonly rule?: string;
  /** More of the spec, in YAML. */
  readonly spec?: string;
}

/** A MutatingPolicy on Pods, of mutations in YAML. */
export function mutatingPolicy(mutations: string, options: TestPolicy = {}): JsonObject {
  const {
    name = 'p',
    namespace,
    rule = "{apiGroups: [''], apiVersions: [v1], resources: [pods], operations: ['*']}",
  } = options;
  return {
    apiVersion: 'policies.kyverno.io/v1',
    kind: namespace === undefined ? 'MutatingPolicy' : 'NamespacedMutatingPolicy',
    metadata: {name, ...(namespace !== undefined && {namespace})},
    spec: {
      matchConstraints: {resourceRules: [yamlObject(rule)]},
      ...yamlObject(options.spec ?? '{}'),
      mutations: yamlObject(mutations) as never,
    },
  };
}

/** One ApplyConfiguration. */
export const applies = (expression: string): string =>
  JSON.stringify([{patchType: 'ApplyConfiguration', applyConfiguration: {expression}}]);

/** One JSONPatch. */
export const patches = (expression: string): string =>
  JSON.stringify([{patchType: 'JSONPatch', jsonPatch: {expression}}]);
