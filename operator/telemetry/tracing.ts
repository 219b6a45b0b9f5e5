import type {KubeClient} from '../../adapters/kube/types.js';
import type {Logger} from '../../adapters/log/logger.js';
import {traceTarget} from '../../adapters/tracing/trace-target.js';
import {ownPath} from '../../engine/json/types.js';
import type {TraceSink} from '../../adapters/tracing/types.js';
import type {OperatorEnvironment} from '../config/environment.js';
import type {Flags} from '../config/flags.js';

export interface TracingOptions {
  readonly flags: Pick<Flags, 'enableTracing' | 'tracingAddress' | 'tracingPort' | 'tracingCreds'>;
  readonly environment: Pick<OperatorEnvironment, 'namespace' | 'podName'>;
  readonly client: KubeClient;
  readonly log: Logger;
  readonly version: string;
}

export interface Tracing extends TraceSink {
  /** Sends what waits, for a moment. */
  stop(): Promise<void>;
}

const graceMs = 2_000;
/** In the order in which they are looked for. */
const authorityKeys = ['ca.pem', 'ca.crt', 'tls.crt'];

/** Traces as the flags say, or `undefined`. Settings that cannot be used are logged and leave the process without traces. */
export async function startTracing({flags, environment, client, log, version}: TracingOptions): Promise<Tracing | undefined> {
  if (!flags.enableTracing) return undefined;
  try {
    const ca = flags.tracingCreds === '' ? undefined : await authority(client, environment.namespace, flags.tracingCreds);
    const target = traceTarget(flags.tracingAddress, flags.tracingPort, ca !== undefined);
    // The libraries are a part of their own, read only here.
    const {createOtelTraces} = await import('../../adapters/tracing/otel-traces.js');
    const traces = createOtelTraces({
      target,
      ca,
      log,
      version,
      resource: {
        'service.name': 'kyverno-admission-controller',
        'service.version': version,
        'service.instance.id': environment.podName,
        'k8s.namespace.name': environment.namespace,
        'k8s.pod.name': environment.podName,
      },
    });
    log.info('traces are sent', {to: target.url.href, protocol: target.protocol});
    return {submit: record => traces.submit(record), stop: () => traces.stop(graceMs)};
  } catch (error) {
    log.error('nothing is traced', {error: error instanceof Error ? error.message : String(error)});
    return undefined;
  }
}

async function authority(client: KubeClient, namespace: string, name: string): Promise<string> {
  const secret = await client.get({group: '', version: 'v1', resource: 'secrets', namespace, name});
  for (const key of authorityKeys) {
    const value = ownPath(secret, 'data', key);
    if (typeof value === 'string') return Buffer.from(value, 'base64').toString('utf8');
  }
  throw new Error(`Secret ${namespace}/${name} has none of ${authorityKeys.join(', ')}`);
}
