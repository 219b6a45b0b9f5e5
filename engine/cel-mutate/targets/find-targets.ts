import type {Program} from '../../cel/environment.js';
import type {ConstraintMatcher} from '../../cel-policies/match/match-constraints.js';
import {compileConstraints} from '../../cel-policies/match/match-constraints.js';
import type {MatchConstraints, MutatingPolicy} from '../../cel-policies/model.js';
import type {CelScope, MutationTarget} from '../../cel-policies/types.js';
import type {RuleRun} from '../../context/rule-run.js';
import type {ListQuery} from '../../context-loader.js';
import {EvalError} from '../../diagnostic.js';
import {isObject, type JsonObject, own} from '../../json/types.js';
import {apiVersionOf} from '../../resource-map.js';
import {objectsOf} from './expression-targets.js';
import {kindsOfRules, type NamedKind} from './rule-kinds.js';
import {kindOfObject, requestAbout} from './target-request.js';

type FindTargets = (scope: CelScope) => readonly MutationTarget[];

const everything: MatchConstraints = {
  resourceRules: [],
  excludeResourceRules: [],
  namespaceSelector: undefined,
  objectSelector: undefined,
  matchPolicy: undefined,
};

/** Where a policy's targets come from: its expression, else the rules for targets, else those for triggers. */
export function findsTargets({spec, ref}: MutatingPolicy, expression: Program | undefined): FindTargets {
  const own = spec.targetMatchConstraints;
  const rules =
    own !== undefined && (own.resourceRules.length > 0 || expression !== undefined) ? own : spec.matchConstraints;
  const constraints = rules ?? everything;
  const matches = compileConstraints(constraints, {anyOperation: true});
  if (expression !== undefined) return expressionTargets(expression, constraints, matches);
  return scope => {
    const run = scope.host;
    return kindsOfRules(constraints.resourceRules, run.resources).flatMap(named =>
      listed(named, ref.namespace, run).filter(({object}) =>
        matches(requestAbout(object, named.kind, named.subResource), run),
      ),
    );
  };
}

function expressionTargets(program: Program, constraints: MatchConstraints, matches: ConstraintMatcher): FindTargets {
  return scope => {
    const run = scope.host;
    return objectsOf(program, scope).flatMap(object => {
      const kind = kindOfObject(object, run);
      if (kind === undefined) {
        throw new EvalError(
          `no resource is known of target ${String(own(object, 'apiVersion'))}/${String(own(object, 'kind'))}`,
        );
      }
      const {group, version, resource} = kind;
      const routes = kindsOfRules(constraints.resourceRules, run.resources).filter(named => named.kind === kind);
      const subResource = routes[0]?.subResource ?? '';
      if (!matches(requestAbout(object, kind, subResource), run)) return [];
      return [{object, resource: {group, version, resource}, subResource}];
    });
  };
}

/** A policy of a namespace has its targets there; cluster-scoped objects are none of its business. */
function listed({kind, subResource, any}: NamedKind, namespace: string, run: RuleRun): readonly MutationTarget[] {
  if (namespace !== '' && !kind.namespaced) return [];
  const {group, version, resource} = kind;
  const list = listOf({group, version, resource, namespace, labels: []}, any, run);
  const items = own(list, 'items');
  run.budget.step(Array.isArray(items) ? items.length : 0);
  return (Array.isArray(items) ? items : []).filter(isObject).map(item => ({
    object: typed(item, apiVersionOf(kind), kind.kind),
    resource: {group, version, resource},
    subResource,
  }));
}

/** Kinds without lists (reviews, bindings) are passed over where a star stood for them. */
function listOf(query: ListQuery, any: boolean, run: RuleRun): JsonObject {
  const {group, version, resource, namespace} = query;
  try {
    return run.settle(`targets:${group}/${version}/${resource}/${namespace}`, options =>
      run.loader.resourceList(query, options),
    );
  } catch (thrown) {
    if (any && thrown instanceof EvalError && /\bHTTP 40[45]\b/.test(thrown.message)) return {};
    throw thrown;
  }
}

function typed(item: JsonObject, apiVersion: string, kind: string): JsonObject {
  return own(item, 'kind') === undefined ? {apiVersion, kind, ...item} : item;
}
