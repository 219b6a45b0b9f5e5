import type {Cluster} from '../../cluster/cluster.js';
import {type Item, pathOf} from './kinds.js';
import type {Snapshot} from './snapshot.js';

const policyKinds = /^(kyverno\.io|policies\.kyverno\.io|reports\.kyverno\.io|wgpolicyk8s\.io)\//;

/** Stored objects of our kinds that the definitions of the moment would not take as they are, status apart, and why. */
export async function refusedObjects(cluster: Pick<Cluster, 'request'>, snapshot: Snapshot): Promise<readonly string[]> {
  const refused: string[] = [];
  for (const [id, item] of snapshot) {
    if (!policyKinds.test(id)) continue;
    for (const part of ['', '/status'] as const) {
      if (part !== '' && item['status'] === undefined) continue;
      const path = pathOf(item);
      const put = (object: Item) => cluster.request<{message?: string}>('PUT', `${path}${part}?dryRun=All&fieldValidation=Strict`, object);
      let answer = await put(item);
      // Written meanwhile, or gone: an operator may be at work.
      for (let tries = 0; tries < 10 && answer.status === 409; tries += 1) {
        const now = await cluster.request<Item>('GET', path);
        if (now.status === 404) break;
        answer = await put(now.body);
      }
      const {status, body} = answer;
      // Kinds without the subresource have no such path.
      if (status !== 200 && !(part !== '' && status === 404)) refused.push(`${id}${part}: ${status} ${body.message}`);
    }
  }
  return refused;
}
