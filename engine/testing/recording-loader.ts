import {builtinResourceMap} from '../builtin-resources.js';
import type {ApiCallRequest, CollectionQuery, ContextLoader, HttpAnswer, MaybePromise} from '../context-loader.js';
import {EvalError} from '../diagnostic.js';
import type {ImageSource} from '../image/verification.js';
import type {Json, JsonObject} from '../json/types.js';
import {resourceOfKind} from '../resource-map.js';

export interface RecordingLoaderOptions {
  /** By `namespace/name`. */
  readonly configMaps?: Readonly<Record<string, JsonObject>>;
  /** By urlPath or service URL; an Error is thrown. */
  readonly api?: Readonly<Record<string, Json | Error>>;
  readonly global?: Readonly<Record<string, Json>>;
  readonly images?: Readonly<Record<string, Json>>;
  readonly imageSource?: ImageSource;
  readonly namespaces?: Readonly<Record<string, Readonly<Record<string, string>> | Error>>;
  /** Objects by `resource/namespace/name`, lists by `resource/namespace`, made ones by `resource/namespace` again. */
  readonly objects?: Readonly<Record<string, JsonObject | Error>>;
  readonly lists?: Readonly<Record<string, JsonObject | Error>>;
  readonly posts?: Readonly<Record<string, JsonObject | Error>>;
  /** By `METHOD url`. */
  readonly http?: Readonly<Record<string, HttpAnswer | Error>>;
  /** Answers come later, as from a cluster. */
  readonly later?: boolean;
}

export interface RecordingLoader extends ContextLoader {
  /** What was asked for, in order. */
  readonly calls: readonly string[];
  /** Moves the clock. */
  readonly clock: {now: number};
  readonly requests: readonly ApiCallRequest[];
}

/** A door of tables that notes what passes it. */
export function recordingLoader(options: RecordingLoaderOptions = {}): RecordingLoader {
  const calls: string[] = [];
  const requests: ApiCallRequest[] = [];
  const clock = {now: 1_700_000_000_000};
  const answer = <T>(call: string, value: T | Error): MaybePromise<T> => {
    calls.push(call);
    if (options.later === true) return value instanceof Error ? Promise.reject(value) : Promise.resolve(value);
    if (value instanceof Error) throw value;
    return value;
  };
  const from = <T>(table: Readonly<Record<string, T>> | undefined, key: string): T | Error =>
    table !== undefined && Object.hasOwn(table, key) ? (table[key] as T) : new EvalError(`${key} not found`);
  return {
    calls,
    clock,
    requests,
    configMap(namespace, name) {
      const key = `${namespace}/${name}`;
      const table = options.configMaps ?? {};
      return answer(`configMap ${key}`, Object.hasOwn(table, key) ? table[key] : undefined);
    },
    apiCall(request) {
      requests.push(request);
      const key = request.urlPath ?? request.service?.url ?? '';
      return answer<Json>(`apiCall ${key}`, from(options.api, key) as Json | Error);
    },
    globalReference(name, projection) {
      const key = projection === undefined ? name : `${name}.${projection}`;
      const table = options.global ?? {};
      return answer<Json | undefined>(
        `global ${name} ${projection ?? ''}`,
        Object.hasOwn(table, key) ? table[key] : undefined,
      );
    },
    imageData: reference => answer(`image ${reference}`, from(options.images, reference)),
    namespaceLabels(name) {
      const table = options.namespaces ?? {};
      const found = Object.hasOwn(table, name) ? table[name] : undefined;
      return answer<Readonly<Record<string, string>> | undefined>(`labels ${name}`, found);
    },
    images: options.imageSource,
    lookupHost: name => answer(`host ${name}`, ['192.0.2.1']),
    resourceGet(query) {
      const key = `${placeOf(query)}/${query.name}`;
      const table = options.objects ?? {};
      return answer<JsonObject | undefined>(`get ${key}`, Object.hasOwn(table, key) ? table[key] : undefined);
    },
    resourceList(query) {
      const labels = query.labels.map(([key, value]) => ` ${key}=${value}`).join('');
      return answer(
        `list ${placeOf(query)}${labels}`,
        from<JsonObject | Error>(options.lists, placeOf(query)) as JsonObject,
      );
    },
    resourcePost: query =>
      answer(`post ${placeOf(query)}`, from<JsonObject | Error>(options.posts, placeOf(query)) as JsonObject),
    resourceOfKind: (apiVersion, kind) =>
      answer(`kind ${apiVersion} ${kind}`, resourceOfKind(builtinResourceMap, apiVersion, kind)),
    httpCall: request =>
      answer(
        `http ${request.method} ${request.url}`,
        from<HttpAnswer | Error>(options.http, `${request.method} ${request.url}`) as HttpAnswer,
      ),
    now: () => clock.now,
    random: () => 0.5,
  };
}

function placeOf({resource, subresource, namespace}: CollectionQuery): string {
  return `${resource}${subresource === undefined ? '' : `.${subresource}`}/${namespace}`;
}
