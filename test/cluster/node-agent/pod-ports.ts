import {freePorts} from '../ports.js';
import type {Pod} from './types.js';

/** Replicas that share one address get ports of their own in place of those in the spec. */
export interface PodPorts {
  readonly webhook: number;
  readonly metrics: number;
  /** Environment that tells the program. */
  readonly env: Readonly<Record<string, string>>;
  /** The real port behind a port name or number of the spec. */
  resolve(port: number | string): number;
  /** Whether the Pod declares a webhook port. */
  readonly servesWebhooks: boolean;
}

const webhookNumber = 9443;
const metricsNumber = 8000;

/** `own`: the Pod has a network of its own, and its ports are those of its spec. */
export async function choosePodPorts(pod: Pod, own = false): Promise<PodPorts> {
  const declared = pod.spec.containers.flatMap(({ports}) => ports ?? []);
  const numberOf = (...names: readonly string[]) =>
    declared.find(({name}) => names.includes(name ?? ''))?.containerPort;
  const specified = [numberOf('https') ?? webhookNumber, numberOf('metrics-port', 'metrics') ?? metricsNumber] as const;
  const [webhook = 0, metrics = 0] = own ? specified : await freePorts(2);
  const moved = own
    ? new Map<number, number>()
    : new Map([
        [webhookNumber, webhook],
        [metricsNumber, metrics],
        [specified[0], webhook],
        [specified[1], metrics],
      ]);
  return {
    webhook,
    metrics,
    env: own ? {} : {KYVERNO_WEBHOOK_PORT_OVERRIDE: String(webhook), KYVERNO_METRICS_PORT_OVERRIDE: String(metrics)},
    servesWebhooks: declared.some(({name, containerPort}) => name === 'https' || containerPort === webhookNumber),
    resolve(port) {
      const number = typeof port === 'number' ? port : (numberOf(port) ?? Number(port));
      if (!Number.isInteger(number)) throw new Error(`no container port is named ${port}`);
      return moved.get(number) ?? number;
    },
  };
}
