import {parseKindSelector} from '../match/kind-selector.js';
import type {ClassicRule, FilterGroup, LabelSelector, ResourceFilter, Subject} from '../policy/model.js';
import type {ResourceMap} from '../resource-map.js';
import {hasWildcard} from '../values/glob.js';
import {all, always, any, globTest, not, one, optionalField, quoted, relation, type Test, Unconvertible} from './code.js';

export interface MatchOptions {
  readonly resources: ResourceMap;
  /** The plural of a kind that is not among `resources`. */
  readonly guessPlural: (kind: string) => string;
}

export interface ResourceRule {
  readonly apiGroups: readonly string[];
  readonly apiVersions: readonly string[];
  readonly operations: readonly string[];
  readonly resources: readonly string[];
}

/** The resources that kinds name; one entry per group and version. */
export function resourceRules(
  kinds: readonly string[],
  operations: readonly string[],
  path: string,
  options: MatchOptions,
): ResourceRule[] {
  const found = new Map<string, {group: string; version: string; resources: Set<string>}>();
  for (const kind of kinds) {
    for (const {group, version, resource} of resourcesOf(kind, path, options)) {
      const key = `${group}/${version}`;
      const entry = found.get(key) ?? {group, version, resources: new Set<string>()};
      entry.resources.add(resource);
      found.set(key, entry);
    }
  }
  return [...found.values()].map(({group, version, resources}) => ({
    apiGroups: [group],
    apiVersions: [version],
    operations: [...operations],
    resources: [...resources],
  }));
}

interface Named {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
}

function resourcesOf(kind: string, path: string, {resources, guessPlural}: MatchOptions): readonly Named[] {
  const selector = parseKindSelector(kind);
  if (selector === undefined) throw new Unconvertible(path, `the kind ${kind}`);
  const sub = selector.subresource === '' ? '' : `/${selector.subresource}`;
  if (selector.kind === '*') return [{group: selector.group, version: selector.version, resource: `*${sub}`}];
  if (hasWildcard(selector.kind)) throw new Unconvertible(path, `the kind ${kind}: CEL policies name resources in full`);
  const known = resources.find(selector.kind);
  const isSelected = (pattern: string, text: string) => pattern === '*' || pattern === text;
  if (selector.group !== '*' && hasWildcard(selector.group)) throw new Unconvertible(path, `the kind ${kind}: CEL policies name groups in full`);
  const groups = selector.group === '*' ? [...new Set(known.filter(info => isSelected(selector.version, info.version)).map(({group}) => group))] : [selector.group];
  if (groups.length === 0 && selector.group === '*') {
    if (selector.version === '*') throw new Unconvertible(path, `the kind ${kind} is not known; write it as group/version/Kind`);
    return [{group: '*', version: selector.version, resource: `${guessPlural(selector.kind)}${sub}`}];
  }
  return groups.map(group => {
    const plural = known.find(info => info.group === group)?.resource ?? guessPlural(selector.kind);
    const version = selector.version === '*' && group === '' ? 'v1' : selector.version;
    return {group, version, resource: `${plural}${sub}`};
  });
}

/** Kinds of all filters of a rule's match block. */
export function kindsOf({match}: ClassicRule): readonly string[] {
  return [...new Set(match.filters.flatMap(({kinds}) => kinds))];
}

export interface ApplyOptions {
  /** Ask for the kind, since other rules of the policy select others. */
  readonly kinds: boolean;
}

/** Whether a rule's match and exclude blocks select the request. */
export function appliesTest(rule: ClassicRule, {kinds}: ApplyOptions): Test {
  const sameKinds = new Set(rule.match.filters.map(filter => [...filter.kinds].sort().join(' '))).size <= 1;
  const matched = groupTest(rule.match, {path: `${rule.path}.match`, kinds: kinds || !sameKinds});
  if (rule.exclude === undefined) return matched;
  const own = kindsOf(rule).join(' ');
  const path = `${rule.path}.exclude`;
  const excluded = groupTest(rule.exclude, {path, kinds: true, known: own});
  return all(matched, not(excluded));
}

interface GroupOptions {
  readonly path: string;
  readonly kinds: boolean;
  /** Kinds that need not be asked for. */
  readonly known?: string;
}

function groupTest({mode, filters}: FilterGroup, options: GroupOptions): Test {
  const tests = filters.map((filter, index) => filterTest(filter, {...options, path: `${options.path}.${mode}[${index}]`}));
  return mode === 'any' ? any(...tests) : all(...tests);
}

function filterTest(filter: ResourceFilter, {path, kinds, known}: GroupOptions): Test {
  if (filter.roles.length > 0) throw new Unconvertible(`${path}.roles`, 'requests do not tell the roles of who asks');
  if (filter.clusterRoles.length > 0) throw new Unconvertible(`${path}.clusterRoles`, 'requests do not tell the cluster roles of who asks');
  const asksKinds = kinds && filter.kinds.length > 0 && filter.kinds.join(' ') !== known;
  return all(
    asksKinds ? kindsTest(filter.kinds, path) : always,
    filter.operations.length > 0 ? relation(`request.operation in [${filter.operations.map(quoted).join(', ')}]`) : always,
    textTest('object.metadata.?name.orValue(\'\')', filter.names),
    textTest("request.?namespace.orValue('')", filter.namespaces),
    ...Object.entries(filter.annotations ?? {}).map(([key, value]) => tagTest('object.metadata.?annotations', key, value)),
    selectorTest(filter.selector, 'object.metadata.?labels'),
    filter.namespaceSelector === undefined ? always : selectorTest(filter.namespaceSelector, 'namespaceObject.metadata.?labels'),
    filter.subjects.length === 0 ? always : any(...filter.subjects.map(subjectTest)),
  );
}

function kindsTest(kinds: readonly string[], path: string): Test {
  if (kinds.includes('*')) return always;
  const names: string[] = [];
  const tests: Test[] = [];
  for (const text of kinds) {
    const selector = parseKindSelector(text);
    if (selector === undefined) throw new Unconvertible(path, `the kind ${text}`);
    const {group, version, kind, subresource} = selector;
    if (group === '*' && version === '*' && subresource === '' && !hasWildcard(kind)) {
      names.push(kind);
      continue;
    }
    if (hasWildcard(kind) || (group !== '*' && hasWildcard(group))) throw new Unconvertible(path, `the kind ${text}`);
    tests.push(
      all(
        relation(`request.kind.kind == ${quoted(kind)}`),
        group === '*' ? always : relation(`request.kind.group == ${quoted(group)}`),
        version === '*' ? always : relation(`request.kind.version == ${quoted(version)}`),
        subresource === '' ? always : relation(`request.?subResource.orValue('') == ${quoted(subresource)}`),
      ),
    );
  }
  const [only] = names;
  if (names.length === 1) tests.unshift(relation(`request.kind.kind == ${quoted(only!)}`));
  else if (names.length > 1) tests.unshift(relation(`request.kind.kind in [${names.map(quoted).join(', ')}]`));
  return any(...tests);
}

function textTest(text: string, patterns: readonly string[]): Test {
  if (patterns.length === 0) return always;
  const exact = patterns.filter(pattern => !hasWildcard(pattern));
  const globs = patterns.filter(hasWildcard).map(pattern => globTest(text, pattern));
  if (exact.length === 0) return any(...globs);
  const listed = exact.length === 1 ? relation(`${text} == ${quoted(exact[0]!)}`) : relation(`${text} in [${exact.map(quoted).join(', ')}]`);
  return any(listed, ...globs);
}

/** A label or annotation; keys and values may have wildcards. */
function tagTest(tags: string, key: string, value: string): Test {
  if (hasWildcard(key)) {
    const map = `${tags}.orValue({})`;
    return one(`${map}.exists(key, ${all(globTest('key', key), globTest(`${map}[key]`, value)).text})`);
  }
  const held = `${optionalField(tags, key)}`;
  if (value === '*') return one(`${held}.hasValue()`);
  return hasWildcard(value)
    ? all(one(`${held}.hasValue()`), globTest(`string(${held}.orValue(''))`, value))
    : relation(`${held}.orValue(null) == ${quoted(value)}`);
}

function selectorTest(selector: LabelSelector | undefined, labels: string): Test {
  if (selector === undefined) return always;
  return all(
    ...Object.entries(selector.matchLabels ?? {}).map(([key, value]) => tagTest(labels, key, value)),
    ...(selector.matchExpressions ?? []).map(expression => expressionTest(expression, labels)),
  );
}

type LabelExpression = NonNullable<LabelSelector['matchExpressions']>[number];

function expressionTest({key, operator, values = []}: LabelExpression, labels: string): Test {
  const held = optionalField(labels, key);
  const listed = relation(`${held}.orValue(null) in [${values.map(quoted).join(', ')}]`);
  switch (operator) {
    case 'Exists':
      return one(`${held}.hasValue()`);
    case 'DoesNotExist':
      return one(`!${held}.hasValue()`);
    case 'In':
      return listed;
    case 'NotIn':
      return not(listed);
  }
}

function subjectTest({kind, name, namespace}: Subject): Test {
  const user = "request.userInfo.?username.orValue('')";
  switch (kind) {
    case 'Group':
      return hasWildcard(name)
        ? one(`request.userInfo.?groups.orValue([]).exists(group, ${globTest('group', name).text})`)
        : relation(`${quoted(name)} in request.userInfo.?groups.orValue([])`);
    case 'ServiceAccount':
      return globTest(user, `system:serviceaccount:${namespace ?? ''}:${name}`);
    default:
      return globTest(user, name);
  }
}
