import {isObject, type Json, type JsonObject, own} from '../json/types.js';
import {child, flag, has, list, objects, text} from './access.js';
import type {Scope} from './check-scope.js';
import {checkCel} from './checks-cel.js';
import {checkConditions} from './checks-conditions.js';
import {checkContext} from './checks-context.js';
import {bareKey, checkStringMetadata} from './checks-metadata.js';
import {checkOverrides} from './checks-overrides.js';
import {checkPodSecurityExclude} from './checks-pod-security.js';
import {checkAttestorSets} from './checks-verify-images.js';
import {at, type Faults, shown} from './faults.js';

/** The forms a validation can have; `assert` counts only alone. */
const checkFields = ['pattern', 'anyPattern', 'deny', 'foreach', 'podSecurity', 'cel', 'manifests'] as const;
const elementFields = ['pattern', 'anyPattern', 'deny', 'foreach'] as const;

export function checkValidate(rule: JsonObject, path: string, scope: Scope): void {
  const {faults} = scope;
  const validate = child(rule, 'validate')!;
  const place = at(path, 'validate');
  const given = checkFields.filter(key => has(validate, key));
  const text = 'one of pattern, anyPattern, deny, foreach, cel must be specified';
  if (given.length > 1) faults.error('validate-check', place, `only ${text}`, {hint: `given: ${given.join(', ')}`});
  if (given.length === 0 && !has(validate, 'assert')) {
    faults.error('validate-check', place, text, {hint: 'podSecurity, manifests and assert are possible too'});
  }
  if (given.length === 0 && has(validate, 'assert')) checkAssert(own(validate, 'assert')!, at(place, 'assert'), faults);
  checkOverridesOf(validate, place, scope);
  checkBodies(validate, place, scope);
  const podSecurity = child(validate, 'podSecurity');
  // Field errors of pod security carry their place without "validate"; scripts look for it in that form.
  if (podSecurity) checkPodSecurity(podSecurity, at(path, 'podSecurity'), scope);
  const cel = child(validate, 'cel');
  if (cel) checkCel(rule, cel, at(place, 'cel'), scope);
  const manifests = child(validate, 'manifests');
  if (manifests) checkManifests(manifests, at(place, 'manifests'), faults);
}

function checkManifests(manifests: JsonObject, path: string, faults: Faults): void {
  const sets = objects(manifests, 'attestors');
  if (sets.length === 0) faults.error('attestor-entry', at(path, 'attestors'), 'An entry is required');
  checkAttestorSets(sets, at(path, 'attestors'), 'Cosign', faults);
  if (flag(child(manifests, 'dryRun'), 'enable') === true) {
    faults.warn(
      'manifests-dry-run',
      at(path, 'dryRun'),
      'objects are compared without a dry run: what the API server fills in is known, list other fields under ignoreFields',
    );
  }
}

/** A tree that asks for nothing would pass everything. */
function checkAssert(tree: Json, path: string, faults: Faults): void {
  if (isObject(tree) && Object.keys(tree).length > 0) return;
  faults.error(
    'assert-form',
    path,
    `expected a map that asks for something, found ${isObject(tree) ? 'an empty map' : shown(tree)}`,
  );
}

function checkOverridesOf(validate: JsonObject, path: string, scope: Scope): void {
  const overrides = objects(validate, 'failureActionOverrides');
  if (overrides.length === 0) return;
  const place = at(path, 'failureActionOverrides');
  if (scope.namespaced) {
    scope.faults.error(
      'overrides-namespaced',
      place,
      'Use of failureActionOverrides is supported only with ClusterPolicy',
    );
  }
  checkOverrides(overrides, place, scope);
}

function checkBodies(block: JsonObject, path: string, scope: Scope): void {
  const {faults} = scope;
  if (has(block, 'pattern')) checkPattern(own(block, 'pattern')!, at(path, 'pattern'), faults);
  if (has(block, 'anyPattern')) checkAnyPattern(own(block, 'anyPattern')!, at(path, 'anyPattern'), faults);
  const deny = child(block, 'deny');
  if (deny) checkConditions(own(deny, 'conditions'), at(at(path, 'deny'), 'conditions'), faults);
  objects(block, 'foreach').forEach((entry, index) => {
    checkForeach(entry, at(at(path, 'foreach'), index), scope);
  });
  if (has(block, 'foreach') && list(block, 'foreach').length === 0) {
    faults.error('foreach-empty', at(path, 'foreach'), 'foreach needs at least one entry');
  }
}

function checkForeach(entry: JsonObject, path: string, scope: Scope): void {
  const {faults} = scope;
  if (!text(entry, 'list')) faults.error('foreach-list', at(path, 'list'), 'foreach.list is required');
  checkContext(objects(entry, 'context'), at(path, 'context'), scope);
  checkConditions(own(entry, 'preconditions'), at(path, 'preconditions'), faults);
  const given = elementFields.filter(key => has(entry, key));
  if (given.length !== 1) {
    faults.error('foreach-check', path, 'one of pattern, anyPattern, deny, or a nested foreach must be specified', {
      hint: given.length === 0 ? 'none is given' : `given: ${given.join(', ')}`,
    });
  }
  checkBodies(entry, path, scope);
}

function checkAnyPattern(patterns: Json, path: string, faults: Faults): void {
  if (typeof patterns === 'string') return;
  if (!Array.isArray(patterns)) {
    faults.error('any-pattern', path, `anyPattern: expected a list of patterns, found ${shown(patterns)}`);
    return;
  }
  if (patterns.length === 0) faults.error('any-pattern', path, 'anyPattern needs at least one pattern');
  patterns.forEach((pattern, index) => {
    checkPattern(pattern, at(path, index), faults);
  });
}

function checkPattern(pattern: Json, path: string, faults: Faults): void {
  if (isObject(pattern)) checkStringMetadata(pattern, path, faults);
  checkAnchors(pattern, path, faults);
}

function checkAnchors(node: Json, path: string, faults: Faults): void {
  if (Array.isArray(node)) {
    node.forEach((item, index) => {
      checkAnchors(item, at(path, index), faults);
    });
    return;
  }
  if (!isObject(node)) return;
  for (const key of Object.keys(node)) {
    const value = own(node, key)!;
    const place = at(path, key);
    if (/^\+\(.*\)$/.test(key)) faults.error('anchor-unsupported', place, `unsupported anchor ${key}`);
    if (/^\^\(.*\)$/.test(key) && !Array.isArray(value)) {
      faults.error('anchor-existence', place, `existence anchor should have value of type list: ${bareKey(key)}`);
    }
    checkAnchors(value, place, faults);
  }
}

const podSecurityVersion = /^(v1\.\d{1,3}|latest)$/;

function checkPodSecurity(podSecurity: JsonObject, path: string, {faults}: Scope): void {
  const level = text(podSecurity, 'level');
  if (level === undefined)
    faults.error('pod-security-level', at(path, 'level'), 'level is required', {
      hint: 'privileged, baseline or restricted',
    });
  const version = text(podSecurity, 'version');
  if (version !== undefined && version !== '' && !podSecurityVersion.test(version)) {
    faults.error(
      'pod-security-version',
      at(path, 'version'),
      `invalid version ${JSON.stringify(version.slice(0, 80))}`,
      {hint: 'v1.<minor> or latest'},
    );
  }
  objects(podSecurity, 'exclude').forEach((exclude, index) => {
    checkPodSecurityExclude(exclude, at(at(path, 'exclude'), index), level, faults);
  });
}
