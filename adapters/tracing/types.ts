/** Attributes as OpenTelemetry has them. */
export type SpanAttributes = Record<string, string | number | boolean | readonly string[]>;

/** W3C trace context of a caller. */
export interface TraceParent {
  readonly traceId: string;
  readonly spanId: string;
  readonly sampled: boolean;
  /** The header `tracestate` as it came. */
  readonly state?: string;
}

/** A part of a trace that is over. Times are milliseconds since the epoch, with fractions. */
export interface SpanRecord {
  readonly name: string;
  readonly start: number;
  readonly end: number;
  readonly attributes: SpanAttributes;
  /** Why it counts as failed. */
  readonly error?: string;
  readonly children: readonly SpanRecord[];
}

/** Which span of which trace. */
export interface SpanIdentity {
  readonly traceId: string;
  readonly spanId: string;
}

/** One request, from its headers to its answer, or what followed the answer. */
export interface TraceRecord {
  readonly parent: TraceParent | undefined;
  /** What it follows. */
  readonly link?: SpanIdentity;
  readonly root: SpanRecord;
}

/** Where finished traces go. Never waits and never throws. */
export interface TraceSink {
  submit(trace: TraceRecord): SpanIdentity | undefined;
}
