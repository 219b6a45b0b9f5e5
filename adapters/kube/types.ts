import type {Json, JsonObject} from '../../engine/json/types.js';
import type {GroupVersionResource} from '../../engine/types.js';

export type {GroupVersionResource} from '../../engine/types.js';

/** A collection; `namespace` empty or absent means cluster-scoped or all namespaces. */
export interface CollectionRef extends GroupVersionResource {
  readonly namespace?: string | undefined;
}

/** One object; `namespace` empty or absent for cluster-scoped ones. */
export interface ObjectRef extends CollectionRef {
  readonly name: string;
}

export interface CallOptions {
  /** Milliseconds for the whole call, waiting for a rate-limit token included; the client's default when absent. */
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Bytes of the answer's body; the client's default when absent. */
  readonly maxBytes?: number | undefined;
  /** Skips the client's rate limit; for lease renewals, which must not queue behind bulk work. */
  readonly unthrottled?: boolean | undefined;
}

export interface KubeRequest extends CallOptions {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Absolute path on the API server, percent-encoded, without query. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>> | ReadonlyArray<readonly [string, string]> | undefined;
  readonly body?: Json | undefined;
  /** Of the body; `application/json` when absent. */
  readonly contentType?: string | undefined;
  readonly accept?: string | undefined;
}

export interface KubeResponse {
  readonly status: number;
  /** Decoded JSON; `null` when the body is empty or no JSON. */
  readonly body: Json;
  readonly text: string;
}

export interface ListOptions extends CallOptions {
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
  /** Objects per page; 500 when absent, 0 for one unpaged answer. */
  readonly limit?: number | undefined;
  /** Sees each page as it arrives; its objects are then not kept in the result. */
  readonly onPage?: ((items: readonly JsonObject[]) => void) | undefined;
}

export interface ObjectList {
  readonly items: readonly JsonObject[];
  readonly resourceVersion: string;
}

export interface WriteOptions extends CallOptions {
  readonly dryRun?: boolean | undefined;
  readonly fieldManager?: string | undefined;
  /** `status`, `scale`, … */
  readonly subresource?: string | undefined;
}

export interface PatchOptions extends WriteOptions {
  readonly type: 'merge' | 'apply' | 'json' | 'strategic';
  /** Takes over fields of other managers; only with `apply`. */
  readonly force?: boolean | undefined;
}

export interface DeleteOptions extends CallOptions {
  readonly uid?: string | undefined;
  readonly resourceVersion?: string | undefined;
  readonly propagationPolicy?: 'Background' | 'Foreground' | 'Orphan' | undefined;
  readonly dryRun?: boolean | undefined;
}

export interface WatchEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';
  /** For ERROR: a Status. */
  readonly object: JsonObject;
}

export interface WatchOptions {
  readonly resourceVersion: string;
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
  /** After which the server ends the stream. */
  readonly timeoutSeconds: number;
  /** The stream counts as dead after this long without a byte. */
  readonly idleMs: number;
  readonly signal?: AbortSignal | undefined;
  onEvent(event: WatchEvent): void;
}

/**
 * The API server as raw JSON. Every method rejects with a `KubeError`: statuses from 400 on, redirects (never followed),
 * timeouts, aborts, oversized answers and network failures.
 */
export interface KubeClient {
  request(request: KubeRequest): Promise<KubeResponse>;
  get(ref: ObjectRef, options?: CallOptions): Promise<JsonObject>;
  list(collection: CollectionRef, options?: ListOptions): Promise<ObjectList>;
  create(collection: CollectionRef, object: JsonObject, options?: WriteOptions): Promise<JsonObject>;
  /** PUT; the object's `metadata.resourceVersion` guards against lost updates. */
  update(ref: ObjectRef, object: JsonObject, options?: WriteOptions): Promise<JsonObject>;
  patch(ref: ObjectRef, patch: Json, options: PatchOptions): Promise<JsonObject>;
  delete(ref: ObjectRef, options?: DeleteOptions): Promise<void>;
  /** Resolves when the server ends the stream. */
  watch(collection: CollectionRef, options: WatchOptions): Promise<void>;
  /** Closes idle connections and aborts what is under way. */
  close(): void;
}
