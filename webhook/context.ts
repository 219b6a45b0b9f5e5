import type {MaybePromise} from '../engine/context-loader.js';
import type {AdmissionUser, EngineRequest, GroupVersionKind, PolicyResult} from '../engine/types.js';
import type {DecodedReview} from './review/decode.js';
import type {AdmissionRoute} from './routes.js';
import type {RequestTrace} from './tracing/request-trace.js';
import type {AdmissionAnswer, AdmissionRequest} from './types.js';

/** One request on its way through the layers; each layer fills in what the later ones need. */
export interface AdmissionContext {
  readonly route: AdmissionRoute;
  readonly review: DecodedReview;
  readonly request: AdmissionRequest;
  /** Wall clock when the headers were read, milliseconds. */
  readonly receivedAt: number;
  /** The same moment on the monotonic scale. */
  readonly startedAt: number;
  /** Milliseconds the caller waits from `receivedAt`. */
  readonly timeoutMs: number;
  /** When evaluation has to be done, wall clock. */
  readonly deadline: number;
  /** When the answer has to leave, wall clock; a little after `deadline`. */
  readonly answerBy: number;
  /** Only while somebody wants traces. */
  readonly trace?: RequestTrace;
  topLevelKind?: GroupVersionKind;
  user?: AdmissionUser;
  engineRequest?: EngineRequest;
  /** The verdict that stands when time runs out during work that can no longer change it. */
  standingAnswer?: AdmissionAnswer;
  /** Verdicts behind the answer, for the log. */
  results?: readonly PolicyResult[];
  /** Verdicts of policies that only report, where they were there in time. */
  audited?: readonly PolicyResult[];
  /** The answer left before the handler was done: what comes later counts for nothing. */
  expired?: boolean;
}

export type Handler = (context: AdmissionContext) => MaybePromise<AdmissionAnswer>;
/** Answers by itself or hands on; never both. */
export type Layer = (context: AdmissionContext, next: Handler) => MaybePromise<AdmissionAnswer>;

/** Layers outermost first, as one function; no Promise is made where nothing waits. */
export function composeLayers(layers: readonly Layer[], handler: Handler): Handler {
  return layers.reduceRight<Handler>((next, layer) => context => layer(context, next), handler);
}

export function isPromise<T>(value: MaybePromise<T>): value is Promise<T> {
  return value instanceof Promise;
}

/** `then` without a Promise where there is none. */
export function after<T, R>(value: MaybePromise<T>, next: (value: T) => MaybePromise<R>): MaybePromise<R> {
  return isPromise(value) ? value.then(next) : next(value);
}

export function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
