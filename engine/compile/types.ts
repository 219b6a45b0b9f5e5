import type {CompiledCleanup} from '../cleanup/compile-cleanup-policy.js';
import type {CompiledConditions} from '../conditions/index.js';
import type {CompiledEntry} from '../context/compile-entry.js';
import type {RequestContext} from '../context/request-context.js';
import type {RuleRun} from '../context/rule-run.js';
import type {RuleScope} from '../context/rule-scope.js';
import type {Generate} from '../generate/compile-generate.js';
import type {Json, JsonObject} from '../json/types.js';
import type {Matcher, QuickTest} from '../match/compile-filter.js';
import type {KindSelector} from '../match/kind-selector.js';
import type {MatchHint} from '../match/match-hint.js';
import type {Exemption} from '../pod-security/exclusion.js';
import type {ClassicPolicy, ClassicRule} from '../policy/model.js';
import type {MutateTargets} from '../targets/compile-targets.js';
import type {EngineRequest, FailureAction, FailurePolicy, Operation, PolicyRef, RuleStatus} from '../types.js';
import type {TemplateScope} from '../variables/template.js';
import type {Template} from '../variables/types.js';
import type {CompiledImages} from '../verify-images/compile-images.js';

/** What a check came to. `undefined` in its place = the rule has nothing to say about this request. */
export interface Outcome {
  readonly status: RuleStatus;
  readonly message: string;
  /** For reports, beside the rule's own. */
  readonly properties?: Readonly<Record<string, string>>;
}

/** A compiled condition block of a rule or loop. */
export type Conditions = CompiledConditions<TemplateScope>;

/**
 * Judges `subject` (the object, a loop element) in a scope. Throws EvalError for what cannot be evaluated. Exemptions
 * are for `validate.podSecurity` alone, which exceptions may free from single controls.
 */
export type Check = (
  subject: Json | undefined,
  scope: RuleScope,
  exemptions?: readonly Exemption[],
) => Outcome | undefined;

/** Patches an object; `undefined` message parts are filled by the rule. */
export interface PatchOutcome {
  readonly status: 'pass' | 'skip' | 'error' | 'fail';
  readonly message: string;
  /** The object after the patch; the same reference when nothing changed. */
  readonly object: JsonObject;
}

export type Patch = (object: JsonObject, scope: RuleScope) => PatchOutcome;

/** What a failure does for a request's namespace. */
export type ActionOf = (context: RequestContext, run: RuleRun) => FailureAction;

interface RuleBase {
  readonly name: string;
  readonly source: ClassicRule;
  /** Derived by autogen. */
  readonly derived: boolean;
  readonly kinds: readonly KindSelector[];
  /** undefined = any. */
  readonly operations: ReadonlySet<Operation> | undefined;
  /** One of them holds where `match` selects; `undefined` = nothing is known. */
  readonly hints: readonly MatchHint[] | undefined;
  /** False: `match` surely does not select the request. */
  readonly mayMatch: QuickTest;
  readonly match: Matcher;
  readonly exclude: Matcher | undefined;
  readonly entries: readonly CompiledEntry[];
  readonly preconditions: Conditions | undefined;
  readonly properties: ReadonlyArray<readonly [string, Template<TemplateScope>]>;
  /** Of verifyImages rules. */
  readonly images?: CompiledImages;
}

export interface CompiledValidateRule extends RuleBase {
  readonly type: 'validate';
  readonly action: ActionOf;
  /** The action when it does not depend on the request. */
  readonly fixedAction: FailureAction | undefined;
  /** Whether an object that violated before may go on doing so. */
  readonly forgivesOld: boolean;
  readonly check: Check;
  /** What verifyImages rules look at when an object is validated is judged in the request, even where it only audits. */
  readonly isImageCheck?: true;
}

/** Verifies images while an object is mutated. */
export interface CompiledImagesRule extends RuleBase {
  readonly type: 'verifyImages';
  readonly action: ActionOf;
  /** The action when it does not depend on the request. */
  readonly fixedAction: FailureAction | undefined;
  readonly images: CompiledImages;
}

export interface CompiledMutateRule extends RuleBase {
  readonly type: 'mutate';
  readonly patch: Patch;
}

export interface CompiledGenerateRule extends RuleBase {
  readonly type: 'generate';
  readonly generate: Generate;
}

/** Changes objects that exist already; the request only triggers it. */
export interface CompiledTargetsRule extends RuleBase {
  readonly type: 'mutateExisting';
  readonly mutateTargets: MutateTargets;
}

export type CompiledRule =
  | CompiledValidateRule
  | CompiledMutateRule
  | CompiledGenerateRule
  | CompiledTargetsRule
  | CompiledImagesRule;

/** Conditions of a whole policy; where they do not hold it has nothing to say. */
export interface PolicyConditions {
  /** No API server judges them before a request comes here. */
  readonly alone: boolean;
  /** What cannot be evaluated does not hold. Throws Suspend to wait. */
  readonly hold: (request: EngineRequest, run: RuleRun) => boolean;
}

/** One policy, ready to be run. Immutable; shared by all requests. */
export interface CompiledPolicy {
  readonly ref: PolicyRef;
  readonly source: ClassicPolicy;
  readonly failurePolicy: FailurePolicy;
  /** Has its own webhook entry: reached by name only. */
  readonly fineGrained: boolean;
  /** `matchConditions`, for requests that no API server judged before. */
  readonly conditions?: PolicyConditions | undefined;
  /** Of verifyImages rules what is looked at when an object is validated. */
  readonly validateRules: readonly CompiledValidateRule[];
  /** The same in background scans, where images are verified. */
  readonly scanRules: readonly CompiledValidateRule[];
  readonly imageRules: readonly CompiledImagesRule[];
  readonly mutateRules: readonly CompiledMutateRule[];
  /** Generation and mutation of existing objects: worked off outside admission. */
  readonly backgroundRules: ReadonlyArray<CompiledGenerateRule | CompiledTargetsRule>;
  /** What its rules remove, by schedule. */
  readonly cleanups: readonly CompiledCleanup[];
  /** Declared and derived rules, in order. */
  readonly rules: readonly CompiledRule[];
}
