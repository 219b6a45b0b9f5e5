import type {CompiledAdmissionPolicy} from '../../engine/admission-policies/compile-admission-policy.js';
import {deriveRules} from '../../engine/autogen/derive-rules.js';
import type {CompiledCelPolicy} from '../../engine/cel-policies/types.js';
import type {CompiledCleanup} from '../../engine/cleanup/compile-cleanup-policy.js';
import {compileCleanupRules} from '../../engine/cleanup/compile-cleanup-rule.js';
import {compilePolicy} from '../../engine/compile/compile-policy.js';
import type {CompiledPolicy} from '../../engine/compile/types.js';
import {unservedReasons} from '../../engine/compile/unserved.js';
import {type Diagnostic, formatDiagnostic} from '../../engine/diagnostic.js';
import type {KeyServiceLack} from '../../engine/image/key-services.js';
import type {JsonObject} from '../../engine/json/types.js';
import {compileFilterGroup, type Matcher} from '../../engine/match/compile-filter.js';
import {loadClassicPolicy} from '../../engine/policy/index.js';
import type {ClassicPolicy, ClassicRule} from '../../engine/policy/model.js';
import type {ResourceMap} from '../../engine/resource-map.js';
import {policyKey} from '../../engine/snapshot/policy-cache.js';
import {nameOf, namespaceOf, type PolicyDocument} from '../files/load-policies.js';
import {kindOf} from '../files/load-resources.js';
import {prepareCleanup} from './cleanup.js';
import {prepareCel, prepareNative} from './prepare-cel.js';
import {sharedRegex} from './regex.js';
import type {Phase, PolicyIdentity} from './responses.js';

/** A rule that this release cannot judge: whom it would concern and what is missing. */
export interface UnservedRule {
  readonly name: string;
  readonly phase: Phase;
  readonly reason: string;
  readonly match: Matcher;
  readonly exclude: Matcher | undefined;
}

/** A policy as an offline run holds it. */
export interface PreparedPolicy extends PolicyIdentity {
  /** What of it is served; `undefined` when nothing is. */
  readonly compiled: CompiledPolicy | undefined;
  /** Of `policies.kyverno.io`. */
  readonly cel: CompiledCelPolicy | undefined;
  /** Of Kubernetes' own kinds, with its bindings. */
  readonly native: CompiledAdmissionPolicy | undefined;
  readonly unserved: readonly UnservedRule[];
  /** Removals that it would do. */
  readonly cleanups: readonly CompiledCleanup[];
  /** Why nothing of the policy can be judged, whatever the resource. */
  readonly refusal: string | undefined;
  /** The policy is no valid one: it is left out, for these reasons. */
  readonly invalid: readonly Diagnostic[];
  readonly warnings: readonly Diagnostic[];
  /** Rules after autogen, for banners. */
  readonly ruleCount: number;
  /** Names of the computed rules. */
  readonly ruleNames: ReadonlySet<string>;
}

/** What a run has beside policies and objects. */
export interface PrepareOptions {
  /** Absent: no key service is asked. */
  readonly keyServiceLack?: KeyServiceLack | undefined;
}

const compileOptions = ({keyServiceLack}: PrepareOptions) =>
  ({matchConditions: 'by-engine', background: 'served', regex: sharedRegex(), keyServiceLack}) as const;

/** All policies among the documents of a run; bindings belong to the policies they name. */
export function preparePolicies(
  documents: readonly PolicyDocument[],
  resources: ResourceMap,
  options: PrepareOptions = {},
): readonly PreparedPolicy[] {
  const bindings = documents.filter(({family}) => family === 'binding').map(({raw}) => raw);
  return documents
    .filter(({family}) => family !== 'binding' && family !== 'exception' && family !== 'cel-exception')
    .map(document => preparePolicy(document, resources, bindings, options));
}

export function preparePolicy(
  document: PolicyDocument,
  resources: ResourceMap,
  bindings: readonly JsonObject[] = [],
  options: PrepareOptions = {},
): PreparedPolicy {
  const {raw, family} = document;
  const namespace = kindOf(raw) === 'ClusterPolicy' ? '' : namespaceOf(raw);
  const base = {
    family,
    kind: kindOf(raw),
    name: nameOf(raw),
    namespace,
    key: family === 'classic' ? policyKey(raw) : namespace === '' ? nameOf(raw) : `${namespace}/${nameOf(raw)}`,
    raw,
    compiled: undefined,
    cel: undefined,
    native: undefined,
    unserved: [],
    cleanups: [],
    refusal: undefined,
    invalid: [],
    warnings: [],
    ruleCount: 1,
    ruleNames: new Set<string>(),
  };
  if (family === 'cleanup') return {...base, ...prepareCleanup(raw, resources)};
  if (family === 'cel') return {...base, ...prepareCel(raw, resources, options.keyServiceLack)};
  if (family === 'vap' || family === 'map') return {...base, ...prepareNative(raw, bindings)};
  if (family !== 'classic') return {...base, refusal: `${base.kind} policies are not served by this release`};
  const {policy, errors, warnings} = loadClassicPolicy(raw, {resources});
  if (policy === undefined) return {...base, invalid: errors, warnings, ruleCount: 0};
  return {...base, ...compileServed(policy, options), warnings};
}

function compileServed(policy: ClassicPolicy, options: PrepareOptions) {
  const reasons = unservedReasons(policy, compileOptions(options));
  const wholly = reasons.find(reason => !policy.spec.rules.some(rule => rule.path === reason.path));
  const reasonOf = new Map(reasons.map(reason => [reason.path, formatDiagnostic({...reason, path: ''})]));
  const isServed = (rule: ClassicRule) => wholly === undefined && !reasonOf.has(rule.path);
  const served = withRules(policy, policy.spec.rules.filter(isServed));
  const rest = withRules(
    policy,
    policy.spec.rules.filter(rule => !isServed(rule)),
  );
  const result = served.spec.rules.length === 0 ? undefined : compilePolicy(served, compileOptions(options));
  const unserved = [...rest.spec.rules, ...deriveRules(rest)].map(
    (rule): UnservedRule => ({
      name: rule.name,
      phase: phaseOf(rule),
      reason:
        wholly === undefined
          ? (reasonOf.get(rule.path) ?? 'not served by this release')
          : formatDiagnostic({...wholly, path: ''}),
      match: compileFilterGroup(rule.match, {role: 'match'}),
      exclude: rule.exclude === undefined ? undefined : compileFilterGroup(rule.exclude, {role: 'exclude'}),
    }),
  );
  const names = [...(result?.policy?.rules.map(rule => rule.name) ?? []), ...unserved.map(rule => rule.name)];
  return {
    compiled: result?.policy,
    unserved,
    cleanups: compileCleanupRules(served),
    invalid: result?.problems ?? [],
    ruleCount: names.length,
    ruleNames: new Set(names),
  };
}

function withRules(policy: ClassicPolicy, rules: readonly ClassicRule[]): ClassicPolicy {
  return {...policy, spec: {...policy.spec, rules}};
}

function phaseOf(rule: ClassicRule): Phase {
  switch (rule.action.type) {
    case 'mutate':
      return 'mutate';
    case 'generate':
      return 'generate';
    case 'verifyImages':
      return 'verifyImages';
    case 'cleanup':
      return 'cleanup';
    default:
      return 'validate';
  }
}
