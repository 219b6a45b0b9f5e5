import {createServer} from 'node:http';
import type {AddressInfo} from 'node:net';
import type {Metrics} from './metrics.js';

export interface MetricsServer {
  listen(port: number, host?: string): Promise<void>;
  close(): Promise<void>;
  address(): {readonly host: string; readonly port: number} | undefined;
}

/**
 * Plain HTTP, `GET /metrics` only, on its own port so that scrapes never share the admission listener. `documents` adds
 * further paths, each answered with its value as JSON.
 */
export function createMetricsServer(
  metrics: Metrics,
  documents: Readonly<Record<string, () => unknown>> = {},
): MetricsServer {
  const server = createServer((request, response) => {
    request.resume();
    const path = request.url?.split('?')[0] ?? '';
    const reads = request.method === 'GET' || request.method === 'HEAD';
    if (reads && Object.hasOwn(documents, path)) {
      response.writeHead(200, {'Content-Type': 'application/json'}).end(JSON.stringify(documents[path]?.()));
      return;
    }
    if (path !== '/metrics' || !reads) {
      response.writeHead(404, {'Content-Type': 'text/plain; charset=utf-8'}).end('only GET /metrics');
      return;
    }
    metrics.text().then(
      text => response.writeHead(200, {'Content-Type': metrics.registry.contentType}).end(text),
      () => response.writeHead(500).end(),
    );
  });
  server.headersTimeout = 10_000;
  server.requestTimeout = 10_000;
  return {
    listen: (port, host) =>
      new Promise((resolve, reject) => {
        server.once('error', reject);
        server.listen(port, host, () => {
          server.removeListener('error', reject);
          resolve();
        });
      }),
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
    address() {
      const address = server.address() as AddressInfo | null;
      return address === null ? undefined : {host: address.address, port: address.port};
    },
  };
}
