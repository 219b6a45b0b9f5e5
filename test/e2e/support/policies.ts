import {builtinResourceMap} from '../../../engine/builtin-resources.js';
import {eventually} from '../../cluster/eventually.js';
import type {OperatorCluster} from './operator-cluster.js';
import {scrape, total} from './replicas.js';

export interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
  readonly observedGeneration?: number;
}

export interface Thing {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly uid?: string;
    readonly generation?: number;
    readonly resourceVersion?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly spec?: unknown;
  readonly status?: {readonly conditions?: readonly Condition[]} & Readonly<Record<string, unknown>>;
}

type Operator = Pick<OperatorCluster, 'cluster' | 'agent' | 'barrier'>;

const policyPaths: Readonly<Record<string, string>> = {ClusterPolicy: 'clusterpolicies', Policy: 'policies'};

export function policyPath({kind, metadata}: Thing): string {
  const where = kind === 'Policy' ? `namespaces/${metadata.namespace}/` : '';
  return `/apis/kyverno.io/v1/${where}${policyPaths[kind]}/${metadata.name}`;
}

export function isPolicy({kind}: Thing): boolean {
  return Object.hasOwn(policyPaths, kind);
}

/** Waits for the verdict on the policy's present generation: its condition Ready, True or the final False. */
export async function verdictOf({cluster}: Operator, policy: Thing): Promise<Condition> {
  return eventually(
    async () => {
      const {body} = await cluster.request<Thing>('GET', policyPath(policy));
      const ready = body.status?.conditions?.find(({type}) => type === 'Ready');
      const current = ready?.observedGeneration === body.metadata.generation;
      return current && ready?.reason !== 'Pending' ? ready : undefined;
    },
    {what: `verdict on policy ${policy.metadata.name}`, timeoutMs: 120_000, everyMs: 50},
  );
}

/** Waits until all are Ready and the API server calls us for them. */
export async function allServed(operator: Operator, policies: readonly Thing[]): Promise<void> {
  for (const policy of policies.filter(isPolicy)) {
    const {status, message} = await verdictOf(operator, policy);
    if (status !== 'True') throw new Error(`policy ${policy.metadata.name} is not Ready: ${message}`);
  }
  await operator.barrier();
}

/** Creates or replaces the objects by server-side apply, and waits until the policies among them are in force. */
export async function put(operator: Operator, objects: readonly Thing[]): Promise<void> {
  for (const object of objects) await write(operator, object);
  await allServed(operator, objects);
}

/** Server-side apply; throws when it is refused. */
export async function write({cluster}: Pick<Operator, 'cluster'>, object: Thing): Promise<Thing> {
  const {status, body} = await cluster.request<Thing>(
    'PATCH',
    `${pathOf(object)}?fieldManager=test&force=true`,
    object,
    {
      contentType: 'application/apply-patch+yaml',
    },
  );
  if (status !== 200 && status !== 201)
    throw new Error(`${object.kind} ${object.metadata.name}: ${status} ${JSON.stringify(body)}`);
  return body;
}

/** Deletes every policy and exception of the cluster, and waits until no replica holds a policy any more. */
export async function dropAll({cluster, agent, barrier}: Operator): Promise<void> {
  for (const [version, resource] of [
    ['v1', 'clusterpolicies'],
    ['v1', 'policies'],
    ['v2', 'policyexceptions'],
  ]) {
    const base = `/apis/kyverno.io/${version}`;
    const {body} = await cluster.request<{items: Thing[]}>('GET', `${base}/${resource}`);
    for (const {metadata} of body.items) {
      const where = metadata.namespace === undefined ? '' : `namespaces/${metadata.namespace}/`;
      await cluster.request('DELETE', `${base}/${where}${resource}/${metadata.name}`);
    }
  }
  const patience = {timeoutMs: 120_000, everyMs: 50};
  await eventually(async () => total(await scrape(agent), 'kyverno_policies') === 0, {
    what: 'no policy in any replica',
    ...patience,
  });
  await eventually(async () => (await ourEntries(cluster)) === 0, {what: 'no webhook entry for policies', ...patience});
  await barrier();
}

async function ourEntries(cluster: Operator['cluster']): Promise<number> {
  let count = 0;
  for (const kind of ['validating', 'mutating']) {
    const path = `/apis/admissionregistration.k8s.io/v1/${kind}webhookconfigurations/kyverno-resource-${kind}-webhook-cfg`;
    const {body} = await cluster.request<{webhooks?: unknown[]}>('GET', path);
    count += body.webhooks?.length ?? 0;
  }
  return count;
}

/** Paths of our own kinds. */
const collections: Readonly<Record<string, string>> = {
  ClusterPolicy: '/apis/kyverno.io/v1//clusterpolicies',
  Policy: '/apis/kyverno.io/v1/policies',
};

function collectionOfBuiltin({apiVersion, kind}: Thing): string | undefined {
  const group = apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '';
  const info = builtinResourceMap.find(kind).find(found => found.group === group);
  if (info === undefined) return undefined;
  return `${group === '' ? '/api' : '/apis'}/${apiVersion}${info.namespaced ? '/' : '//'}${info.resource}`;
}

/** Path of the object's collection: `/apis/apps/v1/namespaces/default/deployments`. */
export function collectionOf(object: Thing): string {
  const {apiVersion, kind, metadata} = object;
  const known =
    kind === 'PolicyException'
      ? `/apis/${apiVersion}/policyexceptions`
      : (collections[kind] ?? collectionOfBuiltin(object));
  if (known === undefined) throw new Error(`no path is known for kind ${kind}`);
  if (known.includes('//')) return known.replace('//', '/');
  const slash = known.lastIndexOf('/');
  return `${known.slice(0, slash)}/namespaces/${metadata.namespace ?? 'default'}${known.slice(slash)}`;
}

export function pathOf(object: Thing): string {
  return `${collectionOf(object)}/${object.metadata.name}`;
}
