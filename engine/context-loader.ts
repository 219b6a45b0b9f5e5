import type {Json, JsonObject} from './json/types.js';

/** Whose rights an evaluation has: a cluster-wide policy, or one that is confined to its namespace. */
export type Scope = {readonly kind: 'cluster'} | {readonly kind: 'namespace'; readonly namespace: string};

export type MaybePromise<T> = T | Promise<T>;

export interface ApiCallRequest {
  /** Path (and query) on the API server, percent-encoding as written; or `undefined` for a service call. */
  readonly urlPath?: string;
  readonly service?: {readonly url: string; readonly headers: ReadonlyArray<readonly [string, string]>; readonly caBundle?: string};
  readonly method: 'GET' | 'POST';
  /** Body of a POST (and, as the field has it, of a GET with `data`). */
  readonly data?: JsonObject;
}

export interface LoadOptions {
  /** Milliseconds on `now()`'s scale after which the call has to give up. */
  readonly deadline: number;
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
  /** Value of a GlobalContextEntry (or one of its projections). */
  globalReference(name: string, projection: string | undefined, options: LoadOptions): MaybePromise<Json>;
  /** Registry data of an image. */
  imageData(reference: string, options: LoadOptions): MaybePromise<Json>;
  /** Labels of a namespace; `undefined` when it does not exist. Any other failure rejects: it is never "no labels". */
  namespaceLabels(name: string, options: LoadOptions): MaybePromise<Readonly<Record<string, string>> | undefined>;
  /** IP addresses of a host name. */
  lookupHost(name: string, options: LoadOptions): MaybePromise<readonly string[]>;
  /** Wall clock, milliseconds since the epoch, with fractions where the host has them. */
  now(): number;
  /** Uniform in [0, 1). */
  random(): number;
}
