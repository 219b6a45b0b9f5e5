import {isObject, type Json, type JsonObject, own, ownPath} from '../json/types.js';
import type {EngineRequest} from '../types.js';
import {extractImages} from './images.js';
import {parseServiceAccount} from './service-account.js';

const noLabels: Readonly<Record<string, string>> = Object.freeze({});

/**
 * What is the same for every rule of one request: the request with its current object, and values derived from it on
 * first use. Immutable from outside; a mutation makes a new one by `withObject`.
 */
export class RequestContext {
  readonly request: EngineRequest;
  /** What match, patterns and messages look at: the new object, on DELETE the old one. */
  readonly resource: JsonObject;
  readonly name: string;
  /** Whether this is a Namespace object: it has its own name as namespace in requests, but is cluster-scoped. */
  readonly isNamespace: boolean;
  /** For a Namespace object its own name. */
  readonly matchNamespace: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly subresource: string;
  #annotations: Readonly<Record<string, string>> | undefined;
  #requestJson: JsonObject | undefined;
  #images: Json | undefined;

  constructor(request: EngineRequest) {
    this.request = request;
    this.resource = (request.operation === 'DELETE' ? request.oldObject : request.object) ?? request.object ?? {};
    const metadata = ownPath(this.resource, 'metadata');
    const fields: JsonObject = isObject(metadata) ? metadata : {};
    this.name = text(own(fields, 'name')) || request.name || text(own(fields, 'generateName'));
    this.isNamespace = request.kind.kind === 'Namespace' && request.kind.group === '';
    this.matchNamespace = this.isNamespace ? this.name : text(own(fields, 'namespace')) || request.namespace;
    this.labels = stringMap(own(fields, 'labels'));
    this.group = request.kind.group;
    this.version = request.kind.version;
    this.kind = request.kind.kind;
    this.subresource = request.subResource;
  }

  get annotations(): Readonly<Record<string, string>> {
    this.#annotations ??= stringMap(ownPath(this.resource, 'metadata', 'annotations'));
    return this.#annotations;
  }

  /** `{{ request }}`. */
  get requestJson(): JsonObject {
    if (this.#requestJson === undefined) {
      const {request} = this;
      const json: JsonObject = {...request.raw};
      if (request.object !== undefined) json['object'] = request.object;
      if (request.oldObject !== undefined) json['oldObject'] = request.oldObject;
      if (request.namespace !== '') json['namespace'] = request.namespace;
      json['operation'] = request.operation;
      if (request.user !== undefined) {
        if (request.user.roles.length > 0) json['roles'] = [...request.user.roles];
        if (request.user.clusterRoles.length > 0) json['clusterRoles'] = [...request.user.clusterRoles];
      }
      this.#requestJson = json;
    }
    return this.#requestJson;
  }

  /** `{{ images }}`; `undefined` for kinds without containers. */
  get images(): Json | undefined {
    this.#images ??= extractImages(this.kind, this.resource) ?? null;
    return this.#images ?? undefined;
  }

  serviceAccount(): {name: string; namespace: string} {
    return parseServiceAccount(this.request.user?.username ?? '');
  }

  withObject(object: JsonObject): RequestContext {
    return new RequestContext({...this.request, object});
  }
}

function text(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}

/** Labels or annotations of hostile objects may hold anything; only strings count. */
function stringMap(value: Json | undefined): Readonly<Record<string, string>> {
  if (!isObject(value)) return noLabels;
  for (const key of Object.keys(value)) if (typeof value[key] !== 'string') return onlyStrings(value);
  return value as Readonly<Record<string, string>>;
}

function onlyStrings(value: JsonObject): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === 'string'));
}
