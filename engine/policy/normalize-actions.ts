import {isObject, type Json, type JsonObject, own} from '../json/types.js';
import {child, has, without} from './access.js';
import {at, type Faults} from './faults.js';

const aliases: ReadonlyArray<readonly [string, string]> = [
  ['validation', 'validate'],
  ['mutation', 'mutate'],
  ['generation', 'generate'],
];

/** `validation:` and its like → the current key; both in one rule are refused. */
export function normalizeAliases(rule: JsonObject, path: string, faults: Faults): JsonObject {
  let out = rule;
  for (const [alias, name] of aliases) {
    if (!has(rule, alias)) continue;
    if (has(rule, name)) {
      faults.error(
        'alias-conflict',
        at(path, alias),
        `${alias} and ${name} are the same section and cannot both be given`,
      );
      out = without(out, alias);
    } else {
      faults.compat(at(path, alias), `read as ${name}`);
      out = {...without(out, alias), [name]: own(rule, alias)!};
    }
  }
  return out;
}

/** `Audit` or `Enforce` whatever the spelling; other values stay for the shape check. */
export function normalizeAction(value: Json, path: string, faults: Faults): Json {
  if (typeof value !== 'string' || value === 'Audit' || value === 'Enforce') return value;
  const lower = value.toLowerCase();
  if (lower !== 'audit' && lower !== 'enforce') return value;
  const canonical = lower === 'audit' ? 'Audit' : 'Enforce';
  if (value === lower) {
    faults.warn(
      'action-case',
      path,
      'Validation failure actions enforce/audit are deprecated, use Enforce/Audit instead.',
    );
  } else {
    faults.compat(path, `read as ${canonical}`);
  }
  return canonical;
}

function actionAt(object: JsonObject, key: string, path: string, faults: Faults): JsonObject {
  const value = own(object, key);
  if (value === undefined) return object;
  const action = normalizeAction(value, at(path, key), faults);
  return action === value ? object : {...object, [key]: action};
}

function overridesAt(object: JsonObject, key: string, path: string, faults: Faults): JsonObject {
  const value = own(object, key);
  if (!Array.isArray(value)) return object;
  const items = value.map((item, index) =>
    isObject(item) ? actionAt(item, 'action', at(at(path, key), index), faults) : item,
  );
  return {...object, [key]: items};
}

export function normalizeSpecActions(spec: JsonObject, path: string, faults: Faults): JsonObject {
  const out = actionAt(spec, 'validationFailureAction', path, faults);
  return overridesAt(out, 'validationFailureActionOverrides', path, faults);
}

/** Spelling of failure actions, and mutate forms of the first releases. */
export function normalizeActions(rule: JsonObject, path: string, faults: Faults): JsonObject {
  const out = {...rule};
  const validate = child(rule, 'validate');
  if (validate) {
    const place = at(path, 'validate');
    out['validate'] = overridesAt(
      actionAt(validate, 'failureAction', place, faults),
      'failureActionOverrides',
      place,
      faults,
    );
  }
  const images = own(rule, 'verifyImages');
  if (Array.isArray(images)) {
    out['verifyImages'] = images.map((item, index) =>
      isObject(item) ? actionAt(item, 'failureAction', at(at(path, 'verifyImages'), index), faults) : item,
    );
  }
  const mutate = child(rule, 'mutate');
  if (mutate) out['mutate'] = normalizeMutate(mutate, at(path, 'mutate'), faults);
  return out;
}

function normalizeMutate(mutate: JsonObject, path: string, faults: Faults): JsonObject {
  let out = mutate;
  if (has(mutate, 'overlay') && !has(mutate, 'patchStrategicMerge')) {
    faults.compat(at(path, 'overlay'), 'read as patchStrategicMerge');
    out = {...without(out, 'overlay'), patchStrategicMerge: own(mutate, 'overlay')!};
  }
  const patches = own(mutate, 'patches');
  if (Array.isArray(patches) && !has(mutate, 'patchesJson6902')) {
    faults.compat(at(path, 'patches'), 'read as patchesJson6902');
    out = {...without(out, 'patches'), patchesJson6902: printPatches(patches)};
  }
  return out;
}

/** JSON text of a patch list; integers beyond the safe range keep their digits. */
function printPatches(value: Json): string {
  if (typeof value === 'bigint') return String(value);
  if (Array.isArray(value)) return `[${value.map(printPatches).join(',')}]`;
  if (isObject(value)) {
    return `{${Object.keys(value)
      .map(key => `${JSON.stringify(key)}:${printPatches(own(value, key)!)}`)
      .join(',')}}`;
  }
  return JSON.stringify(value);
}
