import {isNumber, isObject, type Json, type JsonObject, own, setOwn} from '../json/types.js';
import type {ResourceMap} from '../resource-map.js';
import {hasVariable} from '../variables/scan.js';
import {child, has, text, without} from './access.js';
import {at, type Faults} from './faults.js';
import {apiVersionFor} from './resolve-kind.js';

const objectKeys = ['data', 'binaryData', 'stringData', 'metadata', 'apiVersion', 'kind', 'type', 'immutable'];

/** `generate` without apiVersion, and the bare data map of a ConfigMap or Secret. */
export function normalizeGenerate(rule: JsonObject, path: string, resources: ResourceMap, faults: Faults): JsonObject {
  const generate = child(rule, 'generate');
  if (!generate) return rule;
  const place = at(path, 'generate');
  let out = normalizeTarget(generate, place, resources, faults);
  const entries = own(generate, 'foreach');
  if (Array.isArray(entries)) {
    const foreach = entries.map((entry, index) =>
      isObject(entry) ? normalizeTarget(entry, at(at(place, 'foreach'), index), resources, faults) : entry,
    );
    out = {...out, foreach};
  }
  noteSelfTarget(rule, out, place, faults);
  return {...rule, generate: out};
}

function normalizeTarget(target: JsonObject, path: string, resources: ResourceMap, faults: Faults): JsonObject {
  const withVersion = has(target, 'cloneList') ? target : fillApiVersion(target, path, resources, faults);
  return wrapData(withVersion, path, faults);
}

/** A kind without apiVersion gets the one it must mean; a doubtful one is refused with the choices. */
export function fillApiVersion(target: JsonObject, path: string, resources: ResourceMap, faults: Faults): JsonObject {
  const kind = text(target, 'kind');
  if (!kind || hasVariable(kind) || (own(target, 'apiVersion') ?? '') !== '') return target;
  const written = text(child(target, 'data'), 'apiVersion');
  const answer = written
    ? {type: 'found' as const, apiVersion: written}
    : apiVersionFor(kind.split('/')[0]!, resources);
  if (answer.type === 'found') {
    faults.compat(path, `kind ${kind} without apiVersion read as ${answer.apiVersion}`);
    return {...target, apiVersion: answer.apiVersion};
  }
  if (answer.type === 'ambiguous') {
    faults.error(
      'api-version-ambiguous',
      at(path, 'apiVersion'),
      `apiVersion can not be empty: kind ${kind} exists as ${answer.candidates.join(', ')}`,
    );
    return {...without(target, 'apiVersion'), apiVersion: answer.candidates[0]!};
  }
  return target;
}

function wrapData(target: JsonObject, path: string, faults: Faults): JsonObject {
  const kind = text(target, 'kind');
  if (kind !== 'ConfigMap' && kind !== 'Secret') return target;
  const data = own(target, 'data');
  const place = at(path, 'data');
  if (typeof data === 'string' && hasVariable(data)) {
    faults.compat(place, `a map that the variable yields is read as the ${kind}'s data unless it has an object's keys`);
    return target;
  }
  if (!isObject(data) || Object.keys(data).length === 0 || objectKeys.some(key => Object.hasOwn(data, key)))
    return target;
  if (!Object.keys(data).every(key => isScalar(own(data, key)!))) {
    faults.warn('data-not-an-object', place, `none of the fields is one of a ${kind}; the API server will drop them`);
    return target;
  }
  const inner: JsonObject = {};
  for (const key of Object.keys(data)) setOwn(inner, key, scalarText(own(data, key)!));
  faults.compat(place, `read as the ${kind}'s data (${place}.data)`);
  return {...target, data: {data: inner}};
}

function isScalar(value: Json): boolean {
  return typeof value === 'string' || typeof value === 'boolean' || isNumber(value);
}

function scalarText(value: Json): string {
  return typeof value === 'string' ? value : String(isNumber(value) && typeof value === 'object' ? value.value : value);
}

const self = (field: string) => new RegExp(`^\\{\\{\\s*request\\.(object\\.metadata\\.)?${field}\\s*\\}\\}$`);
const selfName = self('name');
const selfNamespace = self('namespace');

/** A target that is the trigger itself means a copy into every other namespace. */
function noteSelfTarget(rule: JsonObject, generate: JsonObject, path: string, faults: Faults): void {
  const kinds = own(child(child(rule, 'match'), 'resources') ?? {}, 'kinds');
  const kind = text(generate, 'kind');
  if (!Array.isArray(kinds) || kind === undefined || !kinds.includes(kind)) return;
  const name = text(generate, 'name') ?? '';
  const namespace = text(generate, 'namespace') ?? '';
  if (selfName.test(name) && selfNamespace.test(namespace)) {
    faults.compat(
      path,
      'a target equal to its trigger is read as a copy into every other namespace (system namespaces left out)',
    );
  } else {
    faults.compat(path, `generated kind ${kind} is also matched: objects that this policy made trigger nothing`);
  }
}
