import {freePorts} from '../ports.js';
import type {Pod} from './types.js';

/** Replicas share one address, so each gets its own ports in place of those in its spec. */
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

export async function choosePodPorts(pod: Pod): Promise<PodPorts> {
  const declared = pod.spec.containers.flatMap(({ports}) => ports ?? []);
  const numberOf = (...names: readonly string[]) =>
    declared.find(({name}) => names.includes(name ?? ''))?.containerPort;
  const [webhook = 0, metrics = 0] = await freePorts(2);
  const moved = new Map([
    [webhookNumber, webhook],
    [metricsNumber, metrics],
    [numberOf('https') ?? webhookNumber, webhook],
    [numberOf('metrics-port', 'metrics') ?? metricsNumber, metrics],
  ]);
  return {
    webhook,
    metrics,
    env: {KYVERNO_WEBHOOK_PORT_OVERRIDE: String(webhook), KYVERNO_METRICS_PORT_OVERRIDE: String(metrics)},
    servesWebhooks: declared.some(({name, containerPort}) => name === 'https' || containerPort === webhookNumber),
    resolve(port) {
      const number = typeof port === 'number' ? port : (numberOf(port) ?? Number(port));
      if (!Number.isInteger(number)) throw new Error(`no container port is named ${port}`);
      return moved.get(number) ?? number;
    },
  };
}
