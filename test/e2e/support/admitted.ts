import type {OperatorCluster} from './operator-cluster.js';
import {collectionOf, type Thing} from './policies.js';

/** What the API server made of an object, or why it refused it. */
export interface Admitted {
  readonly allowed: boolean;
  readonly message: string;
  /** Of the response's headers. */
  readonly warnings: string;
  /** Image of the first container. */
  readonly image: string;
  readonly annotations: Readonly<Record<string, string>>;
  readonly body: Thing;
}

interface PodSpec {
  readonly containers?: readonly {readonly image: string}[];
  readonly template?: {readonly spec: PodSpec};
  readonly jobTemplate?: {readonly spec: PodSpec};
}

interface Workload extends Thing {
  readonly message?: string;
  readonly spec?: PodSpec;
}

/** Creates an object; without a trace unless told otherwise. */
export async function admit({cluster}: Pick<OperatorCluster, 'cluster'>, object: Thing, {dryRun = true} = {}): Promise<Admitted> {
  const {status, body, headers} = await cluster.request<Workload>('POST', `${collectionOf(object)}${dryRun ? '?dryRun=All' : ''}`, object);
  const warnings = String(headers['warning'] ?? '');
  return {allowed: status < 300, message: body.message ?? '', warnings, image: containersOf(body.spec)[0]?.image ?? '', annotations: body.metadata?.annotations ?? {}, body};
}

function containersOf(spec: PodSpec | undefined): readonly {readonly image: string}[] {
  if (spec?.containers !== undefined) return spec.containers;
  const inner = spec?.template?.spec ?? spec?.jobTemplate?.spec;
  return inner === undefined ? [] : containersOf(inner);
}
