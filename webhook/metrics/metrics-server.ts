import {createServer, type RequestListener} from 'node:http';
import {createServer as createTlsServer, type Server as TlsServer} from 'node:https';
import type {AddressInfo} from 'node:net';
import {Readable} from 'node:stream';
import {pipeline} from 'node:stream/promises';
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
  readonly log: Log;
  /** Further paths, each answered with its value as JSON. */
  readonly documents?: Readonly<Record<string, () => unknown>>;
  /** HTTPS with this certificate, which has to be there by then, in place of plain HTTP. */
  readonly tls?: CertificateSource | undefined;
}

/** `GET /metrics` only, on its own port so that scrapes never share the admission listener. */
export function createMetricsServer({metrics, log, documents = {}, tls}: MetricsServerOptions): MetricsServer {
  const server = tls === undefined ? createServer() : secureServer(tls, log);
  server.on('request', listener(metrics, documents, log));
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

function listener(metrics: Metrics, documents: Readonly<Record<string, () => unknown>>, log: Log): RequestListener {
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
    response.setHeader('Content-Type', metrics.registry.contentType);
    if (request.method === 'HEAD') response.end();
    // A part that fails breaks the answer off: half a text is not to be taken for a whole one.
    else pipeline(Readable.from(metrics.parts()), response).catch((error: NodeJS.ErrnoException) => log[error.code === gone ? 'debug' : 'error'](`/metrics was broken off: ${errorText(error)}`));
  };
}

/** Of a scraper that did not wait for the end. */
const gone = 'ERR_STREAM_PREMATURE_CLOSE';

/** Follows its certificate until it is closed. */
function secureServer(certificates: CertificateSource, log: Log): TlsServer {
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
