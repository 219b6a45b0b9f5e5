import type {RuleRun} from '../context/rule-run.js';
import {EvalError} from '../diagnostic.js';
import {isObject, type JsonObject, own} from '../json/types.js';
import type {KindInfo, ResourceMap} from '../resource-map.js';
import {apiPath, findKind} from './api-path.js';

/** The kind that a rule names, or an error that says that there is none. */
export function requireKind(resources: ResourceMap, apiVersion: string, kind: string): KindInfo {
  const info = findKind(resources.find(kind), apiVersion);
  if (info === undefined) throw new EvalError(`no kind ${kind} in ${apiVersion === '' ? 'any API group' : apiVersion}`, 'unknown-kind');
  return info;
}

/** One object, or a subresource of it, through the engine's door. Throws EvalError when it does not exist. */
export function readObject(run: RuleRun, kind: KindInfo, namespace: string, name: string, subresource = ''): JsonObject {
  const urlPath = `${apiPath(kind, namespace, name)}${subresource === '' ? '' : `/${encodeURIComponent(subresource)}`}`;
  const value = run.settle(`get:${urlPath}`, options => run.loader.apiCall({method: 'GET', urlPath}, options));
  if (!isObject(value)) throw new EvalError(`${urlPath} is no object`);
  return value;
}

/** All objects of a kind, in one namespace or in all. */
export function listObjects(run: RuleRun, kind: KindInfo, namespace: string): readonly JsonObject[] {
  const urlPath = apiPath(kind, namespace);
  const value = run.settle(`list:${urlPath}`, options => run.loader.apiCall({method: 'GET', urlPath}, options));
  const items = isObject(value) ? own(value, 'items') : undefined;
  return Array.isArray(items) ? items.filter(isObject).map(item => withType(item, kind)) : [];
}

/** Items of a list carry no type of their own. */
function withType(item: JsonObject, kind: KindInfo): JsonObject {
  if (own(item, 'kind') !== undefined) return item;
  return {apiVersion: kind.group === '' ? kind.version : `${kind.group}/${kind.version}`, kind: kind.kind, ...item};
}
