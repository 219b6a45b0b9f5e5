import type {RequestContext} from '../context/request-context.js';
import type {RuleRun} from '../context/rule-run.js';
import type {FilterGroup, LabelSelector, ResourceFilter, Subject} from '../policy/model.js';
import type {AdmissionUser} from '../types.js';
import {compileGlob, compileGlobs} from '../values/glob.js';
import {compileKindSelector, parseKindSelector} from './kind-selector.js';
import {compileLabelSelector} from './label-selector.js';
import {namespaceLabels} from './namespace-labels.js';

/** Whether a request is selected. `run` is only touched by filters that need the labels of a namespace. */
export type Matcher = (context: RequestContext, run: RuleRun) => boolean;

export interface FilterOptions {
  /** What the filter belongs to: exclusions keep user blocks when there is no user, matches drop them. */
  readonly role: 'match' | 'exclude' | 'exception';
}

/** A test of the request alone: it never waits. */
export type QuickTest = (context: RequestContext) => boolean;

/**
 * Tells apart, before anything is set up for a rule, requests that `match` surely does not select: in a large set most
 * rules fall out here. True means "perhaps".
 */
export function compileQuickTest(group: FilterGroup): QuickTest {
  // Rules are found by kind; with one filter there is nothing left to ask about it.
  const [sole, second] = group.filters;
  const filters = sole !== undefined && second === undefined ? [{...sole, kinds: []}] : group.filters;
  const tests = filters.map(filter => allOf(quickTests(filter, {role: 'match'})));
  const [first] = tests;
  if (first === undefined) return () => false;
  if (tests.length === 1) return first;
  return group.mode === 'any' ? context => tests.some(test => test(context)) : allOf(tests);
}

function allOf(tests: readonly QuickTest[]): QuickTest {
  const [first, second] = tests;
  if (first === undefined) return () => true;
  if (second === undefined) return first;
  return context => {
    for (const test of tests) if (!test(context)) return false;
    return true;
  };
}

/** Compiles `match`, `exclude` or an exception's `match`. An absent group selects nothing. */
export function compileFilterGroup(group: FilterGroup, options: FilterOptions): Matcher {
  const matchers = group.filters.map(filter => compileFilter(filter, options));
  const [first] = matchers;
  if (first === undefined) return () => false;
  if (matchers.length === 1) return first;
  return group.mode === 'any'
    ? (context, run) => matchers.some(matcher => matcher(context, run))
    : (context, run) => matchers.every(matcher => matcher(context, run));
}

/** Cheapest and most selective test first; an absent list means "no restriction". */
export function compileFilter(filter: ResourceFilter, options: FilterOptions): Matcher {
  const resource = resourceTests(filter, options);
  const user = userTests(filter);
  if (resource.length === 0 && user.length === 0) return () => false;
  return (context, run) => {
    for (const test of resource) if (!test(context, run)) return false;
    if (user.length === 0) return true;
    const requester = context.request.user;
    if (requester === undefined && options.role === 'match') return resource.length > 0;
    for (const test of user) if (!test(requester ?? nobody)) return false;
    return true;
  };
}

const nobody: AdmissionUser = {username: '', groups: [], roles: [], clusterRoles: []};

function resourceTests(filter: ResourceFilter, options: FilterOptions): Matcher[] {
  const tests: Matcher[] = [...quickTests(filter, options)];
  if (filter.namespaceSelector !== undefined) tests.push(namespaceTest(filter.namespaceSelector, options));
  return tests;
}

function quickTests(filter: ResourceFilter, options: FilterOptions): QuickTest[] {
  const tests: QuickTest[] = [];
  const {operations} = filter;
  if (operations.length > 0 && options.role !== 'exception') {
    const wanted = new Set<string>(operations);
    tests.push(context => wanted.has(context.request.operation));
  }
  if (filter.kinds.length > 0) {
    const kinds = filter.kinds.flatMap(text => {
      const selector = parseKindSelector(text);
      return selector === undefined ? [] : [compileKindSelector(selector)];
    });
    const [only] = kinds;
    tests.push(kinds.length === 1 && only !== undefined ? only : context => kinds.some(kind => kind(context)));
  }
  if (filter.namespaces.length > 0) {
    const namespace = compileGlobs(filter.namespaces);
    tests.push(context => namespace(context.matchNamespace));
  }
  if (filter.names.length > 0) {
    const name = compileGlobs(filter.names);
    tests.push(context => name(context.name));
  }
  if (filter.annotations !== undefined) tests.push(annotationTest(filter.annotations));
  if (filter.selector !== undefined) {
    const selector = compileLabelSelector(filter.selector);
    tests.push(context => selector(context.labels));
  }
  return tests;
}

function annotationTest(annotations: Readonly<Record<string, string>>): QuickTest {
  const wanted = Object.entries(annotations).map(([key, value]) => ({key: compileGlob(key), value: compileGlob(value)}));
  return context => {
    const actual = Object.entries(context.annotations);
    return wanted.every(({key, value}) => actual.some(([name, text]) => key(name) && value(text)));
  };
}

const noLabels: Readonly<Record<string, string>> = Object.freeze({});

function namespaceTest(namespaceSelector: LabelSelector, options: FilterOptions): Matcher {
  const selector = compileLabelSelector(namespaceSelector);
  return (context, run) => {
    // A Namespace object has no namespace whose labels could select it; exceptions ignore the selector for it.
    if (context.isNamespace) return options.role === 'exception';
    // Cluster-scoped objects have no namespace, hence none of its labels.
    if (context.request.namespace === '') return selector(noLabels);
    return selector(namespaceLabels(context.request.namespace, run));
  };
}

type UserTest = (user: AdmissionUser) => boolean;

function userTests(filter: ResourceFilter): UserTest[] {
  const tests: UserTest[] = [];
  if (filter.roles.length > 0) {
    const roles = new Set(filter.roles);
    tests.push(user => user.roles.some(role => roles.has(role)));
  }
  if (filter.clusterRoles.length > 0) {
    const roles = new Set(filter.clusterRoles);
    tests.push(user => user.clusterRoles.some(role => roles.has(role)));
  }
  if (filter.subjects.length > 0) {
    const subjects = filter.subjects.map(subjectTest);
    tests.push(user => subjects.some(test => test(user)));
  }
  return tests;
}

function subjectTest(subject: Subject): UserTest {
  switch (subject.kind) {
    case 'User': {
      const name = compileGlob(subject.name);
      return user => name(user.username);
    }
    case 'Group': {
      const name = compileGlob(subject.name);
      return user => user.groups.some(name);
    }
    case 'ServiceAccount': {
      const name = compileGlob(`system:serviceaccount:${subject.namespace ?? ''}:${subject.name}`);
      return user => name(user.username);
    }
    default:
      return () => false;
  }
}
