import type {RequestContext} from '../context/request-context.js';
import type {RuleRun} from '../context/rule-run.js';
import {compileLabelSelector} from '../match/label-selector.js';
import {namespaceLabels} from '../match/namespace-labels.js';
import type {ClassicSpec, FailureActionOverride, ValidateAction} from '../policy/model.js';
import type {FailureAction} from '../types.js';
import {compileGlobs} from '../values/glob.js';
import type {ActionOf} from './types.js';

/**
 * The rule's overrides, the rule's action, the policy's overrides, the policy's action: the first that says something
 * for the namespace decides. An override with both namespaces and a selector needs both to hold.
 */
export function compileFailureAction(
  rule: Pick<ValidateAction, 'failureAction' | 'failureActionOverrides'>,
  spec: ClassicSpec,
): {readonly action: ActionOf; readonly fixed: FailureAction | undefined} {
  const ruleOverrides = rule.failureActionOverrides.map(compileOverride);
  const specOverrides = rule.failureAction === undefined ? spec.failureActionOverrides.map(compileOverride) : [];
  const fallback = rule.failureAction ?? spec.failureAction;
  const overrides = [...ruleOverrides, ...specOverrides];
  if (overrides.length === 0) return {action: () => fallback, fixed: fallback};
  return {
    action: (context, run) => overrides.find(override => override.holds(context, run))?.action ?? fallback,
    fixed: undefined,
  };
}

interface Override {
  readonly action: FailureAction;
  holds(context: RequestContext, run: RuleRun): boolean;
}

function compileOverride(override: FailureActionOverride): Override {
  const namespaces =
    override.namespaces === undefined || override.namespaces.length === 0
      ? undefined
      : compileGlobs(override.namespaces);
  const selector =
    override.namespaceSelector === undefined ? undefined : compileLabelSelector(override.namespaceSelector);
  return {
    action: override.action,
    holds(context, run) {
      if (namespaces === undefined && selector === undefined) return true;
      const {namespace} = context.request;
      // Cluster-scoped objects, Namespaces among them, are only reached by overrides for everything.
      if (namespace === '' || context.isNamespace) return false;
      if (namespaces !== undefined && !namespaces(namespace)) return false;
      return selector === undefined || selector(namespaceLabels(namespace, run));
    },
  };
}
