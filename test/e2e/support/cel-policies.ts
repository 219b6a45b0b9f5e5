import {eventually} from '../../cluster/eventually.js';
import type {OperatorCluster} from './operator-cluster.js';
import type {Thing} from './policies.js';

type Operator = Pick<OperatorCluster, 'cluster' | 'barrier'>;

const root = '/apis/policies.kyverno.io/v1beta1';

export function celPath({kind, metadata}: Thing): string {
  const resource = kind === 'PolicyException' ? 'policyexceptions' : `${kind.slice(0, -1).toLowerCase()}ies`;
  const where = metadata.namespace === undefined ? '' : `namespaces/${metadata.namespace}/`;
  return `${root}/${where}${resource}/${metadata.name}`;
}

export interface CelSample {
  readonly namespace?: string;
  readonly resources?: readonly string[];
  readonly groups?: readonly string[];
  readonly operations?: readonly string[];
  readonly spec: Readonly<Record<string, unknown>>;
}

/** A policy of a CEL kind on ConfigMaps, unless told otherwise. */
export function celPolicy(kind: string, name: string, {namespace, resources = ['configmaps'], groups = [''], operations = ['CREATE', 'UPDATE'], spec}: CelSample): Thing {
  return {
    apiVersion: 'policies.kyverno.io/v1beta1',
    kind,
    metadata: {name, ...(namespace !== undefined && {namespace})},
    spec: {matchConstraints: {resourceRules: [{apiGroups: groups, apiVersions: ['v1'], operations, resources}]}, ...spec},
  };
}

/** Server-side apply; resolves with status and message. */
export async function applyCel({cluster}: Operator, object: Thing): Promise<{readonly status: number; readonly message: string}> {
  const {status, body} = await cluster.request<{message?: string}>('PATCH', `${celPath(object)}?fieldManager=test&force=true`, object, {
    contentType: 'application/apply-patch+yaml',
  });
  return {status, message: body.message ?? ''};
}

/** Applies the policies and waits until they are Ready and in force. */
export async function putCel(operator: Operator, policies: readonly Thing[]): Promise<void> {
  for (const policy of policies) {
    const {status, message} = await applyCel(operator, policy);
    if (status > 201) throw new Error(`${policy.kind} ${policy.metadata.name}: ${status} ${message}`);
  }
  for (const policy of policies) if (policy.kind !== 'PolicyException') await celReady(operator, policy);
  await operator.barrier();
}

interface CelStatus {
  readonly observedGeneration?: number;
  readonly conditionStatus?: {readonly ready?: boolean; readonly conditions?: ReadonlyArray<{readonly type: string; readonly status: string; readonly message: string}>};
  readonly autogen?: {readonly configs: Readonly<Record<string, unknown>>};
  readonly generated?: boolean;
  readonly lastExecutionTime?: string;
}

export async function celStatusOf({cluster}: Pick<Operator, 'cluster'>, policy: Thing): Promise<CelStatus> {
  const {body} = await cluster.request<{status?: CelStatus}>('GET', celPath(policy));
  return body.status ?? {};
}

export async function celReady(operator: Pick<Operator, 'cluster'>, policy: Thing): Promise<CelStatus> {
  return eventually(
    async () => {
      const {body} = await operator.cluster.request<Thing & {status?: CelStatus}>('GET', celPath(policy));
      const {status} = body;
      return status?.conditionStatus?.ready === true && status.observedGeneration === body.metadata.generation ? status : undefined;
    },
    {what: `${policy.kind} ${policy.metadata.name} is Ready`, timeoutMs: 120_000, everyMs: 50},
  );
}

/** Deletes every policy and exception of `policies.kyverno.io`. */
export async function dropCel({cluster, barrier}: Operator): Promise<void> {
  const kinds = ['validating', 'mutating', 'generating', 'deleting', 'imagevalidating'].flatMap(kind => [`${kind}policies`, `namespaced${kind}policies`]);
  for (const resource of [...kinds, 'policyexceptions']) {
    const {body} = await cluster.request<{items: Thing[]}>('GET', `${root}/${resource}`);
    for (const {metadata} of body.items) {
      const where = metadata.namespace === undefined ? '' : `namespaces/${metadata.namespace}/`;
      await cluster.request('DELETE', `${root}/${where}${resource}/${metadata.name}`);
    }
  }
  await barrier();
}
