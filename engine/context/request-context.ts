import type {ImageParseOptions} from '../image/parse-image.js';
import {isObject, type Json, type JsonObject, own, ownPath} from '../json/types.js';
import type {EngineRequest} from '../types.js';
import {extractImages} from './images.js';
import {parseServiceAccount} from './service-account.js';
import {textMapOf, textOf} from '../json/text.js';

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
    this.name = textOf(own(fields, 'name')) || request.name || textOf(own(fields, 'generateName'));
    this.isNamespace = request.kind.kind === 'Namespace' && request.kind.group === '';
    this.matchNamespace = this.isNamespace ? this.name : textOf(own(fields, 'namespace')) || request.namespace;
    this.labels = textMapOf(own(fields, 'labels'));
    this.group = request.kind.group;
    this.version = request.kind.version;
    this.kind = request.kind.kind;
    this.subresource = request.subResource;
  }

  get annotations(): Readonly<Record<string, string>> {
    this.#annotations ??= textMapOf(ownPath(this.resource, 'metadata', 'annotations'));
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

  /** `{{ images }}`, by the installation's defaults; `undefined` for kinds without containers. */
  images(defaults?: ImageParseOptions): Json | undefined {
    this.#images ??= extractImages(this.kind, this.resource, defaults) ?? null;
    return this.#images ?? undefined;
  }

  serviceAccount(): {name: string; namespace: string} {
    return parseServiceAccount(this.request.user?.username ?? '');
  }

  withObject(object: JsonObject): RequestContext {
    return new RequestContext({...this.request, object});
  }
}
