import type {RuleRun} from '../../context/rule-run.js';
import {EvalError} from '../../diagnostic.js';
import {textMapOf} from '../../json/text.js';
import {type JsonObject, ownPath} from '../../json/types.js';
import {compileLabelSelector, type Labels, type LabelTest} from '../../match/label-selector.js';
import type {LabelSelector} from '../../policy/model.js';
import type {EngineRequest} from '../../types.js';
import type {MatchConstraints} from '../model.js';
import {compileResourceRules, type RuleTest} from './resource-rules.js';

/** Whether a policy's constraints select a request. Throws EvalError for labels that cannot be had, Suspend to wait. */
export type ConstraintMatcher = (request: EngineRequest, run: RuleRun) => boolean;

export interface ConstraintOptions {
  /** Deletions look at what exists: the operations of the rules do not matter. */
  readonly anyOperation?: boolean;
}

const never: ConstraintMatcher = () => false;

/**
 * Compiles matchConstraints. The rules are asked first: what they do not select is never an error, whatever its labels.
 * No constraints select nothing; constraints without rules select what their selectors do.
 */
export function compileConstraints(
  constraints: MatchConstraints | undefined,
  {anyOperation = false}: ConstraintOptions = {},
): ConstraintMatcher {
  if (constraints === undefined) return never;
  const included = compileResourceRules(constraints.resourceRules, {anyOperation});
  const excluded = compileResourceRules(constraints.excludeResourceRules, {anyOperation});
  const rules: RuleTest = request =>
    !excluded(request) && (constraints.resourceRules.length === 0 || included(request));
  const byObject = objectTest(constraints.objectSelector);
  const byNamespace = namespaceTest(constraints.namespaceSelector);
  return (request, run) => rules(request) && byObject(request) && byNamespace(request, run);
}

/** Labels of the new object or the old one. */
function objectTest(selector: LabelSelector | undefined): RuleTest {
  const test = selectorTest(selector);
  if (test === undefined) return () => true;
  return ({object, oldObject}) =>
    (object !== undefined && test(labelsOf(object))) || (oldObject !== undefined && test(labelsOf(oldObject)));
}

function namespaceTest(selector: LabelSelector | undefined): ConstraintMatcher {
  const test = selectorTest(selector);
  if (test === undefined) return () => true;
  return (request, run) => {
    if (isNamespaceObject(request)) {
      const object = request.object ?? request.oldObject;
      if (object !== undefined && request.subResource === '') return test(labelsOf(object));
    } else if (request.namespace === '') return true;
    return test(labelsOfNamespace(request.namespace || request.name, run));
  };
}

/** `undefined`: selects everything. */
function selectorTest(selector: LabelSelector | undefined): LabelTest | undefined {
  if (selector === undefined) return undefined;
  const empty = Object.keys(selector.matchLabels ?? {}).length === 0 && (selector.matchExpressions ?? []).length === 0;
  return empty ? undefined : compileLabelSelector(selector);
}

export function isNamespaceObject({resource, kind}: EngineRequest): boolean {
  return (
    (resource.group === '' && resource.resource === 'namespaces') || (kind.group === '' && kind.kind === 'Namespace')
  );
}

function labelsOf(object: JsonObject): Labels {
  return textMapOf(ownPath(object, 'metadata', 'labels'));
}

/** A namespace that is not there (yet) has the one label that every namespace has. */
function labelsOfNamespace(name: string, run: RuleRun): Labels {
  try {
    const labels = run.settle(`namespace:${name}`, options => run.loader.namespaceLabels(name, options));
    return labels ?? {'kubernetes.io/metadata.name': name};
  } catch (error) {
    if (!(error instanceof EvalError) || error.code === 'budget') throw error;
    throw new EvalError(`failed to get labels of namespace ${name}: ${error.message}`, 'namespace-labels');
  }
}
