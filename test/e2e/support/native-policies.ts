import {eventually} from '../../cluster/eventually.js';
import {celStatusOf} from './cel-policies.js';
import type {OperatorCluster} from './operator-cluster.js';
import type {Thing} from './policies.js';

type Operator = Pick<OperatorCluster, 'cluster'>;

export interface NativeObject extends Thing {
  readonly metadata: Thing['metadata'] & {readonly resourceVersion?: string; readonly ownerReferences?: ReadonlyArray<{readonly kind: string; readonly name: string}>};
  readonly spec: {
    readonly matchConditions?: ReadonlyArray<{readonly name: string; readonly expression: string}>;
    readonly variables?: ReadonlyArray<{readonly name: string; readonly expression: string}>;
    readonly matchConstraints?: Readonly<Record<string, unknown>>;
    readonly validations?: ReadonlyArray<{readonly expression: string}>;
    readonly failurePolicy?: string;
    readonly validationActions?: readonly string[];
  };
}

const root = '/apis/admissionregistration.k8s.io/v1';

export function nativePath(resource: string, name: string): string {
  return `${root}/${resource}/${name}`;
}

/** `undefined` = there is none. */
export async function nativeObject({cluster}: Operator, resource: string, name: string): Promise<NativeObject | undefined> {
  const {status, body} = await cluster.request<NativeObject>('GET', nativePath(resource, name));
  return status === 200 ? body : undefined;
}

/** Waits until the API server judges by a copy of the policy, and webhooks no longer do. */
export async function judgedNatively(operator: Operator, policy: Thing): Promise<void> {
  await eventually(async () => (await celStatusOf(operator, policy)).generated === true, {what: `${policy.metadata.name} is judged by the API server`, timeoutMs: 120_000, everyMs: 100});
}

/** Paths of our webhooks, that name the policies they are for. */
export async function webhookPaths({cluster}: Operator, kind: 'validating' | 'mutating'): Promise<string> {
  const path = `${root}/${kind}webhookconfigurations/kyverno-resource-${kind}-webhook-cfg`;
  const {body} = await cluster.request<{webhooks?: ReadonlyArray<{clientConfig: {service?: {path: string}; url?: string}}>}>('GET', path);
  return (body.webhooks ?? []).map(({clientConfig}) => clientConfig.service?.path ?? clientConfig.url ?? '').join(' ');
}
