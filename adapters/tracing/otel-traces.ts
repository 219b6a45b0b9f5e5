import {type Attributes, type Context, type Link, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace, TraceFlags} from '@opentelemetry/api';
import {resourceFromAttributes} from '@opentelemetry/resources';
import {BatchSpanProcessor, type SpanExporter, TracerProvider} from '@opentelemetry/sdk-trace';
import type {Logger} from '../log/logger.js';
import {createGrpcSender} from './grpc-sender.js';
import {createHttpSender} from './http-sender.js';
import {createSpanExporter} from './span-exporter.js';
import type {TraceTarget} from './trace-target.js';
import type {SpanIdentity, SpanRecord, TraceRecord} from './types.js';

export interface OtelTracesOptions {
  readonly target: TraceTarget;
  /** Authorities of the collector, PEM; the system's when absent. */
  readonly ca?: string | undefined;
  readonly log: Logger;
  /** `service.name` and what else says who traces. */
  readonly resource: Attributes;
  readonly version: string;
}

export interface OtelTraces {
  submit(record: TraceRecord): SpanIdentity;
  /** Sends what waits, for at most `graceMs`. */
  stop(graceMs: number): Promise<void>;
}

const maxQueueSize = 8_192;
const maxExportBatchSize = 512;
const scheduledDelayMillis = 2_000;

/** Traces to an OpenTelemetry collector, in batches beside the requests. Read only when somebody wants traces. */
export function createOtelTraces({target, ca, log, resource, version}: OtelTracesOptions): OtelTraces {
  const sender = target.protocol === 'grpc' ? createGrpcSender(target.url, ca) : createHttpSender(target.url, ca);
  const exporter: SpanExporter = createSpanExporter({sender, log});
  const provider = new TracerProvider({
    resource: resourceFromAttributes(resource),
    spanProcessors: [new BatchSpanProcessor({exporter, maxQueueSize, maxExportBatchSize, scheduledDelayMillis})],
  });
  const tracer = provider.getTracer('kyverno', version);

  function emit({name, start, end, attributes, error, children}: SpanRecord, kind: SpanKind, parent: Context, links: Link[] = []): SpanIdentity {
    const span = tracer.startSpan(name, {kind, startTime: start, attributes: attributes as Attributes, links}, parent);
    const within = trace.setSpan(parent, span);
    for (const child of children) emit(child, SpanKind.INTERNAL, within);
    if (error !== undefined) span.setStatus({code: SpanStatusCode.ERROR, message: error});
    span.end(end);
    return span.spanContext();
  }

  return {
    submit({parent, link, root}) {
      const caller =
        parent === undefined
          ? ROOT_CONTEXT
          : trace.setSpanContext(ROOT_CONTEXT, {traceId: parent.traceId, spanId: parent.spanId, traceFlags: TraceFlags.SAMPLED, isRemote: true});
      const links = link === undefined ? [] : [{context: {...link, traceFlags: TraceFlags.SAMPLED}}];
      return emit(root, link === undefined ? SpanKind.SERVER : SpanKind.INTERNAL, caller, links);
    },
    async stop(graceMs) {
      await provider.forceFlush({timeoutMillis: graceMs}).catch(() => undefined);
      await provider.shutdown().catch(() => undefined);
    },
  };
}
