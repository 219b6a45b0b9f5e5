import type {Program} from '../../cel/environment.js';
import type {ConstraintMatcher} from '../../cel-policies/match/match-constraints.js';
import {compileConstraints} from '../../cel-policies/match/match-constraints.js';
import type {MatchConstraints, MutatingPolicy} from '../../cel-policies/model.js';
import type {CelScope, MutationTarget} from '../../cel-policies/types.js';
import type {RuleRun} from '../../context/rule-run.js';
import type {ListQuery} from '../../context-loader.js';
import {EvalError} from '../../diagnostic.js';
import {type JsonObject, own} from '../../json/types.js';
import {apiVersionOf} from '../../resource-map.js';
import {foundIn, searchOf, type Wanted} from '../../targets/search.js';
import {labelSelectorText, nameSelectorText} from '../../targets/selector-text.js';
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
  const wanted = wantedOf(constraints);
  return scope => {
    const run = scope.host;
    return kindsOfRules(constraints.resourceRules, run.resources).flatMap(named =>
      listed(named, {namespace: ref.namespace, run, wanted: wanted(named, run)}).filter(({object}) =>
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

/** What can be told of an object while it is read: all but the labels of its namespace, which may have to be waited for. */
function wantedOf(constraints: MatchConstraints): (named: NamedKind, run: RuleRun) => Wanted {
  const {namespaceSelector: _later, ...atOnce} = constraints;
  const matches = compileConstraints({...atOnce, namespaceSelector: undefined}, {anyOperation: true});
  const key = JSON.stringify(atOnce);
  const labelSelector = constraints.objectSelector && labelSelectorText(constraints.objectSelector);
  const names = constraints.resourceRules.map(rule => (rule.resourceNames.length === 1 ? rule.resourceNames[0] : undefined));
  const name = new Set(names).size === 1 ? names[0] : undefined;
  const fieldSelector = name === undefined ? undefined : nameSelectorText(name);
  return ({kind, subResource}, run) => ({
    key: `${key} ${subResource}`,
    labelSelector,
    fieldSelector,
    test: object => matches(requestAbout(object, kind, subResource), run),
  });
}

interface Listing {
  readonly namespace: string;
  readonly run: RuleRun;
  readonly wanted: Wanted;
}

/** A policy of a namespace has its targets there; cluster-scoped objects are none of its business. */
function listed({kind, subResource, any}: NamedKind, listing: Listing): readonly MutationTarget[] {
  const {namespace, run} = listing;
  if (namespace !== '' && !kind.namespaced) return [];
  const {group, version, resource} = kind;
  const items = itemsOf({group, version, resource, namespace, labels: []}, any, listing);
  run.budget.step(items.length);
  return items.map(item => ({
    object: typed(item, apiVersionOf(kind), kind.kind),
    resource: {group, version, resource},
    subResource,
  }));
}

/** Kinds without lists (reviews, bindings) are passed over where a star stood for them. */
function itemsOf(query: ListQuery, any: boolean, {run, wanted}: Listing): readonly JsonObject[] {
  const {group, version, resource, namespace} = query;
  try {
    return run.settle(`targets:${group}/${version}/${resource}/${namespace} ${wanted.key}`, options =>
      foundIn(run.loader.resourceList({...query, search: searchOf(run, resource, wanted)}, options), wanted),
    )();
  } catch (thrown) {
    if (any && thrown instanceof EvalError && /\bHTTP 40[45]\b/.test(thrown.message)) return [];
    throw thrown;
  }
}

function typed(item: JsonObject, apiVersion: string, kind: string): JsonObject {
  return own(item, 'kind') === undefined ? {apiVersion, kind, ...item} : item;
}
