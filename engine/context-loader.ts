import type {ImageParseOptions} from './image/parse-image.js';
import type {ImageSource, RegistryAccess} from './image/verification.js';
import type {Json, JsonObject} from './json/types.js';
import type {GroupVersionResource} from './types.js';

/** Whose rights an evaluation has: a cluster-wide policy, or one that is confined to its namespace. */
export type Scope = {readonly kind: 'cluster'} | {readonly kind: 'namespace'; readonly namespace: string};

export type MaybePromise<T> = T | Promise<T>;

/**
 * A list that the words of a rule stand for (its targets, its sources) and no call that its author wrote: it comes in parts,
 * and the limit for answers to such calls does not count.
 */
export interface ObjectSearch {
  /** As the API server takes them: less is sent. They never leave out what `keep` would keep. */
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  /** Asked once of each object as it comes; what it refuses need not be in the answer. What it throws ends the list. */
  keep(object: JsonObject): boolean;
}

export interface ApiCallRequest {
  /** Path (and query) on the API server, percent-encoding as written; or `undefined` for a service call. */
  readonly urlPath?: string;
  readonly service?: {
    readonly url: string;
    readonly headers: ReadonlyArray<readonly [string, string]>;
    readonly caBundle?: string;
  };
  readonly method: 'GET' | 'POST';
  /** Body of a POST (and, as the field has it, of a GET with `data`). */
  readonly data?: JsonObject;
  /** No call of a policy's author: `urlPath` is the one object, or the collection, that a rule's words stand for. */
  readonly search?: 'object' | ObjectSearch;
}

/** A collection of objects; `namespace` is empty for cluster-scoped ones, and for all namespaces in a list. */
export interface CollectionQuery extends GroupVersionResource {
  /** `log`, `scale` … */
  readonly subresource?: string | undefined;
  readonly namespace: string;
}

export interface ObjectQuery extends CollectionQuery {
  readonly name: string;
}

export interface ListQuery extends CollectionQuery {
  /** Labels that the objects must have. */
  readonly labels: ReadonlyArray<readonly [string, string]>;
  /** Instead of labels: a list that a rule's own words stand for. */
  readonly search?: ObjectSearch;
}

export interface PostRequest extends CollectionQuery {
  readonly object: JsonObject;
}

export interface HttpRequest {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly headers: ReadonlyArray<readonly [string, string]>;
  /** PEM; instead of the system's authorities. */
  readonly caBundle?: string | undefined;
  /** Of a POST. */
  readonly body?: Json | undefined;
}

export interface HttpAnswer {
  readonly statusCode: number;
  /** `undefined`: the body is no JSON. */
  readonly body: Json | undefined;
  /** Of a given answer: an object is to be found under `body`, too. */
  readonly given?: true;
}

export interface LoadOptions {
  /** Milliseconds on `now()`'s scale after which the call has to give up. */
  readonly deadline: number;
}

export interface ImageDataOptions extends LoadOptions {
  /** What the registry is asked with beside the installation's own credentials. */
  readonly access?: RegistryAccess | undefined;
}

/**
 * The only door from evaluation to the outside. No other module of the engine does I/O, reads a clock, draws randomness
 * or resolves a name. Answers that a cache holds come back without a Promise.
 *
 * Errors: reject (or throw) with an `EvalError` whose text can be shown to a user; it never repeats response bodies.
 */
export interface ContextLoader {
  /** `{data, metadata}` of a ConfigMap; `undefined` when it does not exist. */
  configMap(namespace: string, name: string, options: LoadOptions): MaybePromise<JsonObject | undefined>;
  /** Decoded JSON of an API or service call. */
  apiCall(request: ApiCallRequest, options: LoadOptions): MaybePromise<Json>;
  /** Value of a GlobalContextEntry (or one of its projections); `undefined` when there is no such entry. */
  globalReference(name: string, projection: string | undefined, options: LoadOptions): MaybePromise<Json | undefined>;
  /** Registry data of an image, asked with the installation's own credentials unless others are given. */
  imageData(reference: string, options: ImageDataOptions): MaybePromise<Json>;
  /** Labels of a namespace; `undefined` when it does not exist. Any other failure rejects: it is never "no labels". */
  namespaceLabels(name: string, options: LoadOptions): MaybePromise<Readonly<Record<string, string>> | undefined>;
  /** IP addresses of a host name. */
  lookupHost(name: string, options: LoadOptions): MaybePromise<readonly string[]>;
  /** One object; `undefined` when it does not exist. A text that begins with `permission denied` where that is why. */
  resourceGet(query: ObjectQuery, options: LoadOptions): MaybePromise<JsonObject | undefined>;
  /** A list object with its `items`. */
  resourceList(query: ListQuery, options: LoadOptions): MaybePromise<JsonObject>;
  /** What the API server made of a new object. */
  resourcePost(request: PostRequest, options: LoadOptions): MaybePromise<JsonObject>;
  /** The resource of a kind; `undefined` when no such kind is known. */
  resourceOfKind(
    apiVersion: string,
    kind: string,
    options: LoadOptions,
  ): MaybePromise<GroupVersionResource | undefined>;
  /**
   * `openAPIV3Schema` of a kind that is not Kubernetes' own; `undefined` when nobody described it. The same object until
   * the description changes. Absent: custom kinds are not described here.
   */
  kindSchema?(apiVersion: string, kind: string, options: LoadOptions): MaybePromise<JsonObject | undefined>;
  /**
   * The OpenAPI v3 document that the API server publishes for a group and version (`v1`, `apps/v1`); `undefined` when there is
   * none. The same object while it is fresh. Megabytes, so asked for only when nothing nearer knows. Absent: nobody publishes.
   */
  openApi?(groupVersion: string, options: LoadOptions): MaybePromise<JsonObject | undefined>;
  /** The answer of a web server, whatever its status. */
  httpCall(request: HttpRequest, options: LoadOptions): MaybePromise<HttpAnswer>;
  /** What images that name no registry mean in this installation; Docker's own registry when absent. May change. */
  readonly imageDefaults?: ImageParseOptions | undefined;
  /** Images, their signatures and attestations. Absent: no registry is asked here. */
  readonly images?: ImageSource | undefined;
  /** Wall clock, milliseconds since the epoch, with fractions where the host has them. */
  now(): number;
  /** Uniform in [0, 1). */
  random(): number;
}
