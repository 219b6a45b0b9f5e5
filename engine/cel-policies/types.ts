import type {Environment, Program} from '../cel/environment.js';
import type {GeneratorContext} from '../cel/kyverno/index.js';
import type {Type} from '../cel/types/type.js';
import type {Value} from '../cel/values/value.js';
import type {CompiledImages} from '../cel-image/types.js';
import type {RuleRun} from '../context/rule-run.js';
import type {Diagnostic} from '../diagnostic.js';
import type {JsonObject} from '../json/types.js';
import type {EngineRequest, FailurePolicy, GroupVersionResource, PolicyRef} from '../types.js';
import type {AutogenConfig} from './autogen/derive-variants.js';
import type {ConstraintMatcher} from './match/match-constraints.js';
import type {
  CelPolicy,
  DeletingPolicy,
  GeneratingPolicy,
  ImageValidatingPolicy,
  MatchConstraints,
  MutatingPolicy,
  ValidatingPolicy,
} from './model.js';
import type {ScopePlan} from './run/scope.js';

/** One policy, ready to be run. Immutable; shared by all requests. */
export interface CompiledCelPolicy {
  readonly ref: PolicyRef;
  readonly source: CelPolicy;
  readonly failurePolicy: FailurePolicy;
  /** The policy itself, then what autogen made of it. */
  readonly variants: readonly PolicyVariant[];
  /** For `status.autogen.configs`. */
  readonly autogen: readonly AutogenConfig[];
  /** Expressions that are doubtful. */
  readonly warnings: readonly Diagnostic[];
  /** Cost units of one evaluation of all its expressions, as far as known before; `max` may be Infinity. */
  readonly cost: {readonly min: number; readonly max: number};
}

/** A policy for one set of resources: as written, or rewritten for Pod controllers. */
export interface PolicyVariant {
  /** Empty for the policy itself; `defaults`, `cronjobs`, `extract`. */
  readonly name: '' | AutogenConfig['name'];
  readonly constraints: MatchConstraints | undefined;
  readonly matches: ConstraintMatcher;
  readonly plan: ScopePlan;
  /** Whether some expression reads `namespaceObject`, which has to be fetched then. */
  readonly readsNamespace: boolean;
  readonly behaviour: PolicyBehaviour;
  /** What its expressions are compiled in, for who looks at their parts. */
  readonly environment: Environment;
  /** Compiles conditions of an exception as if they were the policy's. */
  readonly compileExceptionConditions: (
    conditions: readonly {readonly name: string; readonly expression: string}[],
  ) => ConditionOutcome;
}

export type ConditionOutcome =
  | {readonly conditions: ConditionList; readonly readsNamespace: boolean; readonly problems?: undefined}
  | {readonly conditions?: undefined; readonly problems: readonly Diagnostic[]};

/** What a kind of policy does with a request that its constraints select. */
export type PolicyBehaviour =
  | (Conditioned & {readonly type: 'validating'; readonly model: ValidatingPolicy; readonly rules: CompiledValidations})
  | (Conditioned & {readonly type: 'mutating'; readonly model: MutatingPolicy; readonly rules: CompiledMutations})
  | (Conditioned & {readonly type: 'generating'; readonly model: GeneratingPolicy; readonly rules: CompiledGenerations})
  | (Conditioned & {
      readonly type: 'imageValidating';
      readonly model: ImageValidatingPolicy;
      readonly rules: CompiledValidations;
      readonly images: CompiledImages;
    })
  | {readonly type: 'deleting'; readonly model: DeletingPolicy; readonly conditions: ConditionList};

interface Conditioned {
  readonly conditions: ConditionList;
  readonly annotations: AnnotationList;
}

/**
 * Values that the expressions of one evaluation see. `withObject` starts anew: variables are evaluated again when they are
 * next read.
 */
export interface CelScope {
  readonly bindings: ReadonlyArray<Value | undefined>;
  readonly host: RuleRun;
  readonly request: EngineRequest;
  /** What `generator` is bound to; new with each scope, and only for generating policies. */
  readonly generator: GeneratorContext | undefined;
  /** The same with another `object`; `request.object` stays what was asked about. */
  withObject(object: JsonObject): CelScope;
}

/** Named conditions, all of which must hold. */
export interface ConditionList {
  readonly programs: ReadonlyArray<{readonly name: string; readonly program: Program}>;
}

export interface AnnotationList {
  readonly programs: ReadonlyArray<{readonly key: string; readonly program: Program}>;
}

export interface CompiledValidations {
  readonly programs: ReadonlyArray<{
    readonly program: Program;
    readonly message: string | undefined;
    readonly messageProgram: Program | undefined;
  }>;
}

/** Mutations of one policy, in order. Made by `compileMutations` of engine/cel-mutate. */
export interface CompiledMutations {
  /**
   * Applies all in order, each to what the one before left. The same reference when nothing changed. Throws EvalError;
   * its text follows `failed to evaluate policy: `.
   */
  apply(object: JsonObject, scope: CelScope): JsonObject;
  /** Of `targetMatchConditions`; judged with `object` = the target. */
  readonly targetConditions: ConditionList;
  /**
   * Existing objects that the policy changes when its trigger is what `scope` has as `object`: what
   * `targetMatchConstraints` comes to, else what its own constraints select. Throws EvalError.
   */
  readonly targets: (scope: CelScope) => readonly MutationTarget[];
}

export interface MutationTarget {
  readonly object: JsonObject;
  readonly resource: GroupVersionResource;
  /** Where a change has to be written to; empty for the object itself. */
  readonly subResource: string;
}

/** Entries of `spec.generate`. Made by `compileGenerations` of engine/cel-generate. */
export interface CompiledGenerations {
  /** Objects to be created, in order, with the namespaces they go to; nothing is written. Throws EvalError. */
  generate(scope: CelScope): readonly JsonObject[];
}

/** What the compilers of the kinds' own parts are given. Faults are collected, so that all are told at once. */
export interface CompileTools {
  /** Declares everything of the kind, and the policy's `variables`. */
  readonly environment: Environment;
  /** `undefined`: told as a fault at `path`. Without `expected` any type does. */
  compile(expression: string, path: string, expected?: ExpectedType): Program | undefined;
  fault(path: string, message: string, expression?: string): void;
  /** What is no mistake of the policy's author, and what this installation cannot do: the policy is stored, and not Ready. */
  unserved(path: string, message: string): void;
  warn(path: string, message: string, expression?: string): void;
}

export interface ExpectedType {
  /** Exactly one of these. */
  readonly types: readonly Type[];
  /** `output is expected to be of type bool`. */
  readonly message: string;
}

export type CompileMutations = (model: MutatingPolicy, tools: CompileTools) => CompiledMutations;
export type CompileGenerations = (model: GeneratingPolicy, tools: CompileTools) => CompiledGenerations;
