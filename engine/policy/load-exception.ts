import {isObject, type JsonObject, own} from '../json/types.js';
import {child, flag, has, list, objects, strings, text, without} from './access.js';
import {buildFilterGroup, conditionsOf} from './build-match.js';
import {checkConditions} from './checks-conditions.js';
import {checkFilter} from './checks-match.js';
import {checkPodSecurityExclude} from './checks-pod-security.js';
import {at, Faults, shown} from './faults.js';
import {filtersOf, hasDirect} from './filters.js';
import {exceptionShape} from './known-fields.js';
import {isLoadable, readMetadata} from './load-policy.js';
import type {ClassicException, LoadResult} from './model.js';
import {normalizeException} from './normalize-exception.js';
import {readObject} from './shape.js';

const userFields = ['roles', 'clusterRoles', 'subjects'];

/**
 * A PolicyException (kyverno.io, any version) → its canonical form, or every fault with its path.
 * Both shapes are read: `exceptions` of today and `rules` of old (as entries for any policy). Never throws.
 */
export function loadException(raw: JsonObject): LoadResult<ClassicException> {
  const faults = new Faults();
  if (!isLoadable(raw, faults)) return {policy: undefined, errors: faults.errors, warnings: faults.warnings};
  const metadata = readMetadata(raw, faults);
  checkHead(raw, metadata, faults);
  const written = child(raw, 'spec');
  if (!written)
    faults.error(
      'spec-missing',
      'spec',
      has(raw, 'spec') ? `expected an object, found ${shown(own(raw, 'spec'))}` : 'spec is required',
    );
  const spec = written ? (readObject(normalizeException(written, faults), exceptionShape, 'spec', faults) ?? {}) : {};
  if (written) checkException(spec, faults);
  const policy = faults.errors.length > 0 ? undefined : buildException(raw, metadata, spec);
  return {policy, errors: faults.errors, warnings: faults.warnings};
}

function checkHead(raw: JsonObject, metadata: JsonObject, faults: Faults): void {
  if (text(raw, 'kind') !== 'PolicyException')
    faults.error('kind', 'kind', `expected PolicyException, found ${shown(own(raw, 'kind'))}`);
  if (!text(raw, 'apiVersion')?.startsWith('kyverno.io/')) {
    faults.error('api-version', 'apiVersion', `expected kyverno.io/v2, found ${shown(own(raw, 'apiVersion'))}`);
  }
  if (!text(metadata, 'name') && !text(metadata, 'generateName'))
    faults.error('name-missing', 'metadata.name', 'name is required');
  for (const key of Object.keys(without(raw, 'apiVersion', 'kind', 'metadata', 'spec', 'status'))) {
    faults.error('unknown-field', at('', key), `unknown field ${shown(key)}`);
  }
}

function checkException(spec: JsonObject, faults: Faults): void {
  checkEntries(spec, faults);
  checkMatch(spec, faults);
  checkConditions(own(spec, 'conditions'), 'spec.conditions', faults);
  objects(spec, 'podSecurity').forEach((exclude, index) => {
    checkPodSecurityExclude(exclude, at('spec.podSecurity', index), undefined, faults);
  });
}

function checkEntries(spec: JsonObject, faults: Faults): void {
  const entries = objects(spec, 'exceptions');
  if (entries.length === 0)
    faults.error('exceptions-empty', 'spec.exceptions', 'An exception requires at least one policy');
  entries.forEach((entry, index) => {
    const path = at('spec.exceptions', index);
    const name = text(entry, 'policyName') ?? '';
    if (name === '') faults.error('policy-name', at(path, 'policyName'), 'An exception requires a policy name');
    if (strings(entry, 'ruleNames').filter(rule => rule !== '').length === 0) {
      faults.error('rule-names', at(path, 'ruleNames'), 'An exception requires at least one rule name');
    }
  });
}

function checkMatch(spec: JsonObject, faults: Faults): void {
  const match = child(spec, 'match');
  if (!match) {
    if (objects(spec, 'exceptions').every(entry => text(entry, 'policyName') === '*')) {
      faults.error('match-missing', 'spec.match', 'an exception that names no policy needs a match');
    }
    return;
  }
  const any = list(match, 'any').length > 0;
  const all = list(match, 'all').length > 0;
  if (any && all) faults.error('any-and-all', 'spec.match', "Can't specify any and all together");
  if ((any || all) && hasDirect(match))
    faults.error('any-all-and-direct', 'spec.match', "can't specify any/all together with match resources");
  if (!any && !all && !hasDirect(match)) faults.error('match-missing', 'spec.match', 'match resources not specified');
  const background = flag(spec, 'background') ?? true;
  for (const key of ['any', 'all']) {
    objects(match, key).forEach((filter, index) => {
      checkFilter(filter, at(at('spec.match', key), index), {faults});
    });
  }
  for (const {filter, path} of filtersOf(match, 'spec.match')) {
    for (const field of userFields) {
      if (background && list(filter, field).length > 0) {
        faults.error('background-user-info', at(path, field), 'Usage of user info is forbidden', {
          hint: 'set spec.background: false',
        });
      }
    }
  }
}

function buildException(raw: JsonObject, metadata: JsonObject, spec: JsonObject): ClassicException {
  return {
    namespace: text(metadata, 'namespace') ?? '',
    name: text(metadata, 'name') ?? '',
    background: flag(spec, 'background') ?? true,
    match: buildFilterGroup(child(spec, 'match')),
    conditions: isObject(spec) ? conditionsOf(spec, 'conditions') : undefined,
    entries: objects(spec, 'exceptions').map(entry => ({
      policyName: text(entry, 'policyName') ?? '',
      ruleNames: strings(entry, 'ruleNames'),
    })),
    podSecurity: objects(spec, 'podSecurity'),
    raw,
  };
}
