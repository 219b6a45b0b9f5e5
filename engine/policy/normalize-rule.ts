import type {JsonObject} from '../json/types.js';
import type {ResourceMap} from '../resource-map.js';
import type {Faults} from './faults.js';
import {normalizeActions, normalizeAliases} from './normalize-actions.js';
import {normalizeCleanup} from './normalize-cleanup.js';
import {normalizeGenerate} from './normalize-generate.js';
import {normalizeMatch} from './normalize-match.js';

/** One rule in its current form; the order of the steps is fixed, so that combined loose forms have one reading. */
export function normalizeRule(rule: JsonObject, path: string, resources: ResourceMap, faults: Faults): JsonObject {
  let out = normalizeAliases(rule, path, faults);
  out = normalizeMatch(out, path, faults);
  out = normalizeActions(out, path, faults);
  out = normalizeGenerate(out, path, resources, faults);
  return normalizeCleanup(out, path, resources, faults);
}
