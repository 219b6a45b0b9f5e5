import {createServer as createHttpServer, request as httpRequest, type IncomingMessage} from 'node:http';
import {createServer, type Server} from 'node:https';
import {type AddressInfo, connect, type Socket} from 'node:net';
import type {IssuedCertificate} from '../../tls/index.js';

export interface TlsFront {
  readonly port: number;
  close(): Promise<void>;
}

/** TLS before a registry on loopback; what comes in is passed on as it is. */
export async function startTlsFront(upstream: string, {cert, key}: IssuedCertificate): Promise<TlsFront> {
  const server = createServer({cert, key}, (request, response) => {
    const onward = httpRequest({host: '127.0.0.1', port: upstream.split(':')[1], method: request.method, path: request.url, headers: request.headers}, answer => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    onward.on('error', () => response.destroy());
    request.pipe(onward);
  });
  return {port: await listen(server), close: () => end(server)};
}

export interface TestProxy {
  /** `http://127.0.0.1:port`. */
  readonly url: string;
  /** `CONNECT reg.test:443` and `GET http://…`, with what came as `proxy-authorization`. */
  readonly requests: string[];
  close(): Promise<void>;
}

/** A proxy that finds every name on loopback; with `user` it wants `user:password` of everybody. */
export async function startTestProxy(user?: string): Promise<TestProxy> {
  const requests: string[] = [];
  const isLet = ({headers}: IncomingMessage) => user === undefined || headers['proxy-authorization'] === `Basic ${Buffer.from(user).toString('base64')}`;
  const server = createHttpServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    const url = new URL(request.url ?? '');
    if (!isLet(request)) return response.writeHead(407).end();
    const onward = httpRequest({host: '127.0.0.1', port: url.port, method: request.method, path: `${url.pathname}${url.search}`, headers: request.headers}, answer => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    onward.on('error', () => response.writeHead(502).end());
    request.pipe(onward);
  });
  const tunnels = new Set<Socket>();
  server.on('connect', (request, socket: Socket) => {
    requests.push(`CONNECT ${request.url}`);
    if (!isLet(request)) return socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
    const onward = connect(Number(request.url?.split(':')[1]), '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      socket.pipe(onward).pipe(socket);
    });
    for (const one of [socket, onward]) {
      tunnels.add(one);
      // The other side ends with it.
      one.on('error', () => [socket, onward].map(each => each.destroy()));
    }
  });
  const port = await listen(server);
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    async close() {
      for (const socket of tunnels) socket.destroy();
      await end(server);
    },
  };
}

type AnyServer = Server | ReturnType<typeof createHttpServer>;

async function listen(server: AnyServer): Promise<number> {
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

function end(server: AnyServer): Promise<void> {
  return new Promise(resolve => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
