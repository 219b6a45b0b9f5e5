import type {RuleRun} from '../context/rule-run.js';
import {EvalError} from '../diagnostic.js';
import {textMapOf} from '../json/text.js';
import {isObject, type JsonObject, own, ownPath} from '../json/types.js';
import {compileLabelSelector} from '../match/label-selector.js';
import type {KindInfo} from '../resource-map.js';
import type {EngineRequest} from '../types.js';
import type {ParamKind, ParamRef} from './model.js';

/**
 * The objects that a binding's `params` stand for, one after another; with `asList` those of a selector as one list.
 * `[null]` without paramKind or paramRef; empty when none is found and that is allowed. Throws EvalError, or Suspend to
 * wait.
 */
export function findParams(
  kind: ParamKind | undefined,
  ref: ParamRef | undefined,
  {request, run, asList = false}: ParamQuery,
): ReadonlyArray<JsonObject | null> {
  if (kind === undefined || ref === undefined) return [null];
  const info = kindInfo(kind, run);
  const namespace = paramNamespace(info, ref, request);
  const found =
    ref.name === undefined ? listParams(info, namespace, ref, run) : getParam(info, namespace, ref.name, run);
  if (found.length === 0 && ref.parameterNotFoundAction === 'Deny') {
    throw new EvalError('no params found for policy binding with `Deny` parameterNotFoundAction');
  }
  if (!asList || ref.name !== undefined || found.length === 0) return found;
  return [{apiVersion: 'v1', kind: 'List', items: [...found]}];
}

export interface ParamQuery {
  readonly request: EngineRequest;
  readonly run: RuleRun;
  readonly asList?: boolean;
}

function kindInfo({apiVersion, kind}: ParamKind, run: RuleRun): KindInfo {
  const slash = apiVersion.indexOf('/');
  const group = slash === -1 ? '' : apiVersion.slice(0, slash);
  const version = apiVersion.slice(slash + 1);
  const found = run.resources.find(kind).find(info => info.group === group && info.version === version);
  if (found === undefined) throw new EvalError(`no matches for kind "${kind}" in version "${apiVersion}"`);
  return found;
}

function paramNamespace(info: KindInfo, ref: ParamRef, request: EngineRequest): string {
  if (!info.namespaced) {
    if (ref.namespace === undefined) return '';
    throw new EvalError('paramRef.namespace must not be provided for a cluster-scoped `paramKind`');
  }
  const isNamespace = request.kind.group === '' && request.kind.kind === 'Namespace';
  const own = isNamespace ? '' : request.namespace;
  const namespace = ref.namespace ?? own;
  if (namespace === '') throw new EvalError("can't use namespaced paramRef to match cluster-scoped resources");
  return namespace;
}

function getParam({group, version, resource}: KindInfo, namespace: string, name: string, run: RuleRun): JsonObject[] {
  const query = {group, version, resource, namespace, name};
  const key = `param:${group}/${version}/${resource}/${namespace}/${name}`;
  const found = run.settle(key, options => run.loader.resourceGet(query, options));
  return found === undefined ? [] : [found];
}

function listParams(
  {group, version, resource, kind}: KindInfo,
  namespace: string,
  ref: ParamRef,
  run: RuleRun,
): JsonObject[] {
  const query = {group, version, resource, namespace, labels: []};
  const list = run.settle(`params:${group}/${version}/${resource}/${namespace}`, options =>
    run.loader.resourceList(query, options),
  );
  const items = own(list, 'items');
  const selects = compileLabelSelector(ref.selector ?? {});
  const apiVersion = group === '' ? version : `${group}/${version}`;
  return (Array.isArray(items) ? items : [])
    .filter(isObject)
    .filter(item => selects(textMapOf(ownPath(item, 'metadata', 'labels'))))
    .map(item => ({apiVersion, kind, ...item}));
}
