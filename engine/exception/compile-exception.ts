import {compileOptionalBlock, evaluateBlock} from '../compile/condition-block.js';
import type {Conditions} from '../compile/types.js';
import type {RequestContext} from '../context/request-context.js';
import {RuleScope} from '../context/rule-scope.js';
import {EvalError} from '../diagnostic.js';
import {compileFilterGroup, type Matcher} from '../match/compile-filter.js';
import {compileExclusion, type Exclusion} from '../pod-security/index.js';
import type {ClassicException} from '../policy/model.js';
import {compileGlobs} from '../values/glob.js';

export interface ExceptionRules {
  /** Whether exceptions take part at all. */
  readonly enabled: boolean;
  /** Namespace of the operator: exceptions there free objects anywhere. */
  readonly operatorNamespace: string;
  /** Extra namespace whose exceptions free objects anywhere; `*` = every namespace's do; empty = none. */
  readonly exceptionNamespace: string;
}

/** A PolicyException ready to be asked; each is judged on its own, so two never free more than their union. */
export interface CompiledException {
  /** `namespace/name`. */
  readonly key: string;
  readonly source: ClassicException;
  /** Policy keys it names; `*` among them for any policy. */
  readonly policies: ReadonlySet<string>;
  /** Whether it may free objects outside of its namespace. */
  readonly everywhere: boolean;
  /** The controls that it frees podSecurity rules from; undefined = it frees from the whole rule. */
  readonly podSecurity: readonly Exclusion[] | undefined;
  /** Whether it names the rule of the policy. */
  names(policyKey: string, rule: string): boolean;
  /** Whether it frees this request. Conditions that cannot be evaluated free nothing. */
  applies(context: RequestContext, scope: RuleScope): boolean;
}

export function compileException(source: ClassicException, rules: ExceptionRules): CompiledException {
  const everywhere =
    rules.exceptionNamespace === '*' ||
    (rules.operatorNamespace !== '' && source.namespace === rules.operatorNamespace) ||
    (rules.exceptionNamespace !== '' && source.namespace === rules.exceptionNamespace);
  const home = source.namespace;
  const match: Matcher | undefined =
    source.match === undefined ? undefined : compileFilterGroup(source.match, {role: 'exception'});
  const conditions = compileOptionalBlock(source.conditions, 'spec.conditions');
  const entries = source.entries.map(entry => ({policy: entry.policyName, rules: compileGlobs(entry.ruleNames)}));
  return {
    key: `${source.namespace}/${source.name}`,
    source,
    everywhere,
    policies: new Set(entries.map(entry => entry.policy)),
    podSecurity: source.podSecurity.length === 0 ? undefined : source.podSecurity.map(compileExclusion),
    names: (policyKey, rule) =>
      entries.some(entry => (entry.policy === '*' || entry.policy === policyKey) && entry.rules(rule)),
    applies(context, scope) {
      if (!everywhere && !isInside(context, home)) return false;
      if (match !== undefined && !match(context, scope.env)) return false;
      return conditions === undefined || holds(conditions, everywhere ? scope : homeScope(scope, home));
    },
  };
}

/** The Namespace object itself is not in its namespace: who may write there does not decide about it. */
function isInside(context: RequestContext, namespace: string): boolean {
  return namespace !== '' && context.request.namespace === namespace && !context.isNamespace;
}

/**
 * What a tenant's conditions may see: the request, not what the policy has read elsewhere, and nothing outside of the
 * tenant's namespace.
 */
function homeScope({context, env}: RuleScope, namespace: string): RuleScope {
  return new RuleScope({context, env: env.confinedTo(namespace), entries: []});
}

function holds(conditions: Conditions, scope: RuleScope): boolean {
  try {
    return evaluateBlock(conditions, scope).result;
  } catch (error) {
    if (error instanceof EvalError) return false;
    throw error;
  }
}
