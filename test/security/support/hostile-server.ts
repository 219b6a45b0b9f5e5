import {createServer, type IncomingMessage, type ServerResponse} from 'node:http';
import type {AddressInfo} from 'node:net';

export interface HostileServer {
  /** `127.0.0.1:port`. */
  readonly host: string;
  readonly port: number;
  /** Method, path and `authorization` of each request, in order. */
  readonly requests: {readonly line: string; readonly authorization: string | undefined}[];
  close(): Promise<void>;
}

/** A server on loopback that answers whatever a test wants. */
export async function startHostileServer(answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<HostileServer> {
  const requests: HostileServer['requests'] = [];
  const server = createServer((request, response) => {
    requests.push({line: `${request.method} ${request.url}`, authorization: request.headers.authorization});
    answer(request, response);
  });
  // Both families, so that `localhost` leads here whatever it stands for first.
  await new Promise<void>(done => server.listen(0, done));
  const {port} = server.address() as AddressInfo;
  return {
    host: `127.0.0.1:${port}`,
    port,
    requests,
    close: () =>
      new Promise(done => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}
