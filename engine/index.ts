/**
 * The policy engine as a library: policies + request → verdicts and patches, with no I/O of its own.
 *
 * Fill a `PolicyCache` with policies and exceptions as parsed JSON, give `createEngine` a `ContextLoader` (the one door
 * to the outside) and a `RegexEngine` (RE2 semantics), and ask it about `EngineRequest`s. See README.md beside this file.
 */
export {builtinResourceMap} from './builtin-resources.js';
export type {CompileOptions, CompileResult} from './compile/compile-policy.js';
/** A loaded policy → closures, or everything that stands in the way. */
export {compilePolicy} from './compile/compile-policy.js';
export type {CompiledPolicy, CompiledRule} from './compile/types.js';
export type {ApiCallRequest, ContextLoader, LoadOptions, MaybePromise, Scope} from './context-loader.js';
export type {GivenValues} from './context/given-values.js';
export type {Diagnostic} from './diagnostic.js';
/** `EvalError` is what a `ContextLoader` rejects with; its text is shown to users. */
export {EvalError, formatDiagnostic} from './diagnostic.js';
export type {ExceptionRules} from './exception/compile-exception.js';
/** JSON text ↔ values with exact 64-bit integers. */
export {parseJson} from './json/parse.js';
export {stringifyJson} from './json/stringify.js';
export type {Json, JsonNumber, JsonObject} from './json/types.js';
/** A double that happens to be integral. */
export {Float} from './json/types.js';
/** Raw objects → canonical models with every fault and warning at once; never throw. */
export {loadClassicPolicy, loadException} from './policy/index.js';
export type {ClassicException, ClassicPolicy, LoadResult} from './policy/model.js';
export type {CompiledRegex, RegexEngine} from './regex/types.js';
export type {KindInfo, ResourceMap} from './resource-map.js';
export type {EngineOptions} from './run/create-engine.js';
/** The six operations over whatever the snapshot source holds at the time of the call. */
export {createEngine} from './run/create-engine.js';
export type {ExceptionState, PolicyCacheOptions, PolicyState} from './snapshot/policy-cache.js';
/** Compiles each policy once per change; a broken one drops out alone. Its `current` is what an engine reads. */
export {PolicyCache} from './snapshot/policy-cache.js';
export {PolicySnapshot} from './snapshot/policy-snapshot.js';
export type {SnapshotSource} from './snapshot/types.js';
export type {
  AdmissionUser,
  Engine,
  EngineRequest,
  FailureAction,
  FailurePolicy,
  GenerateResponse,
  GroupVersionKind,
  GroupVersionResource,
  JsonPatchOperation,
  MutateOptions,
  MutateResponse,
  Operation,
  PolicyRef,
  PolicyResult,
  RuleResult,
  RuleStatus,
  RuleType,
  ValidateOptions,
  ValidateResponse,
} from './types.js';
export {NotImplementedError} from './types.js';
