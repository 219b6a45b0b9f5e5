import {type Json, type JsonObject, own} from '../json/types.js';
import {parseKindSelector} from '../match/kind-selector.js';
import {hasWildcard} from '../values/glob.js';
import {findVariables} from '../variables/scan.js';
import {child, has, list, objects, sameJson, strings, text} from './access.js';
import {apiVersionOf} from './resolve-kind.js';
import type {Scope} from './check-scope.js';
import {checkSelector} from './checks-selector.js';
import {at, type Faults} from './faults.js';
import {filtersOf, hasDirect} from './filters.js';

const roleForm = /^[^:\s]+:[^\s]+$/;
/** Kinds that exist only as bodies of subresources. */
const subResourceKinds = new Set([
  'Scale',
  'Eviction',
  'TokenRequest',
  'PodExecOptions',
  'PodAttachOptions',
  'PodPortForwardOptions',
  'PodProxyOptions',
  'ServiceProxyOptions',
  'NodeProxyOptions',
]);
const duplicateHint =
  'name them under resources.kinds; when "resources" is written twice in one block, only the last one arrives';

/** Match and exclude of one rule. */
export function checkMatch(rule: JsonObject, path: string, scope: Scope): void {
  const match = child(rule, 'match');
  const exclude = child(rule, 'exclude');
  if (match) checkBlock(match, at(path, 'match'), scope);
  if (exclude) checkBlock(exclude, at(path, 'exclude'), scope);
  const matched = filtersOf(match, at(path, 'match'));
  if (matched.length === 0) {
    scope.faults.error('match-missing', at(path, 'match'), 'match resources not specified', {hint: duplicateHint});
    return;
  }
  for (const {filter, path: place} of matched) checkMatched(rule, filter, place, scope);
  checkEmptySet(rule, path, scope.faults);
}

function checkBlock(block: JsonObject, path: string, scope: Scope): void {
  const {faults} = scope;
  const any = list(block, 'any').length > 0;
  const all = list(block, 'all').length > 0;
  if (any && all) faults.error('any-and-all', path, "Can't specify any and all together");
  if ((any || all) && hasDirect(block)) {
    const name = path.endsWith('exclude') ? 'exclude' : 'match';
    faults.error('any-all-and-direct', path, `can't specify any/all together with ${name} resources`);
  }
  checkNoVariables(block, path, scope);
  for (const key of ['any', 'all']) {
    objects(block, key).forEach((filter, index) => {
      checkFilter(filter, at(at(path, key), index), scope);
    });
  }
  checkFilter(block, path, scope);
}

/** One filter of match or exclude, of a rule or an exception. */
export function checkFilter(filter: JsonObject, path: string, scope: Pick<Scope, 'faults'>): void {
  const {faults} = scope;
  const resources = child(filter, 'resources');
  const place = at(path, 'resources');
  if (has(resources, 'name') && has(resources, 'names')) {
    faults.error('name-and-names', place, 'Both name and names can not be specified together');
  }
  for (const key of ['selector', 'namespaceSelector']) {
    const selector = child(resources, key);
    if (selector) checkSelector(selector, at(place, key), faults);
  }
  strings(resources, 'kinds').forEach((kind, index) => {
    if (!parseKindSelector(kind) || kind === '')
      faults.error('kind-form', at(at(place, 'kinds'), index), `invalid kind ${JSON.stringify(kind)}`);
  });
  strings(filter, 'roles').forEach((role, index) => {
    if (!roleForm.test(role))
      faults.error(
        'role-form',
        at(at(path, 'roles'), index),
        `Role is expected to be in namespace:name format: ${JSON.stringify(role)}`,
      );
  });
  objects(filter, 'subjects').forEach((subject, index) => {
    checkSubject(subject, at(at(path, 'subjects'), index), faults);
  });
}

function checkSubject(subject: JsonObject, path: string, faults: Faults): void {
  const kind = text(subject, 'kind') ?? '';
  if (kind !== 'User' && kind !== 'Group' && kind !== 'ServiceAccount') {
    faults.error('subject-kind', at(path, 'kind'), "kind must be 'User', 'Group', or 'ServiceAccount'");
  }
  if (!text(subject, 'name')) faults.error('subject-name', at(path, 'name'), 'name is required');
  if (kind === 'ServiceAccount' && !text(subject, 'namespace')) {
    faults.error('subject-namespace', at(path, 'namespace'), 'namespace is required for a ServiceAccount');
  }
}

function checkNoVariables(block: JsonObject, path: string, {faults}: Scope): void {
  const visit = (value: Json, place: string): void => {
    if (typeof value === 'string') {
      if (findVariables(value).length > 0) {
        const section = path.endsWith('exclude') ? 'exclude section' : 'match section';
        faults.error('variable-in-match', place, `rule should not have variables in ${section}`, {expression: value});
      }
    } else if (Array.isArray(value))
      value.forEach((item, index) => {
        visit(item, at(place, index));
      });
    else if (value && typeof value === 'object')
      for (const [key, item] of Object.entries(value)) {
        visit(key, at(place, key));
        visit(item, at(place, key));
      }
  };
  visit(block, path);
}

/** What only the filters of `match` have to meet. */
function checkMatched(rule: JsonObject, filter: JsonObject, path: string, scope: Scope): void {
  const {faults} = scope;
  const resources = child(filter, 'resources');
  const place = at(path, 'resources');
  const kinds = strings(resources, 'kinds');
  if (kinds.length === 0) {
    faults.error(
      'kinds-missing',
      at(place, 'kinds'),
      'at least one element must be specified in a kind block, the kind attribute is mandatory when working with the resources element',
      {hint: duplicateHint},
    );
  }
  if (scope.namespaced && list(resources, 'namespaces').length > 0) {
    faults.error(
      'namespaces-in-policy',
      at(place, 'namespaces'),
      'Filtering namespaces not allowed in namespaced policies',
    );
  }
  kinds.forEach((kind, index) => {
    checkKind(rule, kind, at(at(place, 'kinds'), index), scope);
  });
  if (kinds.includes('*')) checkWildcardKind(rule, kinds, at(place, 'kinds'), scope);
}

function checkKind(
  rule: JsonObject,
  kind: string,
  path: string,
  {faults, resources, namespaced, background, unknownKinds}: Scope,
): void {
  const selector = parseKindSelector(kind);
  if (!selector) return;
  if (background && has(rule, 'validate') && (selector.subresource !== '' || subResourceKinds.has(selector.kind))) {
    faults.error('background-subresource', path, `background scan enabled with subresource ${kind}`, {
      hint: 'set spec.background: false',
    });
  }
  if (hasWildcard(selector.kind)) return;
  const found = resources
    .find(selector.kind)
    .filter(info => hasWildcard(selector.group) || info.group === selector.group)
    .filter(info => hasWildcard(selector.version) || info.version === selector.version);
  const subResource = selector.subresource;
  const known =
    subResource === '' || hasWildcard(subResource)
      ? found
      : found.filter(info => info.subResources.includes(subResource));
  if (known.length === 0) {
    const message = `the kind defined in the all match resource is invalid: unable to convert GVK to GVR for kinds ${kind}, err: no such kind in the cluster`;
    if (unknownKinds === 'refuse') faults.error('kind-unknown', path, message);
    else faults.warn('kind-unknown', path, message);
  } else if (namespaced && known.every(info => !info.namespaced)) {
    const seen = known.map(info => `${apiVersionOf(info)}/${info.kind}`).join(', ');
    faults.error('cluster-kind-in-policy', path, `Cluster wide resource '${kind}' not allowed in namespaced policy`, {
      hint: seen,
    });
  }
}

/** Kind `*`: only what every object has can be asked for. */
function checkWildcardKind(
  rule: JsonObject,
  kinds: readonly string[],
  path: string,
  {faults, background}: Scope,
): void {
  if (kinds.length > 1)
    faults.error('wildcard-kind-list', path, 'wildcard policy can not deal with more than one kind');
  const validate = child(rule, 'validate');
  const mutate = child(rule, 'mutate');
  const foreach = has(validate, 'foreach') || has(mutate, 'foreach');
  if (has(rule, 'generate') || has(rule, 'verifyImages') || foreach) {
    faults.error('wildcard-kind-rule', path, 'wildcard policy does not support rule type');
  }
  const bodies = [
    own(validate ?? {}, 'pattern'),
    ...list(validate, 'anyPattern'),
    own(mutate ?? {}, 'patchStrategicMerge'),
  ];
  if (bodies.some(reachesBeyondMetadata) || legacyKeysBeyondMetadata(validate)) {
    faults.error(
      'wildcard-kind-metadata',
      path,
      'policy can only deal with the metadata field of the resource if the rule does not match any kind',
    );
  }
  if (background) {
    faults.compat(
      path,
      'kind "*" is judged at admission; background scans cover only kinds that are watched anyway, and every request costs',
    );
  }
}

function reachesBeyondMetadata(body: Json | undefined): boolean {
  if (!body || typeof body !== 'object' || Array.isArray(body)) return false;
  return Object.keys(body).some(
    key => !['metadata', 'apiVersion', 'kind'].includes(key.replace(/^[+<=X^]?\((.*)\)$/, '$1')),
  );
}

function legacyKeysBeyondMetadata(validate: JsonObject | undefined): boolean {
  return objects(child(validate, 'deny'), 'conditions').some(condition => {
    const key = text(condition, 'key') ?? '';
    return /\brequest\.object\.(?!metadata\b|kind\b|apiVersion\b)/.test(key);
  });
}

const criteria = ['kinds', 'names', 'namespaces', 'operations'];

/** A rule whose exclude takes away everything that its match names. */
function checkEmptySet(rule: JsonObject, path: string, faults: Faults): void {
  const match = child(rule, 'match')!;
  const exclude = child(rule, 'exclude');
  if (!exclude) return;
  const matched = objects(match, 'any').slice(0, 1000);
  const excluded = objects(exclude, 'any').slice(0, 1000);
  const any = matched.some(filter => excluded.some(other => sameJson(filter, other)));
  if (any || (hasDirect(match) && hasDirect(exclude) && covers(exclude, match))) {
    faults.error('empty-match', path, 'Rule is matching an empty set');
  }
}

function covers(exclude: JsonObject, match: JsonObject): boolean {
  const included = (outer: readonly string[], inner: readonly string[]) =>
    inner.length > 0 && inner.every(item => outer.includes(item));
  for (const key of ['roles', 'clusterRoles']) {
    if (list(exclude, key).length > 0 && !included(strings(exclude, key), strings(match, key))) return false;
  }
  if (list(exclude, 'subjects').length > 0 && !sameJson(own(exclude, 'subjects'), own(match, 'subjects'))) return false;
  const outer = child(exclude, 'resources') ?? {};
  const inner = child(match, 'resources') ?? {};
  for (const key of criteria) {
    if (list(outer, key).length > 0 && !included(strings(outer, key), strings(inner, key))) return false;
  }
  return ['name', 'annotations', 'selector', 'namespaceSelector'].every(
    key => !has(outer, key) || sameJson(own(outer, key), own(inner, key)),
  );
}
