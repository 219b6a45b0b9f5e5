import {isObject, type Json, type JsonObject, own, setOwn} from '../json/types.js';
import {child, has, objects, without} from './access.js';
import {at, type Faults} from './faults.js';

/** Loose forms inside `match` and `exclude` → their current place. Wrong types stay as they are for the shape check. */
export function normalizeMatch(rule: JsonObject, path: string, faults: Faults): JsonObject {
  const out = {...rule};
  const excluded: JsonObject[] = [];
  for (const key of ['match', 'exclude']) {
    const block = child(rule, key);
    if (block) out[key] = normalizeBlock(block, at(path, key), faults, key === 'match' ? excluded : undefined);
  }
  return excluded.length > 0 ? addExclusions(out, excluded, path, faults) : out;
}

function normalizeBlock(
  block: JsonObject,
  path: string,
  faults: Faults,
  excluded: JsonObject[] | undefined,
): JsonObject {
  let out = normalizeFilter(block, path, faults, excluded);
  for (const key of ['any', 'all']) {
    const filters = own(out, key);
    if (!Array.isArray(filters)) continue;
    const list = filters.map((filter, index) =>
      isObject(filter) ? normalizeFilter(filter, at(at(path, key), index), faults, excluded) : filter,
    );
    out = {...out, [key]: list};
  }
  return out;
}

function normalizeFilter(
  filter: JsonObject,
  path: string,
  faults: Faults,
  excluded: JsonObject[] | undefined,
): JsonObject {
  let out = filter;
  if (has(filter, 'operations')) out = moveOperations(out, path, faults);
  const resources = child(out, 'resources');
  if (!resources) return out;
  return {...out, resources: normalizeResources(resources, at(path, 'resources'), faults, excluded)};
}

function moveOperations(filter: JsonObject, path: string, faults: Faults): JsonObject {
  const outer = own(filter, 'operations')!;
  const resources = own(filter, 'resources') ?? {};
  if (!isObject(resources)) return filter;
  const inner = own(resources, 'operations') ?? undefined;
  const place = at(path, 'operations');
  faults.compat(place, `read as ${path}.resources.operations; all criteria of one block must hold together`);
  let operations: Json = outer;
  if (Array.isArray(inner) && Array.isArray(outer)) {
    const upper = (value: Json) => (typeof value === 'string' ? value.toUpperCase() : value);
    const allowed = new Set(inner.map(upper));
    operations = outer.filter(item => allowed.has(upper(item)));
    if (operations.length === 0) {
      faults.error('operations-disjoint', place, 'operations and resources.operations have no operation in common');
    }
  }
  return {...without(filter, 'operations'), resources: {...resources, operations}};
}

function normalizeResources(
  resources: JsonObject,
  path: string,
  faults: Faults,
  excluded: JsonObject[] | undefined,
): JsonObject {
  let out = resources;
  if (has(out, 'labels')) out = moveLabels(out, path, faults);
  if (excluded && isObject(own(out, 'excludeResources'))) {
    const place = at(path, 'excludeResources');
    faults.compat(place, 'read as an exclusion of the rule (exclude.resources)');
    excluded.push(normalizeResources(child(out, 'excludeResources')!, place, faults, undefined));
    out = without(out, 'excludeResources');
  }
  if (typeof own(out, 'name') === 'string' && !has(out, 'names')) {
    out = {...without(out, 'name'), names: [own(out, 'name')!]};
  }
  return upperOperations(out, path, faults);
}

function moveLabels(resources: JsonObject, path: string, faults: Faults): JsonObject {
  const labels = own(resources, 'labels')!;
  const selector = own(resources, 'selector') ?? {};
  if (!isObject(labels) || !isObject(selector)) return resources;
  const place = at(path, 'labels');
  faults.compat(place, `read as ${path}.selector.matchLabels`);
  const merged: JsonObject = {...child(selector, 'matchLabels')};
  for (const key of Object.keys(labels)) {
    const value = own(labels, key)!;
    const present = own(merged, key);
    if (present !== undefined && present !== value) {
      faults.error('labels-conflict', at(place, key), 'selector.matchLabels asks for another value of this label');
    }
    setOwn(merged, key, value);
  }
  return {...without(resources, 'labels'), selector: {...selector, matchLabels: merged}};
}

function upperOperations(resources: JsonObject, path: string, faults: Faults): JsonObject {
  const operations = own(resources, 'operations');
  if (!Array.isArray(operations)) return resources;
  let changed = false;
  const upper = operations.map((item, index) => {
    if (typeof item !== 'string' || item === item.toUpperCase()) return item;
    changed = true;
    faults.compat(at(at(path, 'operations'), index), `read as ${item.toUpperCase()}`);
    return item.toUpperCase();
  });
  return changed ? {...resources, operations: upper} : resources;
}

/** `excludeResources` beside an exclude block: both exclude. */
function addExclusions(rule: JsonObject, excluded: readonly JsonObject[], path: string, faults: Faults): JsonObject {
  const extra = excluded.map(resources => ({resources}));
  const exclude = own(rule, 'exclude') ?? {};
  if (!isObject(exclude)) return rule;
  const all = objects(exclude, 'all');
  if (all.length > 1) {
    faults.error(
      'exclude-resources',
      `${path}.exclude.all`,
      'excludeResources cannot be joined with several exclude.all filters',
      {
        hint: 'write the exclusions as exclude.any',
      },
    );
    return rule;
  }
  const direct = without(exclude, 'any', 'all');
  const present = [...(Object.keys(direct).length > 0 ? [direct] : []), ...objects(exclude, 'any'), ...all];
  if (present.length === 0 && extra.length === 1) return {...rule, exclude: extra[0]!};
  return {...rule, exclude: {any: [...present, ...extra]}};
}
