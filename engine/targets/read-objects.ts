import type {RuleRun} from '../context/rule-run.js';
import {EvalError} from '../diagnostic.js';
import {isObject, type JsonObject, own} from '../json/types.js';
import {apiVersionOf, type KindInfo, type ResourceMap} from '../resource-map.js';
import {apiPath, findKind} from './api-path.js';
import {everyObject, foundIn, searchOf, type Wanted} from './search.js';

/** The kind that a rule names, or an error that says that there is none. */
export function requireKind(resources: ResourceMap, apiVersion: string, kind: string): KindInfo {
  const info = findKind(resources.find(kind), apiVersion);
  if (info === undefined) throw new EvalError(`no kind ${kind} in ${apiVersion === '' ? 'any API group' : apiVersion}`, 'unknown-kind');
  return info;
}

/** One object, or a subresource of it, through the engine's door. Throws EvalError when it does not exist. */
export function readObject(run: RuleRun, kind: KindInfo, namespace: string, name: string, subresource = ''): JsonObject {
  const urlPath = `${apiPath(kind, namespace, name)}${subresource === '' ? '' : `/${encodeURIComponent(subresource)}`}`;
  const value = run.settle(`get:${urlPath}`, options => run.loader.apiCall({method: 'GET', urlPath, search: 'object'}, options));
  if (!isObject(value)) throw new EvalError(`${urlPath} is no object`);
  return value;
}

/** One object; `undefined` when it does not exist. */
export function findObject(run: RuleRun, kind: KindInfo, namespace: string, name: string): JsonObject | undefined {
  // No object is called so, and a path would lead elsewhere.
  if (name === '.' || name === '..' || /[/\\%]|\p{Cc}/u.test(name)) return undefined;
  try {
    return withType(readObject(run, kind, namespace, name), kind);
  } catch (error) {
    if (error instanceof EvalError && error.code === 'not-found') return undefined;
    throw error;
  }
}

/** Objects of a kind, in one namespace or in all: those that are wanted, whatever the others take. */
export function listObjects(run: RuleRun, kind: KindInfo, namespace: string, wanted: Wanted = everyObject): readonly JsonObject[] {
  const urlPath = apiPath(kind, namespace);
  const found = run.settle(`list:${urlPath} ${wanted.key}`, options =>
    foundIn(run.loader.apiCall({method: 'GET', urlPath, search: searchOf(run, kind.resource, wanted)}, options), wanted),
  )();
  run.budget.step(found.length);
  return found.map(item => withType(item, kind));
}

/** Items of a list carry no type of their own. */
function withType(item: JsonObject, kind: KindInfo): JsonObject {
  if (own(item, 'kind') !== undefined) return item;
  return {apiVersion: apiVersionOf(kind), kind: kind.kind, ...item};
}
