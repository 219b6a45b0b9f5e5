import {type JsonObject, own} from '../json/types.js';
import {child, objects, text} from './access.js';
import type {ContextEntry} from './model.js';

export function buildContext(entries: readonly JsonObject[]): readonly ContextEntry[] {
  return entries.map(buildEntry);
}

function buildEntry(entry: JsonObject): ContextEntry {
  const name = text(entry, 'name') ?? '';
  const variable = child(entry, 'variable');
  if (variable) {
    return {
      type: 'variable',
      name,
      ...optional('value', own(variable, 'value')),
      ...jmesPathOf(variable),
      ...optional('default', own(variable, 'default')),
    };
  }
  const configMap = child(entry, 'configMap');
  if (configMap) {
    return {
      type: 'configMap',
      name,
      configMapName: text(configMap, 'name') ?? '',
      configMapNamespace: text(configMap, 'namespace') ?? '',
    };
  }
  const apiCall = child(entry, 'apiCall');
  if (apiCall) return buildApiCall(name, apiCall);
  const global = child(entry, 'globalReference');
  if (global) return {type: 'globalReference', name, entry: text(global, 'name') ?? '', ...jmesPathOf(global)};
  const image = child(entry, 'imageRegistry') ?? {};
  return {type: 'imageRegistry', name, reference: text(image, 'reference') ?? '', ...jmesPathOf(image), raw: image};
}

function buildApiCall(name: string, call: JsonObject): ContextEntry {
  const service = child(call, 'service');
  const urlPath = text(call, 'urlPath');
  return {
    type: 'apiCall',
    name,
    ...(urlPath ? {urlPath} : {}),
    method: text(call, 'method') === 'POST' ? 'POST' : 'GET',
    data: objects(call, 'data').map(item => ({key: text(item, 'key') ?? '', value: own(item, 'value') ?? null})),
    ...(service ? {service: buildService(service)} : {}),
    ...jmesPathOf(call),
    ...optional('default', own(call, 'default')),
  };
}

function buildService(service: JsonObject) {
  const caBundle = text(service, 'caBundle');
  return {
    url: text(service, 'url') ?? '',
    headers: objects(service, 'headers').map(header => ({
      key: text(header, 'key') ?? '',
      value: text(header, 'value') ?? '',
    })),
    ...(caBundle ? {caBundle} : {}),
  };
}

function jmesPathOf(body: JsonObject): {readonly jmesPath?: string} {
  const jmesPath = text(body, 'jmesPath');
  return jmesPath ? {jmesPath} : {};
}

function optional<K extends string, V>(key: K, value: V | undefined): {readonly [P in K]?: V} {
  return (value === undefined ? {} : {[key]: value}) as {readonly [P in K]?: V};
}
