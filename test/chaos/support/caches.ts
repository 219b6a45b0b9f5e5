import type {Cluster} from '../../cluster/cluster.js';
import type {NodeAgent} from '../../cluster/node-agent.js';

/** One policy as a replica's cache holds it. */
export interface Cached {
  readonly key: string;
  readonly uid: string;
  readonly generation: number;
  readonly status: 'served' | 'refused';
}

interface List {
  readonly items: readonly {
    readonly metadata: {
      readonly name: string;
      readonly namespace?: string;
      readonly uid: string;
      readonly generation: number;
    };
  }[];
}

/** What a replica holds, from its metrics listener (`KYVERNO_DEBUG_CACHE=true`). */
export async function cacheOf(metricsPort: number): Promise<readonly Cached[]> {
  const answer = await fetch(`http://127.0.0.1:${metricsPort}/debug/policies`);
  if (!answer.ok) throw new Error(`/debug/policies: ${answer.status}`);
  return (await answer.json()) as Cached[];
}

/** What keeps some replica's cache from being equal to the API server's set of (uid, generation); empty = equal. */
export async function differences(cluster: Pick<Cluster, 'request'>, agent: NodeAgent): Promise<readonly string[]> {
  const wanted = new Set<string>();
  for (const resource of ['clusterpolicies', 'policies']) {
    const {status, body} = await cluster.request<List>('GET', `/apis/kyverno.io/v1/${resource}`);
    if (status !== 200) throw new Error(`list of ${resource}: ${status}`);
    for (const {metadata} of body.items) {
      const key = metadata.namespace === undefined ? metadata.name : `${metadata.namespace}/${metadata.name}`;
      wanted.add(`${key} ${metadata.uid} ${metadata.generation}`);
    }
  }
  const found: string[] = [];
  for (const {name, metricsPort} of agent.replicas()) {
    const held = new Set((await cacheOf(metricsPort)).map(({key, uid, generation}) => `${key} ${uid} ${generation}`));
    for (const entry of wanted) if (!held.has(entry)) found.push(`${name} lacks ${entry}`);
    for (const entry of held) if (!wanted.has(entry)) found.push(`${name} still holds ${entry}`);
  }
  return found;
}
