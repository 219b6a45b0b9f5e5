import {unknownCelFields} from '../../engine/classic-cel/unknown-fields.js';
import {compileCleanupPolicy} from '../../engine/cleanup/compile-cleanup-policy.js';
import {loadCleanupPolicy} from '../../engine/cleanup/load-cleanup-policy.js';
import type {CelCompileOptions} from '../../engine/cel-policies/compile/compile-cel-policy.js';
import {celPolicyGroup} from '../../engine/cel-policies/load/kinds.js';
import {type CompileOptions, compilePolicy} from '../../engine/compile/compile-policy.js';
import {CompileError, type Diagnostic, formatDiagnostic} from '../../engine/diagnostic.js';
import {compileException, type ExceptionRules} from '../../engine/exception/compile-exception.js';
import {loadGlobalContextEntry} from '../../engine/global-context/load-entry.js';
import {deepEqual} from '../../engine/json/equal.js';
import {type JsonObject, ownPath} from '../../engine/json/types.js';
import {loadClassicPolicy, loadException} from '../../engine/policy/index.js';
import type {MaybePromise} from '../../engine/context-loader.js';
import type {ResourceMap} from '../../engine/resource-map.js';
import {after} from '../context.js';
import type {AdmissionRequest, PolicyReview, PolicyReviewResult} from '../types.js';
import {type NeededRight, neededRights} from './needed-rights.js';
import {reviewCelObject} from './review-cel-object.js';

export interface ReviewOptions {
  readonly resources: () => ResourceMap;
  readonly compile: CompileOptions;
  readonly exceptions: ExceptionRules;
  /** What a kind is that the cluster does not have; in the cache it is only a warning, so that a policy may wait for its CRD. */
  readonly unknownKinds: 'refuse' | 'warn';
  /** Asked before a kind counts as unknown, which may have been defined a moment ago; then `resources` is read again. */
  readonly catchUp?: () => Promise<void>;
  /** Absent: policies written in CEL are not judged as they are written. */
  readonly cel?: Omit<CelCompileOptions, 'resources'>;
  /** Faults for what the background may not do. Absent: told when a policy works. */
  readonly rights?: ((needed: readonly NeededRight[]) => Promise<readonly Diagnostic[]>) | undefined;
  /** What the object was before a client took parts out of it; each `restored` path is told to the requester. */
  readonly restore?: (object: JsonObject) => {readonly object: JsonObject; readonly restored: readonly string[]};
}

const accepted: PolicyReviewResult = {allowed: true, errors: [], warnings: []};

/** Judges our own objects as they are written: all faults in one answer, loose forms with a warning each. */
export function createPolicyReview(options: ReviewOptions): PolicyReview {
  return {
    review: request =>
      after(reviewObject(request, options), result => {
        if (options.catchUp === undefined || result.errors.every(({code}) => code !== 'kind-unknown')) return result;
        return options.catchUp().then(() => reviewObject(request, options));
      }),
  };
}

function reviewObject(request: AdmissionRequest, options: ReviewOptions): MaybePromise<PolicyReviewResult> {
  const {kind} = request;
  if (request.object === undefined) return accepted;
  const {object, restored} = options.restore?.(request.object) ?? {object: request.object, restored: []};
  if (kind.group === 'kyverno.io' && (kind.kind === 'ClusterPolicy' || kind.kind === 'Policy')) {
    const notes = restored.map(path => `${path}: kubectl apply took the null out of the stored policy; it is read as written`);
    return after(reviewPolicy(object, request.oldObject, options), result => ({...result, warnings: [...result.warnings, ...notes]}));
  }
  if (kind.group === 'kyverno.io' && kind.kind === 'PolicyException')
    return reviewException(object, options.exceptions);
  if (kind.group === 'kyverno.io' && kind.kind === 'GlobalContextEntry') {
    const {errors} = loadGlobalContextEntry(object);
    return {...accepted, allowed: errors.length === 0, errors};
  }
  if (kind.group === 'kyverno.io' && (kind.kind === 'CleanupPolicy' || kind.kind === 'ClusterCleanupPolicy')) return reviewCleanup(object, options);
  if (kind.group === celPolicyGroup && options.cel !== undefined) return reviewCelObject(request.object, {...options, compile: options.cel});
  return {...accepted, warnings: [`${kind.kind} (${kind.group}) is stored but not served by this release`]};
}

/** A stored policy that does not load (its kinds went, its rules got stricter) must still lose labels and finalizers. */
function reviewPolicy(object: JsonObject, old: JsonObject | undefined, options: ReviewOptions): MaybePromise<PolicyReviewResult> {
  const same = old !== undefined && saysTheSame(object, old);
  return after(judgePolicy(object, old, same ? {...options, rights: undefined} : options), result => {
    if (result.allowed || !same) return result;
    const warnings = result.errors.map(error => `the policy is not Ready: ${formatDiagnostic(error)}`);
    return {allowed: true, errors: [], warnings: [...result.warnings, ...warnings]};
  });
}

function saysTheSame(object: JsonObject, old: JsonObject): boolean {
  return [['spec'], ['metadata', 'annotations']].every(path => {
    const [now, before] = [ownPath(object, ...path), ownPath(old, ...path)];
    return now === before || (now !== undefined && before !== undefined && deepEqual(now, before));
  });
}

/** What this release cannot judge is stored all the same: its status says that it is not served. */
function judgePolicy(object: JsonObject, old: JsonObject | undefined, options: ReviewOptions): MaybePromise<PolicyReviewResult> {
  const loaded = loadClassicPolicy(object, {
    resources: options.resources(),
    unknownKinds: options.unknownKinds,
    ...(old !== undefined && {old}),
  });
  const warnings = loaded.warnings.map(formatDiagnostic);
  if (loaded.policy === undefined) return {allowed: false, errors: loaded.errors, warnings};
  warnings.push(...unknownCelFields(loaded.policy, options.resources()).map(formatDiagnostic));
  const {problems} = compilePolicy(loaded.policy, options.compile);
  const unserved = problems.filter(problem => problem.code === 'not-served');
  const errors: readonly Diagnostic[] = problems.filter(problem => problem.code !== 'not-served');
  const result = {
    allowed: errors.length === 0,
    errors,
    warnings: [...warnings, ...unserved.map(problem => `the policy will not be Ready: ${formatDiagnostic(problem)}`)],
  };
  const needed = result.allowed && options.rights !== undefined ? neededRights(loaded.policy, options.resources()) : [];
  if (needed.length === 0) return result;
  return options.rights!(needed).then(missing => ({...result, allowed: missing.length === 0, errors: missing}));
}

function reviewCleanup(object: JsonObject, options: ReviewOptions): PolicyReviewResult {
  const {policy, errors, warnings} = loadCleanupPolicy(object, {resources: options.resources(), unknownKinds: options.unknownKinds});
  const told = warnings.map(formatDiagnostic);
  if (policy === undefined) return {allowed: false, errors, warnings: told};
  try {
    compileCleanupPolicy(policy);
  } catch (error) {
    if (error instanceof CompileError) return {allowed: false, errors: [error.diagnostic], warnings: told};
    throw error;
  }
  return {allowed: true, errors: [], warnings: told};
}

function reviewException(object: JsonObject, rules: ExceptionRules): PolicyReviewResult {
  const loaded = loadException(object);
  const warnings = loaded.warnings.map(formatDiagnostic);
  if (!rules.enabled) warnings.push('PolicyException resources would not be processed until it is enabled.');
  if (loaded.policy === undefined) return {allowed: false, errors: loaded.errors, warnings};
  try {
    compileException(loaded.policy, rules);
  } catch (error) {
    if (error instanceof CompileError) return {allowed: false, errors: [error.diagnostic], warnings};
    throw error;
  }
  return {allowed: true, errors: [], warnings};
}
