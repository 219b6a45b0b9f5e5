import {ProtobufTraceSerializer} from '@opentelemetry/otlp-transformer';
import type {ReadableSpan, SpanExporter} from '@opentelemetry/sdk-trace';
import type {Logger} from '../log/logger.js';
import {withTimeLimit} from '../time-limit.js';
import {SendError, type TraceSender} from './trace-sender.js';

export interface SpanExporterOptions {
  readonly sender: TraceSender;
  readonly log: Logger;
  /** Of one try, milliseconds; 10,000 when absent. */
  readonly timeoutMs?: number;
  /** Before another try, milliseconds, doubled each time; 1,000 when absent. */
  readonly retryMs?: number;
}

const tries = 3;
type Done = Parameters<SpanExporter['export']>[1];

/** Batches as OTLP messages. Spans that cannot be delivered are lost, with one line until some are delivered again. */
export function createSpanExporter({sender, log, timeoutMs = 10_000, retryMs = 1_000}: SpanExporterOptions): SpanExporter {
  const closed = new AbortController();
  let lost = 0;
  let delivers = true;

  async function deliver(body: Uint8Array): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        await withTimeLimit(closed.signal, timeoutMs, limited => sender.send(body, limited));
        return;
      } catch (error) {
        const again = attempt < tries && !closed.signal.aborted && (!(error instanceof SendError) || error.isTransient);
        if (!again) throw error;
        await pause(retryMs * 2 ** (attempt - 1), closed.signal);
      }
    }
  }

  async function send(spans: ReadableSpan[], done: Done): Promise<void> {
    try {
      const body = ProtobufTraceSerializer.serializeRequest(spans);
      if (body !== undefined) await deliver(body);
      if (!delivers) log.info('traces are delivered again', {lostSpans: lost});
      delivers = true;
      lost = 0;
      done({code: 0});
    } catch (error) {
      if (delivers && !closed.signal.aborted) log.warn('traces could not be delivered', {error: String(error)});
      delivers = false;
      lost += spans.length;
      done({code: 1, error: error instanceof Error ? error : new Error(String(error))});
    }
  }

  return {
    export: (spans, done) => void send(spans, done),
    shutdown() {
      closed.abort();
      sender.close();
      return Promise.resolve();
    },
  };
}

function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    const timer = setTimeout(end, milliseconds);
    function end(): void {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    }
    signal.addEventListener('abort', end, {once: true});
  });
}
