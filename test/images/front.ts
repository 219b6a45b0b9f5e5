import {createServer, request as httpRequest, type IncomingMessage, type ServerResponse} from 'node:http';
import type {AddressInfo} from 'node:net';
import {address} from './address.js';

export interface Front {
  /** Host and port, plain HTTP. */
  readonly host: string;
  /** `GET /v2/…` in order. */
  readonly requests: string[];
  /** Answers in place of the registry when it returns true. */
  intercept: ((request: IncomingMessage, response: ServerResponse) => boolean) | undefined;
  close(): Promise<void>;
}

/** Stands before a registry, counts what is asked, and gets in the way when a test wants it. */
export async function startFront(target: string): Promise<Front> {
  const [hostname = '', port = ''] = target.split(':');
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    if (front.intercept?.(request, response)) return;
    const outgoing = httpRequest({hostname, port, method: request.method, path: request.url, headers: request.headers}, answer => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    outgoing.once('error', () => response.destroy());
    request.pipe(outgoing);
  });
  await new Promise<void>(done => server.listen(0, address, done));
  const front: Front = {
    host: `${address}:${(server.address() as AddressInfo).port}`,
    requests,
    intercept: undefined,
    close: () =>
      new Promise(done => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
  return front;
}
