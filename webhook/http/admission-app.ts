import type {IncomingMessage} from 'node:http';
import Koa from 'koa';
import type {PolicyResult} from '../../engine/types.js';
import {errorText, type AdmissionContext} from '../context.js';
import {deadlines} from '../deadline.js';
import {auditAnnotations} from '../review/audit-annotations.js';
import {checkContentType, decodeReview, DecodeError} from '../review/decode.js';
import {encodeReview} from '../review/encode.js';
import type {AdmissionRoute} from '../routes.js';
import {createQuietLog} from '../quiet-log.js';
import {createTargetReader} from '../target.js';
import {RequestTrace} from '../tracing/request-trace.js';
import {traceEnd} from '../tracing/trace-attributes.js';
import {traceParentOf} from '../tracing/trace-parent.js';
import type {AdmissionLimits, AdmissionServerOptions, ReadinessReport} from '../types.js';
import {createBodyReader, type BodyFailure} from './body-reader.js';
import type {Pipelines} from './pipelines.js';

export interface AdmissionAppOptions {
  readonly server: AdmissionServerOptions;
  readonly limits: AdmissionLimits;
  readonly pipelines: Pipelines;
  readonly readiness: () => ReadinessReport;
  /** True when answers have to end their connection. */
  readonly closing: () => boolean;
}

interface Reply {
  readonly status: number;
  readonly body: string;
  readonly json?: boolean;
  /** The connection cannot serve another request. */
  readonly end?: boolean;
}

const bodyFailures: Readonly<Record<BodyFailure, Reply>> = {
  'too-large': {status: 413, body: 'request body is larger than the limit', end: true},
  'no-room': {status: 429, body: 'too many admission requests in flight', end: true},
  broken: {status: 400, body: 'request body could not be read', end: true},
};
const tooMany: Reply = {status: 429, body: 'too many admission requests in flight'};
const incomplete: Reply = {status: 503, body: 'policies are not loaded yet', end: true};
const notFound: Reply = {status: 404, body: 'no such path'};

/** The Koa application: target → caps → body → review → layers → answer. Anything but a review is plain text. */
export function createAdmissionApp(options: AdmissionAppOptions): Koa {
  const {limits, pipelines} = options;
  const {clock, metrics, log, traces} = options.server;
  const readTarget = createTargetReader();
  const bodies = createBodyReader(limits);
  const quietly = createQuietLog(log, clock);
  let inFlight = 0;

  function refuse(reason: 'in-flight' | 'body-size', route: AdmissionRoute): void {
    metrics.requestRefused(reason);
    quietly(reason, `admission request to ${route.pattern} failed: limit on ${reason} reached`);
  }

  async function admit(
    request: IncomingMessage,
    route: AdmissionRoute,
    timeoutMs: number,
    startedAt: number,
  ): Promise<Reply> {
    const receivedAt = clock.now();
    const body = await bodies.read(request);
    if (typeof body === 'string') {
      if (body === 'too-large') refuse('body-size', route);
      if (body === 'no-room') refuse('in-flight', route);
      return bodyFailures[body];
    }
    try {
      checkContentType(request.headers['content-type']);
      const review = decodeReview(body);
      const handler = pipelines.handlers[route.handler];
      if (handler === undefined) return unserved(route);
      const context: AdmissionContext = {
        route: withFailurePolicy(route, review.request.namespace),
        review,
        request: review.request,
        receivedAt,
        startedAt,
        timeoutMs,
        ...deadlines(receivedAt, timeoutMs, limits.answerReserveMs),
        ...(traces !== undefined && traceOf(request, startedAt)),
      };
      const outcome = handler(context);
      const answer = outcome instanceof Promise ? await outcome : outcome;
      const annotations = auditAnnotations(review.request.uid, answer, allResults(context));
      const {trace} = context;
      trace?.acted();
      const reply: Reply = {status: 200, body: encodeReview(review, answer, annotations), json: true};
      if (trace !== undefined) trace.identity = traces?.submit(trace.finish(traceEnd(context, answer)));
      return reply;
    } catch (error) {
      if (error instanceof DecodeError) {
        quietly('decode', `admission request to ${route.pattern} failed: ${error.message}`);
        return {status: error.status, body: error.message};
      }
      log.error(`admission request failed: ${errorText(error)}`, {path: route.pattern});
      return {status: 500, body: 'internal error'};
    } finally {
      bodies.release(body);
    }
  }

  /** Whoever asks may want none of this request. */
  function traceOf(request: IncomingMessage, started: number): {readonly trace?: RequestTrace} {
    const parent = traceParentOf(request.headers);
    if (parent?.sampled === false) return {};
    return {trace: new RequestTrace(clock, {parent, started, receivedAt: clock.now() - (clock.monotonic() - started)})};
  }

  /** Paths of CEL policies do not carry it: the policies say what an error means. */
  function withFailurePolicy(route: AdmissionRoute, namespace: string): AdmissionRoute {
    const {cel} = options.server;
    if (route.handler !== 'cel' || cel === undefined) return route;
    return {...route, failurePolicy: cel.failurePolicyOf(route.kind ?? '', route.policies ?? [], namespace)};
  }

  async function admitCapped(
    request: IncomingMessage,
    route: AdmissionRoute,
    timeoutMs: number,
    startedAt: number,
  ): Promise<Reply> {
    if (options.server.complete?.() === false) {
      quietly('incomplete', `admission request to ${route.pattern} failed: policies are not loaded yet`);
      return incomplete;
    }
    if (inFlight >= limits.maxInFlight) {
      refuse('in-flight', route);
      return tooMany;
    }
    inFlight++;
    try {
      return await admit(request, route, timeoutMs, startedAt);
    } finally {
      inFlight--;
    }
  }

  const app = new Koa();
  app.silent = true;
  app.on('error', error => log.v(2, `connection ended early: ${errorText(error)}`));
  app.use(async context => {
    const startedAt = clock.monotonic();
    const request = context.req;
    const {route, timeoutMs} = readTarget(request.url ?? '/');
    let reply: Reply;
    if (route === undefined) reply = notFound;
    else if (route.handler === 'liveness') reply = {status: 200, body: 'ok'};
    else if (route.handler === 'readiness') reply = readinessReply(options.readiness());
    else if (request.method !== 'POST') {
      context.res.setHeader('Allow', 'POST');
      reply = {status: 405, body: 'only POST'};
    } else reply = await admitCapped(request, route, timeoutMs ?? limits.defaultTimeoutMs, startedAt);
    const response = context.res;
    if (reply.end === true || options.closing()) response.setHeader('Connection', 'close');
    response.setHeader(
      'Content-Type',
      reply.json === true ? 'application/json; charset=utf-8' : 'text/plain; charset=utf-8',
    );
    context.status = reply.status;
    context.body = reply.body;
    const pattern = route === undefined ? 'other' : route.pattern;
    metrics.httpRequest(knownMethod(request.method), pattern, (clock.monotonic() - startedAt) / 1000);
  });
  return app;
}

function allResults({results, audited}: AdmissionContext): readonly PolicyResult[] | undefined {
  return audited === undefined ? results : [...(results ?? []), ...audited];
}

/**
 * Nobody serves such paths here. No review is answered: the call counts as failed, so that the failure policy of the webhook
 * entry decides, which the path does not carry.
 */
function unserved(route: AdmissionRoute): Reply {
  return {status: 501, body: `${route.kind} ${route.policies?.join(', ')} is not served by this release`};
}

function readinessReply(report: ReadinessReport): Reply {
  return report.ready ? {status: 200, body: 'ok'} : {status: 503, body: report.reasons.join('\n')};
}

function knownMethod(method: string | undefined): string {
  return method === 'POST' || method === 'GET' || method === 'HEAD' ? method : 'other';
}
