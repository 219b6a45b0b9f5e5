import type {RequestContext} from '../context/request-context.js';
import type {RuleRun} from '../context/rule-run.js';
import type {Json} from '../json/types.js';
import {compileFilter, compileFilterGroup, type FilterOptions} from '../match/compile-filter.js';
import {namespaceLabels} from '../match/namespace-labels.js';
import type {FilterGroup, ResourceFilter} from '../policy/model.js';
import {node, yesNo} from './node.js';
import type {ExplainNode} from './types.js';

interface Look extends FilterOptions {
  readonly context: RequestContext;
  readonly run: RuleRun;
}

/** `match`, `exclude` or an exception's `match`, each term judged by the engine's own matcher. */
export function explainGroup(group: FilterGroup, path: string, look: Look): ExplainNode {
  const holds = compileFilterGroup(group, look)(look.context, look.run);
  let decided = false;
  const children = group.filters.map((filter, index) => {
    const name = `${group.mode}[${index}]`;
    const at = `${path}.${name}`;
    if (decided) return node({kind: 'filter', name, path: at, verdict: 'not-reached'});
    const child = explainFilter(filter, {name, path: at}, look);
    decided = (child.verdict === 'yes') === (group.mode === 'any');
    return child;
  });
  return node({
    kind: look.role === 'exclude' ? 'exclude' : 'match',
    name: look.role === 'exclude' ? 'exclude' : 'match',
    path,
    verdict: yesNo(holds),
    children,
  });
}

function explainFilter(
  filter: ResourceFilter,
  place: {readonly name: string; readonly path: string},
  look: Look,
): ExplainNode {
  const holds = compileFilter(filter, look)(look.context, look.run);
  const terms = termsOf(filter, look);
  // Terms are joined by AND, user terms last; the engine stops at the first that does not hold.
  let stopped = false;
  const children = terms.map(term => {
    const base = {kind: 'term', name: term.name, path: `${place.path}.${term.name}`, wanted: term.wanted} as const;
    if (stopped) return node({...base, verdict: 'not-reached'});
    if (term.ignored !== undefined) return node({...base, verdict: 'ignored', note: term.ignored});
    const alone = compileFilter({...emptyFilter, ...term.only}, look)(look.context, look.run);
    stopped = !alone;
    return node({...base, verdict: yesNo(alone), got: term.got()});
  });
  return node({kind: 'filter', ...place, verdict: yesNo(holds), children});
}

const emptyFilter: ResourceFilter = {
  kinds: [],
  names: [],
  namespaces: [],
  annotations: undefined,
  selector: undefined,
  namespaceSelector: undefined,
  operations: [],
  roles: [],
  clusterRoles: [],
  subjects: [],
};

interface Term {
  readonly name: string;
  readonly wanted: Json;
  readonly got: () => Json;
  readonly only: Partial<ResourceFilter>;
  readonly ignored?: string;
}

function termsOf(filter: ResourceFilter, look: Look): Term[] {
  const {context, run} = look;
  const {request} = context;
  const terms: Term[] = [];
  const {operations, kinds, namespaces, names, annotations, selector, namespaceSelector} = filter;
  if (operations.length > 0) {
    terms.push({
      name: 'operations',
      wanted: [...operations],
      got: () => request.operation,
      only: {operations},
      ...(look.role === 'exception' && {ignored: 'operations of an exception are not looked at'}),
    });
  }
  if (kinds.length > 0) terms.push({name: 'kinds', wanted: [...kinds], got: () => kindText(context), only: {kinds}});
  if (namespaces.length > 0)
    terms.push({name: 'namespaces', wanted: [...namespaces], got: () => context.matchNamespace, only: {namespaces}});
  if (names.length > 0) terms.push({name: 'names', wanted: [...names], got: () => context.name, only: {names}});
  if (annotations !== undefined) {
    terms.push({
      name: 'annotations',
      wanted: {...annotations},
      got: () => ({...context.annotations}),
      only: {annotations},
    });
  }
  if (selector !== undefined) {
    terms.push({
      name: 'selector',
      wanted: selector as unknown as Json,
      got: () => ({...context.labels}),
      only: {selector},
    });
  }
  if (namespaceSelector !== undefined) {
    terms.push({
      name: 'namespaceSelector',
      wanted: namespaceSelector as unknown as Json,
      got: () => (context.isNamespace || request.namespace === '' ? {} : {...namespaceLabels(request.namespace, run)}),
      only: {namespaceSelector},
    });
  }
  // With a requester unknown, a match goes by what it says of the resource, an exclusion by nobody.
  const ignored =
    request.user === undefined && look.role === 'match' && terms.length > 0
      ? 'no user information is given'
      : undefined;
  return [...terms, ...userTerms(filter, context).map(term => ({...term, ...(ignored !== undefined && {ignored})}))];
}

function userTerms(filter: ResourceFilter, {request: {user}}: RequestContext): Term[] {
  const terms: Term[] = [];
  const {roles, clusterRoles, subjects} = filter;
  if (roles.length > 0)
    terms.push({name: 'roles', wanted: [...roles], got: () => [...(user?.roles ?? [])], only: {roles}});
  if (clusterRoles.length > 0) {
    terms.push({
      name: 'clusterRoles',
      wanted: [...clusterRoles],
      got: () => [...(user?.clusterRoles ?? [])],
      only: {clusterRoles},
    });
  }
  if (subjects.length > 0) {
    terms.push({
      name: 'subjects',
      wanted: subjects.map(subject => ({...subject})) as unknown as Json,
      got: () => ({username: user?.username ?? '', groups: [...(user?.groups ?? [])]}),
      only: {subjects},
    });
  }
  return terms;
}

function kindText({group, version, kind, subresource}: RequestContext): string {
  return `${group === '' ? '' : `${group}/`}${version}/${kind}${subresource === '' ? '' : `/${subresource}`}`;
}
