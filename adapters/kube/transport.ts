import {type ClientRequest, type IncomingMessage, request as httpRequest, type RequestOptions} from 'node:http';
import {request as httpsRequest} from 'node:https';
import type {Connection} from './credentials.js';
import {KubeError} from './kube-error.js';

export interface WireRequest {
  readonly method: string;
  /** Path with query. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  readonly stream: boolean;
  readonly signal: AbortSignal;
}

/** Sends one request to the connection's own server and resolves with the answer's head; redirects are left to the caller. */
export function send(connection: Connection, wire: WireRequest): Promise<IncomingMessage> {
  const {server} = connection;
  const prefix = server.pathname.replace(/\/+$/, '');
  const headers: Record<string, string> = {...wire.headers, ...connection.headers};
  if (wire.body !== undefined) headers['content-length'] = String(Buffer.byteLength(wire.body));
  const options: RequestOptions = {
    method: wire.method,
    host: server.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: server.port || (server.protocol === 'https:' ? 443 : 80),
    path: `${prefix}${wire.target}`,
    headers,
    agent: wire.stream ? connection.streamAgent : connection.agent,
    signal: wire.signal,
  };
  return new Promise((resolve, reject) => {
    const outgoing = server.protocol === 'https:' ? httpsRequest(options) : httpRequest(options);
    outgoing.once('response', resolve);
    outgoing.on('error', error => reject(failure(error, outgoing)));
    outgoing.once('socket', socket => socket.setKeepAlive(true, 30_000));
    outgoing.end(wire.body);
  });
}

/** Marks failures of a kept-alive socket that the server had closed: the request never reached it. */
export class StaleSocketError extends Error {
  override readonly name = 'StaleSocketError';
}

function failure(error: Error, outgoing: ClientRequest): Error {
  const code = (error as NodeJS.ErrnoException).code;
  if (outgoing.reusedSocket && (code === 'ECONNRESET' || code === 'EPIPE')) {
    return new StaleSocketError(error.message, {cause: error});
  }
  return error;
}

/** The whole body as text; rejects with a `TooLarge` KubeError beyond `maxBytes`. */
export async function readBody(response: IncomingMessage, maxBytes: number): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response) {
    const bytes = chunk as Buffer;
    size += bytes.length;
    if (size > maxBytes) {
      response.destroy();
      throw new KubeError({
        status: response.statusCode ?? 0,
        reason: 'TooLarge',
        message: `answer exceeded the limit of ${maxBytes} bytes`,
      });
    }
    chunks.push(bytes);
  }
  if (!response.complete) throw new Error('connection closed before the answer was complete');
  return (chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)).toString('utf8');
}
