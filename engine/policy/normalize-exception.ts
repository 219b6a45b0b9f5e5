import {isObject, type Json, type JsonObject, own} from '../json/types.js';
import {child, has, list, text, without} from './access.js';
import {at, type Faults, shown} from './faults.js';
import {normalizeMatch} from './normalize-match.js';

/** The old shape (`spec.rules[].name`, a direct `match.resources`) → `exceptions` and `match.any`. */
export function normalizeException(spec: JsonObject, faults: Faults): JsonObject {
  let out = normalizeRules(spec, faults);
  out = normalizeMatch(out, 'spec', faults);
  return normalizeDirectMatch(out);
}

function normalizeRules(spec: JsonObject, faults: Faults): JsonObject {
  const rules = own(spec, 'rules');
  if (!Array.isArray(rules)) return spec;
  const path = 'spec.rules';
  if (has(spec, 'exceptions')) {
    faults.error('alias-conflict', path, 'rules is the old form of exceptions and cannot stand beside it');
    return without(spec, 'rules');
  }
  const policies = [...(text(spec, 'policyName') ? [text(spec, 'policyName')!] : []), ...policyNames(spec)];
  const entries = rules.flatMap((rule, index) => entriesOf(rule, policies, at(path, index), faults));
  const where = entries.some(entry => entry['policyName'] === '*') ? ' in any policy' : '';
  faults.compat(path, `read as exceptions for the rules of these names and their derived rules${where}`);
  return {...without(spec, 'rules', 'policyName', 'policies'), exceptions: entries};
}

function policyNames(spec: JsonObject): readonly string[] {
  return list(spec, 'policies').flatMap(item => {
    if (typeof item === 'string') return [item];
    const name = isObject(item) ? (text(item, 'name') ?? text(item, 'policyName')) : undefined;
    return name ? [name] : [];
  });
}

function entriesOf(rule: Json, policies: readonly string[], path: string, faults: Faults): readonly JsonObject[] {
  if (!isObject(rule)) {
    faults.error('wrong-type', path, `expected an object, found ${shown(rule)}`);
    return [];
  }
  for (const key of Object.keys(without(rule, 'name', 'policy'))) {
    faults.error('unknown-field', at(path, key), `unknown field ${shown(key)}`);
  }
  const name = text(rule, 'name') ?? '';
  if (name === '') {
    faults.error('rule-names', at(path, 'name'), 'name is required');
    return [];
  }
  const own = text(rule, 'policy');
  const names = own ? [own] : policies.length > 0 ? policies : ['*'];
  const ruleNames = [name, `autogen-${name}`.slice(0, 63), `autogen-cronjob-${name}`.slice(0, 63)];
  return names.map(policyName => ({policyName, ruleNames}));
}

const directFields = ['resources', 'roles', 'clusterRoles', 'subjects'];

/** A direct match block becomes the only filter of `any`. */
function normalizeDirectMatch(spec: JsonObject): JsonObject {
  const match = child(spec, 'match');
  if (!match || !directFields.some(field => has(match, field)) || has(match, 'any') || has(match, 'all')) return spec;
  return {
    ...spec,
    match: {
      ...without(match, ...directFields),
      any: [
        Object.fromEntries(directFields.filter(field => has(match, field)).map(field => [field, own(match, field)!])),
      ],
    },
  };
}
