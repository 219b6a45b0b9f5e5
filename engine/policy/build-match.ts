import {isObject, type Json, type JsonObject, own} from '../json/types.js';
import type {Operation} from '../types.js';
import {child, list, objects, stringMap, strings, text} from './access.js';
import {filterMode, filtersOf} from './filters.js';
import type {FilterGroup, LabelSelector, ResourceFilter, Subject} from './model.js';

/** A checked match or exclude block; `undefined` when it asks for nothing. */
export function buildFilterGroup(block: JsonObject | undefined): FilterGroup | undefined {
  if (!block) return undefined;
  const filters = filtersOf(block, '').map(({filter}) => buildFilter(filter));
  if (filters.length === 0) return undefined;
  return {mode: filterMode(block) === 'any' ? 'any' : 'all', filters};
}

function buildFilter(filter: JsonObject): ResourceFilter {
  const resources = child(filter, 'resources');
  const name = text(resources, 'name');
  return {
    kinds: strings(resources, 'kinds'),
    names: name === undefined || name === '' ? strings(resources, 'names') : [name],
    namespaces: strings(resources, 'namespaces'),
    annotations: nonEmpty(stringMap(resources, 'annotations')),
    selector: buildSelector(child(resources, 'selector')),
    namespaceSelector: buildSelector(child(resources, 'namespaceSelector')),
    operations: strings(resources, 'operations') as readonly Operation[],
    roles: strings(filter, 'roles'),
    clusterRoles: strings(filter, 'clusterRoles'),
    subjects: objects(filter, 'subjects').map(buildSubject),
  };
}

function buildSubject(subject: JsonObject): Subject {
  const namespace = text(subject, 'namespace');
  return {kind: text(subject, 'kind') ?? '', name: text(subject, 'name') ?? '', ...(namespace ? {namespace} : {})};
}

function nonEmpty(map: Readonly<Record<string, string>> | undefined): Readonly<Record<string, string>> | undefined {
  return map && Object.keys(map).length > 0 ? map : undefined;
}

export function buildSelector(selector: JsonObject | undefined): LabelSelector | undefined {
  if (!selector) return undefined;
  const matchLabels = stringMap(selector, 'matchLabels');
  const expressions = objects(selector, 'matchExpressions').map(expression => ({
    key: text(expression, 'key') ?? '',
    operator: text(expression, 'operator') as 'In' | 'NotIn' | 'Exists' | 'DoesNotExist',
    ...(list(expression, 'values').length > 0 ? {values: strings(expression, 'values')} : {}),
  }));
  return {...(matchLabels ? {matchLabels} : {}), ...(expressions.length > 0 ? {matchExpressions: expressions} : {})};
}

/** Conditions that ask for nothing count as absent. */
export function conditionsOf(object: JsonObject, key: string): Json | undefined {
  const value = own(object, key);
  if (value === undefined || value === null) return undefined;
  return isObject(value) && Object.keys(value).length === 0 ? undefined : value;
}
