import {createServer, type IncomingMessage} from 'node:http';
import {createServer as createHttp2Server} from 'node:http2';
import type {AddressInfo} from 'node:net';

/** A span as a collector gets it. */
export interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string;
  readonly name: string;
  /** Nanoseconds since the epoch. */
  readonly start: bigint;
  readonly end: bigint;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly failed: boolean;
  readonly resource: Readonly<Record<string, unknown>>;
}

export interface TestCollector {
  readonly port: number;
  readonly spans: ReceivedSpan[];
  /** Answers of the next requests: HTTP statuses, or gRPC ones; success when there are none left. */
  readonly script: number[];
  readonly requests: Array<{readonly path: string; readonly type: string | undefined}>;
  close(): Promise<void>;
}

/** An OpenTelemetry collector in this process, on 127.0.0.1. */
export async function startCollector(protocol: 'grpc' | 'http'): Promise<TestCollector> {
  const spans: ReceivedSpan[] = [];
  const script: number[] = [];
  const requests: Array<{readonly path: string; readonly type: string | undefined}> = [];
  const take = (message: Buffer) => {
    const answer = script.shift();
    if (answer === undefined) spans.push(...readExport(message));
    return answer;
  };
  const sessions = new Set<{destroy(): void}>();
  const http = createServer(async (request, response) => {
    const body = await bodyOf(request);
    requests.push({path: request.url ?? '', type: request.headers['content-type']});
    response.writeHead(take(body) ?? 200).end();
  });
  const grpc = createHttp2Server();
  grpc.on('session', session => {
    sessions.add(session);
    session.on('close', () => sessions.delete(session));
  });
  grpc.on('stream', (stream, headers) => {
    const chunks: Buffer[] = [];
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    stream.on('end', () => {
      requests.push({path: headers[':path'] ?? '', type: headers['content-type']});
      const frame = Buffer.concat(chunks);
      if (frame[0] !== 0 || frame.readUInt32BE(1) !== frame.length - 5) throw new Error('no gRPC frame');
      const status = take(frame.subarray(5)) ?? 0;
      stream.respond({':status': 200, 'content-type': 'application/grpc'}, {waitForTrailers: true});
      stream.on('wantTrailers', () => stream.sendTrailers({'grpc-status': String(status)}));
      stream.end(status === 0 ? Buffer.alloc(5) : undefined);
    });
  });
  const server = protocol === 'grpc' ? grpc : http;
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    spans,
    script,
    requests,
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve());
        for (const session of sessions) session.destroy();
        http.closeAllConnections();
      }),
  };
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

type Field = readonly [number: number, value: bigint | Buffer];

/** Just enough of protobuf. */
function* fields(message: Buffer): Iterable<Field> {
  let at = 0;
  const varint = () => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = message[at++]!;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  };
  while (at < message.length) {
    const tag = Number(varint());
    const wire = tag & 7;
    if (wire === 0) yield [tag >> 3, varint()];
    else if (wire === 1) {
      yield [tag >> 3, message.readBigUInt64LE(at)];
      at += 8;
    } else if (wire === 5) {
      yield [tag >> 3, BigInt(message.readUInt32LE(at))];
      at += 4;
    } else {
      const length = Number(varint());
      yield [tag >> 3, message.subarray(at, at + length)];
      at += length;
    }
  }
}

function all(message: Buffer, wanted: number): Buffer[] {
  return [...fields(message)].flatMap(([number, value]) => (number === wanted && Buffer.isBuffer(value) ? [value] : []));
}

function attributesOf(messages: readonly Buffer[]): Record<string, unknown> {
  return Object.fromEntries(messages.map(message => [String(all(message, 1)[0]), valueOf(all(message, 2)[0] ?? Buffer.alloc(0))]));
}

function valueOf(message: Buffer): unknown {
  for (const [number, value] of fields(message)) {
    if (number === 1) return String(value);
    if (number === 2) return value === 1n;
    if (number === 3) return Number(value);
    if (number === 5) return all(value as Buffer, 1).map(valueOf);
  }
  return undefined;
}

function readExport(message: Buffer): ReceivedSpan[] {
  return all(message, 1).flatMap(resourceSpans => {
    const resource = attributesOf(all(all(resourceSpans, 1)[0] ?? Buffer.alloc(0), 1));
    return all(resourceSpans, 2).flatMap(scope =>
      all(scope, 2).map(span => {
        const numbers = new Map([...fields(span)].filter((field): field is readonly [number, bigint] => typeof field[1] === 'bigint'));
        const hex = (field: number) => all(span, field)[0]?.toString('hex') ?? '';
        const status = all(span, 15)[0];
        return {
          traceId: hex(1),
          spanId: hex(2),
          parentSpanId: hex(4),
          name: String(all(span, 5)[0]),
          start: numbers.get(7) ?? 0n,
          end: numbers.get(8) ?? 0n,
          attributes: attributesOf(all(span, 9)),
          failed: status !== undefined && [...fields(status)].some(([number, value]) => number === 3 && value === 2n),
          resource,
        };
      }),
    );
  });
}
