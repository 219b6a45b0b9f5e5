import {parseSchedule} from '../cleanup/schedule.js';
import {isObject, type Json, type JsonObject, own} from '../json/types.js';
import {findVariables} from '../variables/scan.js';
import {child, has, list, objects, stringMap, strings, text} from './access.js';
import type {Scope} from './check-scope.js';
import {checkConditions} from './checks-conditions.js';
import {checkContext} from './checks-context.js';
import {checkSelector} from './checks-selector.js';
import {at, type Faults} from './faults.js';
import {kindOf} from './resolve-kind.js';

const anchor = /^[+<=X^]?\(.*\)$/;
const hasVariables = (value: string) => findVariables(value).length > 0;

export function checkGenerate(rule: JsonObject, path: string, scope: Scope): void {
  const {faults} = scope;
  const generate = child(rule, 'generate')!;
  const place = at(path, 'generate');
  const given = ['data', 'clone', 'cloneList', 'foreach'].filter(key => has(generate, key));
  if (given.length > 1) {
    faults.error(
      'generate-pattern',
      place,
      'only one of generate patterns(data, clone, cloneList and foreach) can be specified',
      {
        hint: `given: ${given.join(', ')}`,
      },
    );
  }
  if (!has(generate, 'foreach')) {
    checkTarget(generate, place, scope);
    return;
  }
  objects(generate, 'foreach').forEach((entry, index) => {
    const entryPath = at(at(place, 'foreach'), index);
    if (!text(entry, 'list')) faults.error('foreach-list', at(entryPath, 'list'), 'foreach.list is required');
    checkContext(objects(entry, 'context'), at(entryPath, 'context'), scope);
    checkConditions(own(entry, 'preconditions'), at(entryPath, 'preconditions'), faults);
    const patterns = ['data', 'clone', 'cloneList'].filter(key => has(entry, key));
    if (patterns.length > 1) {
      faults.error(
        'generate-pattern',
        entryPath,
        'only one of generate patterns(data, clone, cloneList and foreach) can be specified',
      );
    }
    checkTarget(entry, entryPath, scope);
  });
}

function checkTarget(target: JsonObject, path: string, scope: Scope): void {
  warnVariables(target, path, scope.faults);
  if (has(target, 'data')) checkNoAnchors(own(target, 'data')!, at(path, 'data'), scope.faults);
  if (has(target, 'cloneList')) {
    checkCloneList(target, path, scope);
    return;
  }
  for (const key of ['kind', 'name', 'apiVersion']) {
    if (!text(target, key)) scope.faults.error('generate-target', at(path, key), `${key} can not be empty`);
  }
  const clone = child(target, 'clone');
  if (clone && !text(clone, 'name'))
    scope.faults.error('generate-clone', at(at(path, 'clone'), 'name'), 'name can not be empty');
  checkScope(target, path, scope);
  if (scope.namespaced && clone) checkOwnNamespace(clone, at(path, 'clone'), scope);
}

function checkScope(target: JsonObject, path: string, scope: Scope): void {
  const {faults, resources, namespaced} = scope;
  const kind = text(target, 'kind') ?? '';
  const apiVersion = text(target, 'apiVersion') ?? '';
  if (kind === '' || apiVersion === '') return;
  const place = at(path, 'namespace');
  const namespace = text(target, 'namespace') ?? '';
  const info = hasVariables(kind) || hasVariables(apiVersion) ? undefined : kindOf(apiVersion, kind, resources);
  if (info && !info.namespaced) {
    if (namespace !== '')
      faults.error('target-scope', place, 'target namespace must not be set for a cluster-wide resource');
    else if (namespaced)
      faults.error('target-scope', at(path, 'kind'), 'a namespaced policy cannot generate cluster-wide resources');
    return;
  }
  if (info && namespace === '')
    faults.error('target-scope', place, 'target namespace must be set for a namespaced resource');
  if (!info && !hasVariables(kind) && !hasVariables(apiVersion)) {
    faults.warn('kind-unknown', at(path, 'kind'), `the cluster has no kind ${kind} in ${apiVersion}`);
  }
  if (namespaced && namespace !== '') checkOwnNamespace(target, path, scope);
}

function checkOwnNamespace(part: JsonObject, path: string, {faults, namespace}: Scope): void {
  const given = text(part, 'namespace') ?? '';
  if (namespace === '' || given === namespace) return;
  faults.error(
    'foreign-namespace',
    at(path, 'namespace'),
    `a namespaced policy cannot generate resources in other namespaces, expected: ${namespace}, received: ${given}`,
  );
}

function checkCloneList(target: JsonObject, path: string, scope: Scope): void {
  const {faults, namespaced, resources} = scope;
  const cloneList = child(target, 'cloneList')!;
  const place = at(path, 'cloneList');
  const kinds = strings(cloneList, 'kinds');
  if (kinds.length === 0) faults.error('clone-list-kinds', at(place, 'kinds'), 'kinds can not be empty');
  const scopes = new Set<boolean>();
  kinds.forEach((kind, index) => {
    const slash = kind.lastIndexOf('/');
    const info = hasVariables(kind)
      ? undefined
      : kindOf(kind.slice(0, Math.max(slash, 0)), kind.slice(slash + 1), resources);
    if (info) scopes.add(info.namespaced);
    else if (!hasVariables(kind))
      faults.warn('kind-unknown', at(at(place, 'kinds'), index), `the cluster has no kind ${kind}`);
  });
  const from = text(cloneList, 'namespace') ?? '';
  if (scopes.size > 1)
    faults.error('clone-list-scope', at(place, 'kinds'), 'mixed scope of target resources is forbidden');
  else if (scopes.has(true) && from === '') {
    faults.error(
      'clone-list-namespace',
      at(place, 'namespace'),
      'namespace is required for namespaced resources in cloneList',
    );
  } else if (scopes.has(false)) {
    if (from !== '')
      faults.error(
        'clone-list-namespace',
        at(place, 'namespace'),
        'namespace is forbidden for cluster-wide resources in cloneList',
      );
    if (namespaced)
      faults.error(
        'clone-list-scope',
        at(place, 'kinds'),
        'a namespaced policy cannot generate cluster-wide resources',
      );
  }
  if (scopes.has(true) && text(target, 'namespace') === undefined) {
    faults.error('target-scope', at(path, 'namespace'), 'target namespace must be set for a namespaced resource');
  }
  if (namespaced) {
    if (text(target, 'namespace')) checkOwnNamespace(target, path, scope);
    if (from !== '') checkOwnNamespace(cloneList, place, scope);
  }
  checkCloneSelector(child(cloneList, 'selector'), at(place, 'selector'), faults);
}

function checkCloneSelector(selector: JsonObject | undefined, path: string, faults: Faults): void {
  if (!selector) return;
  checkSelector(selector, path, faults);
  const labels = stringMap(selector, 'matchLabels') ?? {};
  for (const [key, value] of Object.entries(labels)) {
    if (/[*?]/.test(key) || /[*?]/.test(value)) {
      faults.error('clone-list-wildcard', at(at(path, 'matchLabels'), key), 'wildcard characters `*/?` not supported');
    }
  }
}

/** Variables where a later change of their value would leave the old copy behind. */
function warnVariables(target: JsonObject, path: string, faults: Faults): void {
  const warn = (value: string | undefined, place: string) => {
    if (value === undefined || !hasVariables(value)) return;
    faults.warn(
      'synchronization',
      place,
      `variables in ${place.slice(path.length + 1)} would lead to incorrect synchronization behavior`,
    );
  };
  for (const key of ['apiVersion', 'kind']) warn(text(target, key), at(path, key));
  const clone = child(target, 'clone');
  for (const key of ['name', 'namespace']) warn(text(clone, key), at(at(path, 'clone'), key));
  const cloneList = child(target, 'cloneList');
  warn(text(cloneList, 'namespace'), at(at(path, 'cloneList'), 'namespace'));
  strings(cloneList, 'kinds').forEach((kind, index) => {
    warn(kind, at(at(at(path, 'cloneList'), 'kinds'), index));
  });
}

function checkNoAnchors(value: Json, path: string, faults: Faults): void {
  if (Array.isArray(value)) {
    value.forEach((item, index) => {
      checkNoAnchors(item, at(path, index), faults);
    });
  } else if (isObject(value)) {
    for (const key of Object.keys(value)) {
      if (anchor.test(key))
        faults.error(
          'generate-anchor',
          at(path, key),
          `anchors not supported on generate resources: ${key.slice(0, 80)}`,
        );
      checkNoAnchors(own(value, key)!, at(path, key), faults);
    }
  }
}

/** Entries of the rule-level clean-up: never without kind and at least a selector, name or namespace. */
export function checkCleanup(rule: JsonObject, path: string, scope: Scope): void {
  const {faults, namespaced, namespace} = scope;
  const cleanup = child(rule, 'cleanup')!;
  const place = at(path, 'cleanup');
  const schedule = text(cleanup, 'schedule');
  if (schedule !== undefined && 'error' in parseSchedule(schedule)) {
    faults.error(
      'cleanup-schedule',
      at(place, 'schedule'),
      `schedule spec in the cleanup is not in proper cron format: ${JSON.stringify(schedule.slice(0, 80))}`,
    );
  }
  if (list(cleanup, 'removeResources').length === 0) {
    faults.error('cleanup-empty', at(place, 'removeResources'), 'at least one entry is required in removeResources');
  }
  objects(cleanup, 'removeResources').forEach((entry, index) => {
    const entryPath = at(at(place, 'removeResources'), index);
    if (!text(entry, 'kind')) faults.error('cleanup-kind', at(entryPath, 'kind'), 'kind can not be empty');
    else if (!text(entry, 'apiVersion'))
      faults.error('cleanup-kind', at(entryPath, 'apiVersion'), 'apiVersion can not be empty');
    const selector = child(entry, 'selector');
    if (selector) checkSelector(selector, at(entryPath, 'selector'), faults);
    if (!selector && list(entry, 'names').length === 0 && list(entry, 'namespaces').length === 0) {
      faults.error(
        'cleanup-unlimited',
        entryPath,
        'at least a selector, a name or a namespace is required: a kind alone would remove everything',
      );
    }
    if (namespaced && strings(entry, 'namespaces').some(name => namespace !== '' && name !== namespace)) {
      faults.error(
        'foreign-namespace',
        at(entryPath, 'namespaces'),
        'a namespaced policy cannot remove resources in other namespaces',
      );
    }
  });
}
