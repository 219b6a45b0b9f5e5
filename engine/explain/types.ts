import type {Json} from '../json/types.js';
import type {FailureAction, PolicyRef, RuleStatus, RuleType} from '../types.js';

/**
 * What a node of an explanation came to. `yes`/`no` answer terms and conditions, `pass`/`fail`/`skip`/`error` are outcomes
 * of checks, `ignored` terms have no say in this request, `not-reached` ones were decided before their turn.
 */
export type Verdict = 'yes' | 'no' | 'pass' | 'fail' | 'skip' | 'error' | 'ignored' | 'not-reached';

export type NodeKind =
  | 'match'
  | 'exclude'
  | 'filter'
  | 'term'
  | 'conditions'
  | 'block'
  | 'condition'
  | 'exception'
  | 'pattern'
  | 'anyPattern'
  | 'deny'
  | 'foreach'
  | 'element'
  | 'podSecurity'
  | 'control'
  | 'assert'
  | 'fault'
  | 'patch'
  | 'operation'
  | 'generate'
  | 'target'
  | 'images'
  | 'image'
  /** An expression, or a part of one: its text, and what it came to. */
  | 'expression';

/** One step of a decision. Children are in the order of evaluation. */
export interface ExplainNode {
  readonly kind: NodeKind;
  readonly name: string;
  /** Place in the (derived) rule: `spec.rules[0].validate.pattern.spec`. */
  readonly path: string;
  /** Place in the object, as a JSON pointer; only where the node looks at one. */
  readonly at?: string;
  readonly verdict: Verdict;
  readonly wanted?: Json;
  readonly got?: Json;
  readonly note?: string;
  readonly children?: readonly ExplainNode[];
}

/** A variable as the walk met it. */
export interface VariableValue {
  /** An entry's name, or the expression between the braces. */
  readonly name: string;
  readonly source: 'context' | 'expression';
  readonly path: string;
  readonly value?: Json;
  /** Why there is no value. */
  readonly error?: string;
  /** A context entry that nothing asked for. */
  readonly unused?: true;
}

export interface FinalResult {
  readonly status: RuleStatus;
  readonly message: string;
  readonly action: FailureAction;
  readonly exceptions?: readonly string[];
}

/** Why a rule has no result, or that it has. */
export type RuleOutcome =
  | 'answered'
  | 'not-matched'
  | 'excluded'
  | 'nothing-to-say'
  | 'after-first-match'
  | 'other-namespace'
  | 'not-served';

export interface RuleExplanation {
  readonly rule: string;
  readonly type: RuleType;
  readonly path: string;
  /** Set where the rule was derived for Pod controllers: the declared rule and what it became. */
  readonly derived?: {readonly from: string; readonly rule: Json};
  readonly outcome: RuleOutcome;
  readonly match?: ExplainNode;
  readonly exclude?: ExplainNode;
  readonly variables: readonly VariableValue[];
  readonly preconditions?: ExplainNode;
  readonly exceptions: readonly ExplainNode[];
  readonly check?: ExplainNode;
  /** The engine's own results: none without an answer, several only for mutation of existing objects. */
  readonly results: readonly FinalResult[];
}

export interface PolicyExplanation {
  readonly policy: PolicyRef;
  readonly rules: readonly RuleExplanation[];
  /** What mutate rules made of the object; the same reference when nothing changed. */
  readonly object: Json | undefined;
}
