import type {Logger} from '../../adapters/log/logger.js';
import {createMetricsServer, type MetricsServer, type MetricsServerOptions} from '../../webhook/metrics/metrics-server.js';
import type {Flags} from '../config/flags.js';
import type {ServedSecrets} from '../tls/served-secrets.js';

export interface ScrapesOptions extends Required<Pick<MetricsServerOptions, 'metrics' | 'documents'>> {
  readonly flags: Pick<Flags, 'metricsPort' | 'metricsHost'>;
  readonly log: Logger;
  /** Plain HTTP without them. */
  readonly certificates: ServedSecrets | undefined;
}

/** Serves `/metrics`. */
export interface Scrapes {
  /** Rejects when the port cannot be had. Admission does not wait for certificates: with them this returns at once. */
  start(over: Promise<'stopped'>): Promise<void>;
  stop(): Promise<void>;
}

export function createScrapes({metrics, documents, flags, log, certificates}: ScrapesOptions): Scrapes {
  let server: MetricsServer | undefined;

  async function serve(): Promise<void> {
    server = createMetricsServer({metrics, log, documents, tls: certificates});
    await server.listen(metricsPort(flags), flags.metricsHost || undefined);
  }

  async function serveByTls({available}: ServedSecrets, over: Promise<'stopped'>): Promise<void> {
    if ((await Promise.race([over, available])) === 'stopped') return;
    await serve().catch((error: unknown) => log.error('/metrics is not served', {error: String(error)}));
  }

  return {
    async start(over) {
      if (certificates === undefined) await serve();
      else void serveByTls(certificates, over);
    },
    async stop() {
      await server?.close();
    },
  };
}

/** Test set-ups run several replicas on one host. */
function metricsPort({metricsPort: port}: Pick<Flags, 'metricsPort'>): number {
  return Number(process.env['KYVERNO_METRICS_PORT_OVERRIDE'] ?? port);
}
