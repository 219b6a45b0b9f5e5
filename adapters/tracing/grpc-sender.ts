import {type ClientHttp2Session, connect, constants} from 'node:http2';
import {SendError, type TraceSender} from './trace-sender.js';

const method = '/opentelemetry.proto.collector.trace.v1.TraceService/Export';
const prefixBytes = 5;
/** Statuses after which the protocol asks to try again: cancelled, deadline, exhausted, aborted, out of range, unavailable, data loss. */
const transient = new Set(['1', '4', '8', '10', '11', '14', '15']);

/**
 * OTLP over gRPC: one unary call, which needs no more of gRPC than a length before the message and a status after the
 * answer. One connection, opened anew when it has ended.
 */
export function createGrpcSender(url: URL, ca: string | undefined): TraceSender {
  let session: ClientHttp2Session | undefined;

  function connected(): ClientHttp2Session {
    if (session !== undefined && !session.closed && !session.destroyed) return session;
    const opened = connect(url.origin, ca === undefined ? {} : {ca});
    // Calls under way say what happened.
    opened.on('error', () => undefined);
    opened.on('goaway', () => opened.close());
    session = opened;
    return opened;
  }

  return {
    send: (body, signal) =>
      new Promise((resolve, reject) => {
        const stream = connected().request(
          {':method': 'POST', ':path': method, 'content-type': 'application/grpc', te: 'trailers', 'user-agent': 'kyverno'},
          {signal},
        );
        let http = 0;
        let status: string | undefined;
        let message = '';
        const read = (headers: Readonly<Record<string, unknown>>) => {
          if (headers['grpc-status'] !== undefined) status = String(headers['grpc-status']);
          if (headers['grpc-message'] !== undefined) message = String(headers['grpc-message']);
        };
        stream.on('response', headers => {
          http = Number(headers[constants.HTTP2_HEADER_STATUS]);
          read(headers);
        });
        stream.on('trailers', read);
        stream.on('error', reject);
        stream.on('close', () => {
          if (status === '0') resolve();
          else if (status === undefined) reject(new SendError(`the collector answered ${http} without a gRPC status`, http !== 404));
          else reject(new SendError(`the collector answered gRPC status ${status} ${message}`.trim(), transient.has(status)));
        });
        stream.resume();
        stream.end(framed(body));
      }),
    close: () => session?.destroy(),
  };
}

/** Not compressed, then the length. */
function framed(body: Uint8Array): Buffer {
  const frame = Buffer.alloc(prefixBytes + body.length);
  frame.writeUInt32BE(body.length, 1);
  frame.set(body, prefixBytes);
  return frame;
}
