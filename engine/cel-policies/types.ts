import type {Environment, Program} from '../cel/environment.js';
import type {CelHost} from '../cel/library/library.js';
import type {Type} from '../cel/types/type.js';
import type {Value} from '../cel/values/value.js';
import type {RuleRun} from '../context/rule-run.js';
import type {Diagnostic} from '../diagnostic.js';
import type {JsonObject} from '../json/types.js';
import type {EngineRequest, FailurePolicy, PolicyRef} from '../types.js';
import type {AutogenConfig} from './autogen/derive-variants.js';
import type {ConstraintMatcher} from './match/match-constraints.js';
import type {
  CelPolicy,
  DeletingPolicy,
  GeneratingPolicy,
  MatchConstraints,
  MutatingPolicy,
  ValidatingPolicy,
} from './model.js';

/** One policy, ready to be run. Immutable; shared by all requests. */
export interface CompiledCelPolicy {
  readonly ref: PolicyRef;
  readonly source: CelPolicy;
  readonly failurePolicy: FailurePolicy;
  /** The policy itself, then what autogen made of it. */
  readonly variants: readonly PolicyVariant[];
  /** For `status.autogen.configs`. */
  readonly autogen: readonly AutogenConfig[];
  /** Expressions whose type hints at a mistake, or that are doubtful in another way. */
  readonly warnings: readonly Diagnostic[];
  /** Cost units of one evaluation of all its expressions, as far as known before; `max` may be Infinity. */
  readonly cost: {readonly min: number; readonly max: number};
}

/** A policy for one set of resources: as written, or rewritten for Pod controllers. */
export interface PolicyVariant {
  /** Empty for the policy itself; `defaults`, `cronjobs`, `extract`. */
  readonly name: string;
  readonly constraints: MatchConstraints | undefined;
  readonly matches: ConstraintMatcher;
  readonly behaviour: PolicyBehaviour;
}

/** What a kind of policy does with a request that its constraints select. */
export type PolicyBehaviour =
  | {
      readonly type: 'validating';
      readonly model: ValidatingPolicy;
      readonly conditions: ConditionList;
      readonly rules: CompiledValidations;
      readonly annotations: AnnotationList;
    }
  | {
      readonly type: 'mutating';
      readonly model: MutatingPolicy;
      readonly conditions: ConditionList;
      readonly rules: CompiledMutations;
      readonly annotations: AnnotationList;
    }
  | {
      readonly type: 'generating';
      readonly model: GeneratingPolicy;
      readonly conditions: ConditionList;
      readonly rules: CompiledGenerations;
      readonly annotations: AnnotationList;
    }
  | {readonly type: 'deleting'; readonly model: DeletingPolicy; readonly conditions: ConditionList};

/**
 * Values that the expressions of one evaluation see. `withObject` starts anew: variables are evaluated again when they are
 * next read.
 */
export interface CelScope {
  readonly bindings: ReadonlyArray<Value | undefined>;
  readonly host: CelHost & Pick<RuleRun, 'resources'>;
  readonly request: EngineRequest;
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
  readonly programs: readonly Program[];
  /**
   * Applies all in order, each to what the one before left. The same reference when nothing changed. Throws EvalError;
   * its text follows `failed to evaluate policy: `.
   */
  apply(object: JsonObject, scope: CelScope): JsonObject;
  /** Of `targetMatchConditions`; judged with `object` = the target. */
  readonly targetConditions: ConditionList;
  /** Of `targetMatchConstraints.expression`: the objects it comes to, `items` taken apart; `undefined` without one. */
  readonly targets: ((scope: CelScope) => readonly JsonObject[]) | undefined;
}

/** Entries of `spec.generate`. Made by `compileGenerations` of engine/cel-generate. */
export interface CompiledGenerations {
  readonly programs: readonly Program[];
  /** Objects to be created, in order, with the namespaces they go to; nothing is written. Throws EvalError. */
  generate(scope: CelScope): readonly JsonObject[];
}

/** What the compilers of the kinds' own parts are given. Faults are collected, so that all are told at once. */
export interface CompileTools {
  /** Declares everything of the kind, and the policy's `variables`. */
  readonly environment: Environment;
  /** `undefined`: told as a fault at `path`. Without `types` any type does. */
  compile(expression: string, path: string, expected?: ExpectedType): Program | undefined;
  fault(path: string, message: string, expression?: string): void;
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
