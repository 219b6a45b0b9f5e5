import {setMaxListeners} from 'node:events';
import type {IncomingMessage} from 'node:http';
import type {KubeConfig} from '@kubernetes/client-node';
import {stringifyJson} from '../../engine/json/stringify.js';
import {isObject, type JsonObject, ownPath} from '../../engine/json/types.js';
import {type Clock, sleep, systemClock} from '../clock.js';
import type {Log} from '../log.js';
import {listItems, readAnswer} from './answers.js';
import {type ApiCall, apiCall} from './api-call.js';
import {idleTimer, linkSignals, unlessAborted} from './call-signals.js';
import {type Connection, createCredentials} from './credentials.js';
import {KubeError} from './kube-error.js';
import {collectionPath, objectPath} from './paths.js';
import {createRateLimit} from './rate-limit.js';
import {StaleSocketError, send, type WireRequest} from './transport.js';
import type {
  CallOptions,
  DeleteOptions,
  KubeClient,
  KubeRequest,
  KubeResponse,
  ListOptions,
  ObjectList,
  WriteOptions,
} from './types.js';
import {readWatchStream} from './watch-stream.js';
import {textOf} from '../../engine/json/text.js';

export interface KubeClientOptions {
  readonly kubeConfig: KubeConfig;
  readonly userAgent: string;
  /** Acts as this user: needs the right to impersonate it. */
  readonly impersonate?: string | undefined;
  /** Requests a second in the long run and at once; `qps` 0 = no limit. */
  readonly qps: number;
  readonly burst: number;
  /** What threads take their requests from; see RateLimitOptions. */
  readonly budget?: SharedArrayBuffer | undefined;
  readonly log: Log;
  readonly clock?: Clock;
  /** Per call; 30 s when absent. */
  readonly timeoutMs?: number;
  /** Per answer; 64 MiB when absent. */
  readonly maxBytes?: number;
  /** Told of each request for objects, before it is sent; repeats after a 429 are one. */
  readonly onCall?: (call: ApiCall) => void;
  /** Told how long a write took that was done, from its sending on: neither limits nor pauses count. */
  readonly onWritten?: (call: ApiCall, milliseconds: number) => void;
}

const maxThrottleRetries = 5;
const defaultRetryMs = 1_000;
const defaultMaxBytes = 64 * 1024 * 1024;
const contentTypes = {
  merge: 'application/merge-patch+json',
  apply: 'application/apply-patch+yaml',
  json: 'application/json-patch+json',
  strategic: 'application/strategic-merge-patch+json',
} as const;

/** A client for the current context of `kubeConfig` and no other server. */
export function createKubeClient(options: KubeClientOptions): KubeClient {
  const {kubeConfig, userAgent, impersonate, log, clock = systemClock, timeoutMs = 30_000} = options;
  const maxBytes = options.maxBytes ?? defaultMaxBytes;
  const credentials = createCredentials(kubeConfig, clock);
  const limit = createRateLimit({
    get qps() {
      return options.qps;
    },
    get burst() {
      return options.burst;
    },
    clock,
    shared: options.budget,
  });
  const closed = new AbortController();
  // Every stream and call under way listens: many of them are no leak.
  setMaxListeners(0, closed.signal);

  /** One exchange, with fresh credentials once after a 401 and a fresh socket once after a stale one. */
  async function exchange(wire: WireRequest): Promise<IncomingMessage> {
    let renewed = false;
    let reconnected = false;
    for (;;) {
      // Credentials come from plug-ins and files, which know no deadline.
      const connection = await unlessAborted(connect(), wire.signal);
      let response: IncomingMessage;
      try {
        response = await send(connection, wire);
      } catch (error) {
        if (!(error instanceof StaleSocketError) || reconnected || wire.method === 'POST') throw error;
        reconnected = true;
        continue;
      }
      if (response.statusCode !== 401 || renewed) return response;
      renewed = true;
      response.resume();
      credentials.invalidate();
    }
  }

  async function connect(): Promise<Connection> {
    try {
      return await credentials.current();
    } catch (error) {
      throw new KubeError({
        status: 0,
        reason: 'Network',
        message: `no credentials for the API server: ${text(error)}`,
        cause: error,
      });
    }
  }

  function tell(method: string, path: string, watches: boolean): void {
    const call = options.onCall === undefined ? undefined : apiCall(method, path);
    if (call !== undefined) options.onCall?.(watches ? {...call, operation: 'watch'} : call);
  }

  async function request(call: KubeRequest): Promise<KubeResponse> {
    tell(call.method, call.path, false);
    const wait = call.timeoutMs ?? timeoutMs;
    const ended = linkSignals({signals: [closed.signal, call.signal], timeoutMs: wait, clock});
    try {
      for (let attempt = 0; ; attempt += 1) {
        try {
          return await attemptRequest(call, ended.signal);
        } catch (error) {
          const pause = retryPause(error, attempt);
          if (pause === undefined || pause >= ended.remaining()) throw error;
          log.debug('the API server asks to wait', {path: call.path, milliseconds: pause});
          await sleep(clock, pause, ended.signal);
        }
      }
    } catch (error) {
      throw asKubeError(error, {call, timedOut: ended.timedOut(), wait});
    } finally {
      ended.release();
    }
  }

  async function attemptRequest(call: KubeRequest, signal: AbortSignal): Promise<KubeResponse> {
    if (!call.unthrottled && !(await limit.take(signal))) throw new Error('gave up waiting for a rate-limit token');
    signal.throwIfAborted();
    const body = call.body === undefined ? undefined : stringifyJson(call.body);
    const sent = clock.monotonic();
    const response = await exchange({
      method: call.method,
      target: `${call.path}${queryText(call.query)}`,
      headers: {
        accept: call.accept ?? 'application/json',
        'user-agent': userAgent,
        ...(impersonate !== undefined && {'impersonate-user': impersonate}),
        ...(body !== undefined && {'content-type': call.contentType ?? 'application/json'}),
      },
      body,
      stream: false,
      signal,
    });
    const answer = await readAnswer(response, call.maxBytes ?? maxBytes);
    if (options.onWritten !== undefined && call.method !== 'GET') {
      const about = apiCall(call.method, call.path);
      if (about !== undefined) options.onWritten(about, clock.monotonic() - sent);
    }
    return answer;
  }

  async function objectOf(call: KubeRequest): Promise<JsonObject> {
    const {body} = await request(call);
    if (isObject(body)) return body;
    throw new KubeError({
      status: 0,
      reason: 'Malformed',
      message: `${call.method} ${call.path}: the answer is no object`,
    });
  }

  async function list(path: string, listOptions: ListOptions): Promise<ObjectList> {
    const {labelSelector, fieldSelector, limit: pageSize = 500, onPage, ...call} = listOptions;
    const items: JsonObject[] = [];
    let resourceVersion = '';
    let next = '';
    do {
      const query: Array<readonly [string, string]> = [];
      if (labelSelector) query.push(['labelSelector', labelSelector]);
      if (fieldSelector) query.push(['fieldSelector', fieldSelector]);
      if (pageSize > 0) query.push(['limit', String(pageSize)]);
      if (next) query.push(['continue', next]);
      const page = await objectOf({...call, method: 'GET', path, query});
      const pageItems = listItems(page);
      if (onPage) onPage(pageItems);
      else for (const item of pageItems) items.push(item);
      resourceVersion = textOf(ownPath(page, 'metadata', 'resourceVersion'));
      next = textOf(ownPath(page, 'metadata', 'continue'));
    } while (next !== '');
    return {items, resourceVersion};
  }

  return {
    request,
    get: (ref, call = {}) => objectOf({...call, method: 'GET', path: objectPath(ref)}),
    list: (collection, listOptions = {}) => list(collectionPath(collection), listOptions),
    create: (collection, object, write = {}) => {
      const name = textOf(ownPath(object, 'metadata', 'name'));
      const path =
        write.subresource === undefined
          ? collectionPath(collection)
          : objectPath({...collection, name}, write.subresource);
      return objectOf({...callOf(write), method: 'POST', path, query: writeQuery(write), body: object});
    },
    update: (ref, object, write = {}) =>
      objectOf({
        ...callOf(write),
        method: 'PUT',
        path: objectPath(ref, write.subresource),
        query: writeQuery(write),
        body: object,
      }),
    patch: (ref, patch, write) =>
      objectOf({
        ...callOf(write),
        method: 'PATCH',
        path: objectPath(ref, write.subresource),
        query: [...writeQuery(write), ...(write.force ? [['force', 'true'] as const] : [])],
        body: patch,
        contentType: contentTypes[write.type],
      }),
    async delete(ref, deletion = {}) {
      await request({...callOf(deletion), method: 'DELETE', path: objectPath(ref), body: deleteBody(deletion)});
    },
    async watch(collection, watch) {
      const ended = linkSignals({signals: [closed.signal, watch.signal], timeoutMs: undefined, clock});
      const path = collectionPath(collection);
      tell('GET', path, true);
      const query: Array<readonly [string, string]> = [
        ['watch', 'true'],
        ['allowWatchBookmarks', 'true'],
        ['resourceVersion', watch.resourceVersion],
        ['timeoutSeconds', String(watch.timeoutSeconds)],
      ];
      if (watch.labelSelector) query.push(['labelSelector', watch.labelSelector]);
      if (watch.fieldSelector) query.push(['fieldSelector', watch.fieldSelector]);
      const idle = idleTimer({clock, idleMs: watch.idleMs, signal: ended.signal});
      try {
        const response = await exchange({
          method: 'GET',
          target: `${path}${queryText(query)}`,
          headers: {accept: 'application/json', 'user-agent': userAgent, ...(impersonate !== undefined && {'impersonate-user': impersonate})},
          body: undefined,
          stream: true,
          signal: idle.signal,
        });
        if (response.statusCode !== 200) {
          await readAnswer(response, maxBytes);
          throw new KubeError({
            status: response.statusCode ?? 0,
            reason: 'Malformed',
            message: 'a watch answered without a stream',
          });
        }
        await readWatchStream(response, {maxLineBytes: maxBytes, onEvent: watch.onEvent, onBytes: idle.touch});
      } catch (error) {
        const call: KubeRequest = {method: 'GET', path};
        throw asKubeError(error, {call, timedOut: idle.expired(), wait: watch.idleMs});
      } finally {
        idle.stop();
        ended.release();
      }
    },
    close() {
      closed.abort();
      credentials.close();
    },
  };
}

/** Milliseconds to wait before the same request again: only when the server did not take it on (429, or told to wait). */
function retryPause(error: unknown, attempt: number): number | undefined {
  if (!(error instanceof KubeError) || attempt >= maxThrottleRetries) return undefined;
  if (error.status === 429) return error.retryAfter ?? defaultRetryMs;
  return error.status === 503 && error.retryAfter !== undefined ? error.retryAfter : undefined;
}

function asKubeError(
  error: unknown,
  {call, timedOut, wait}: {readonly call: KubeRequest; readonly timedOut: boolean; readonly wait: number},
): KubeError {
  if (error instanceof KubeError) return error;
  const what = `${call.method} ${call.path}`;
  if (timedOut)
    return new KubeError({status: 0, reason: 'Timeout', message: `${what}: no answer within ${wait} ms`, cause: error});
  if (error instanceof Error && error.name === 'AbortError') {
    return new KubeError({status: 0, reason: 'Aborted', message: `${what}: aborted`, cause: error});
  }
  return new KubeError({status: 0, reason: 'Network', message: `${what}: ${text(error)}`, cause: error});
}

function callOf({timeoutMs, signal, maxBytes, unthrottled}: CallOptions): CallOptions {
  return {timeoutMs, signal, maxBytes, unthrottled};
}

function writeQuery({dryRun, fieldManager}: WriteOptions): ReadonlyArray<readonly [string, string]> {
  const query: Array<readonly [string, string]> = [];
  if (dryRun) query.push(['dryRun', 'All']);
  if (fieldManager !== undefined) query.push(['fieldManager', fieldManager]);
  return query;
}

function deleteBody({uid, resourceVersion, propagationPolicy, dryRun}: DeleteOptions): JsonObject {
  const preconditions: JsonObject = {
    ...(uid !== undefined && {uid}),
    ...(resourceVersion !== undefined && {resourceVersion}),
  };
  return {
    apiVersion: 'v1',
    kind: 'DeleteOptions',
    ...(Object.keys(preconditions).length > 0 && {preconditions}),
    ...(propagationPolicy !== undefined && {propagationPolicy}),
    ...(dryRun && {dryRun: ['All']}),
  };
}

function queryText(query: KubeRequest['query']): string {
  if (query === undefined) return '';
  const pairs = Array.isArray(query) ? query : Object.entries(query);
  const encoded = pairs.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`).join('&');
  return encoded === '' ? '' : `?${encoded}`;
}

function text(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
