import {createServer, type RequestListener} from 'node:http';
import {createServer as createTlsServer, type Server as TlsServer} from 'node:https';
import type {AddressInfo} from 'node:net';
import type {Log} from '../../adapters/log.js';
import {errorText} from '../context.js';
import {secureContext, tlsOptions} from '../http/tls-options.js';
import type {CertificateSource} from '../types.js';
import type {Metrics} from './metrics.js';

export interface MetricsServer {
  listen(port: number, host?: string): Promise<void>;
  close(): Promise<void>;
  address(): {readonly host: string; readonly port: number} | undefined;
}

export interface MetricsServerOptions {
  readonly metrics: Metrics;
  /** Further paths, each answered with its value as JSON. */
  readonly documents?: Readonly<Record<string, () => unknown>>;
  /** HTTPS with this certificate, which has to be there by then, in place of plain HTTP. */
  readonly tls?: {readonly certificates: CertificateSource; readonly log: Log} | undefined;
}

/** `GET /metrics` only, on its own port so that scrapes never share the admission listener. */
export function createMetricsServer({metrics, documents = {}, tls}: MetricsServerOptions): MetricsServer {
  const server = tls === undefined ? createServer() : secureServer(tls);
  server.on('request', listener(metrics, documents));
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

function listener(metrics: Metrics, documents: Readonly<Record<string, () => unknown>>): RequestListener {
  return (request, response) => {
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
  };
}

/** Follows its certificate until it is closed. */
function secureServer({certificates, log}: {readonly certificates: CertificateSource; readonly log: Log}): TlsServer {
  const server = createTlsServer(tlsOptions(certificates.current()));
  const unsubscribe = certificates.subscribe(certificate => {
    try {
      server.setSecureContext(secureContext(certificate));
    } catch (error) {
      log.error(`new certificate of /metrics failed, the former one stays: ${errorText(error)}`);
    }
  });
  server.once('close', unsubscribe);
  return server;
}
