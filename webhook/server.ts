import {createServer, type Server} from 'node:https';
import type {AddressInfo} from 'node:net';
import {errorText} from './context.js';
import {drainServer} from './drain.js';
import {createAdmissionApp} from './http/admission-app.js';
import {trackConnections} from './http/connections.js';
import {createPipelines} from './http/pipelines.js';
import {secureContext, tlsOptions} from './http/tls-options.js';
import {defaultAdmissionLimits} from './limits.js';
import type {AdmissionLimits, AdmissionServer, AdmissionServerOptions} from './types.js';

/** The webhook server: HTTPS, HTTP/1.1, the paths of `routes.ts`. Certificates are swapped as their source says. */
export function createAdmissionServer(options: AdmissionServerOptions): AdmissionServer {
  const limits: AdmissionLimits = {...defaultAdmissionLimits, ...options.limits};
  const {clock, log} = options;
  const pipelines = createPipelines(options, limits);
  let draining = false;
  let closing = false;
  const app = createAdmissionApp({
    server: options,
    limits,
    pipelines,
    readiness: () => (draining ? {ready: false, reasons: ['shutting down']} : options.readiness()),
    closing: () => closing,
  });
  const handle = app.callback();
  const server = createServer(tlsOptions(options.certificates.current()), (request, response) => {
    void handle(request, response);
  });
  server.keepAliveTimeout = limits.keepAliveTimeoutMs;
  server.headersTimeout = limits.headersTimeoutMs;
  server.requestTimeout = limits.requestTimeoutMs;
  server.on('tlsClientError', error => log.v(4, `TLS handshake ended early: ${error.message}`));
  const connections = trackConnections(server, clock);
  const unsubscribe = options.certificates.subscribe(certificate => {
    try {
      server.setSecureContext(secureContext(certificate));
      log.v(1, 'serving certificate replaced');
    } catch (error) {
      log.error(`new serving certificate failed, the former one stays: ${errorText(error)}`);
    }
  });

  async function close(): Promise<void> {
    draining = true;
    closing = true;
    unsubscribe();
    pipelines.audit.close();
    await closeServer(server, () => connections.destroyAll());
  }

  return {
    listen: (port, host) => listen(server, port, host),
    close,
    drain: drainOptions =>
      drainServer(
        {
          clock,
          connections,
          becomeUnready: () => {
            draining = true;
          },
          becomeClosing: () => {
            closing = true;
          },
          workDone: () => pipelines.audit.idle(),
          close,
        },
        drainOptions ?? {},
      ),
    address() {
      const address = server.address() as AddressInfo | null;
      return address === null ? undefined : {host: address.address, port: address.port};
    },
  };
}

function listen(server: Server, port: number, host: string | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.removeListener('error', reject);
      resolve();
    });
  });
}

function closeServer(server: Server, endConnections: () => void): Promise<void> {
  return new Promise(resolve => {
    server.close(() => resolve());
    endConnections();
  });
}
