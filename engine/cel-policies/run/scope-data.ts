import type {RuleRun} from '../../context/rule-run.js';
import {textOf} from '../../json/text.js';
import {type Json, type JsonObject, ownPath} from '../../json/types.js';
import type {EngineRequest} from '../../types.js';
import {isNamespaceObject} from '../match/match-constraints.js';
import {requestValue} from './request-value.js';
import type {ScopeData} from './scope.js';

const empty: JsonObject = Object.freeze({}) as JsonObject;

/** What policies see of one request: an object that is not there is empty. `request` says null. Made once for all policies. */
export class RequestView {
  readonly #request: EngineRequest;
  #data: ScopeData | undefined;

  constructor(request: EngineRequest) {
    this.#request = request;
  }

  data(namespaceObject: JsonObject | null): ScopeData {
    this.#data ??= {
      object: this.#request.object ?? empty,
      oldObject: this.#request.oldObject ?? empty,
      request: requestValue(this.#request),
      namespaceObject: null,
      exceptions: nothingAllowed,
    };
    return namespaceObject === null ? this.#data : {...this.#data, namespaceObject};
  }
}

/** What the API server's own policies see: an object that is not there is null. */
export function nativeData(request: EngineRequest, namespaceObject: JsonObject | null): ScopeData {
  return {
    object: request.object ?? null,
    oldObject: request.oldObject ?? null,
    request: requestValue(request),
    namespaceObject,
  };
}

/** A clean-up has neither request nor former object. */
export function deletionData(object: Json, namespaceObject: JsonObject | null): ScopeData {
  return {object, oldObject: undefined, request: undefined, namespaceObject, exceptions: undefined};
}

/** A payload comes from no API server. */
export const payloadData: Omit<ScopeData, 'object'> = {
  oldObject: null,
  request: null,
  namespaceObject: null,
  exceptions: {allowedImages: [], allowedValues: []},
};

const nothingAllowed = Object.freeze({allowedImages: [], allowedValues: []});

const namespaces = {group: '', version: 'v1', resource: 'namespaces', namespace: ''};

/**
 * The Namespace of a request; null for cluster-scoped objects, for Namespaces, and where it is not known. `run` sees the
 * whole cluster: what a policy may read does not matter here. Throws EvalError, or Suspend to wait.
 */
export function namespaceOf(request: EngineRequest, run: RuleRun): JsonObject | null {
  if (request.namespace === '' || isNamespaceObject(request)) return null;
  return namespaceNamed(request.namespace, run);
}

export function namespaceNamed(name: string, run: RuleRun): JsonObject | null {
  const query = {...namespaces, name};
  return run.settle(`namespaceObject:${name}`, options => run.loader.resourceGet(query, options)) ?? null;
}

/** The Namespace that an existing object is in: itself, if it is one. */
export function homeOf(object: JsonObject, request: EngineRequest, run: RuleRun): JsonObject | null {
  if (isNamespaceObject(request)) return object;
  const name = textOf(ownPath(object, 'metadata', 'namespace'));
  return name === '' ? null : namespaceNamed(name, run);
}
