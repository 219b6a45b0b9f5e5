import {isObject, type JsonObject, own} from '../json/types.js';
import type {ResourceMap} from '../resource-map.js';
import {child, has, text, without} from './access.js';
import {at, type Faults} from './faults.js';
import {fillApiVersion} from './normalize-generate.js';

/** Rule-level `cleanup.removeResources`: an internal clean-up, one task per entry. */
export function normalizeCleanup(rule: JsonObject, path: string, resources: ResourceMap, faults: Faults): JsonObject {
  const cleanup = child(rule, 'cleanup');
  if (!cleanup) return rule;
  const place = at(path, 'cleanup');
  const schedule = text(cleanup, 'schedule') ?? 'every 5 minutes';
  faults.compat(
    place,
    `read as a clean-up task (schedule: ${schedule}) for objects that also meet the rule's match and exclude`,
  );
  const entries = own(cleanup, 'removeResources');
  if (!Array.isArray(entries)) return rule;
  const removeResources = entries.map((entry, index) => {
    if (!isObject(entry)) return entry;
    const entryPath = at(at(place, 'removeResources'), index);
    return fillApiVersion(
      pluralNames(pluralNames(entry, 'name', 'names'), 'namespace', 'namespaces'),
      entryPath,
      resources,
      faults,
    );
  });
  return {...rule, cleanup: {...cleanup, removeResources}};
}

function pluralNames(entry: JsonObject, one: string, many: string): JsonObject {
  const value = own(entry, one);
  return typeof value === 'string' && !has(entry, many) ? {...without(entry, one), [many]: [value]} : entry;
}
