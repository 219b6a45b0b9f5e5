import {compileCelPolicy} from '../../engine/cel-policies/compile/compile-cel-policy.js';
import {loadCelPolicy} from '../../engine/cel-policies/load/load-cel-policy.js';
import {loadCleanupPolicy} from '../../engine/cleanup/load-cleanup-policy.js';
import {type Diagnostic, formatDiagnostic} from '../../engine/diagnostic.js';
import type {JsonObject} from '../../engine/json/types.js';
import {loadClassicPolicy} from '../../engine/policy/index.js';
import type {ResourceMap} from '../../engine/resource-map.js';
import {policyFamily} from '../files/policy-kinds.js';
import {sharedRegex} from '../offline/regex.js';
import {celNeeds} from './cel-rights.js';
import {classicNeeds} from './classic-rights.js';
import {cleanupNeeds, entryNeeds} from './cleanup-rights.js';
import {isEntry} from './load-subjects.js';
import type {Needs} from './right.js';

/** What an object needs, or why it cannot be told. */
export type Outcome = {readonly needs: Needs; readonly faults?: undefined} | {readonly needs?: undefined; readonly faults: readonly string[]};

export function needsOf(raw: JsonObject, resources: ResourceMap): Outcome {
  if (isEntry(raw)) {
    const needs = entryNeeds(raw);
    return needs.faults.length > 0 ? {faults: needs.faults} : {needs};
  }
  switch (policyFamily(raw)) {
    case 'classic': {
      const {policy, errors} = loadClassicPolicy(raw, {resources});
      return policy === undefined ? refused(errors) : {needs: classicNeeds(policy, resources)};
    }
    case 'cleanup': {
      const {policy, errors} = loadCleanupPolicy(raw, {resources});
      return policy === undefined ? refused(errors) : {needs: cleanupNeeds(policy, resources)};
    }
    case 'cel': {
      const {policy: source, errors} = loadCelPolicy(raw, {rulesOptional: true});
      if (source === undefined) return refused(errors);
      const {policy} = compileCelPolicy(source, {regex: sharedRegex(), resources, allowHttp: true, proxyModes: true});
      // What does not compile here (an image policy) still says what it is about.
      const constraints = policy === undefined ? [source.spec.matchConstraints] : policy.variants.map(variant => variant.constraints);
      return {needs: celNeeds(source, constraints, resources)};
    }
    default:
      return {faults: ['no policy']};
  }
}

function refused(errors: readonly Diagnostic[]): Outcome {
  return {faults: errors.map(formatDiagnostic)};
}
