import {hasStatus} from '../../adapters/kube/kube-error.js';
import type {CollectionRef, KubeClient} from '../../adapters/kube/types.js';
import {textOf} from '../../engine/json/text.js';
import {type JsonObject, ownPath} from '../../engine/json/types.js';
import {entriesOf, failsClosed} from '../../operator/webhooks/entry-target.js';
import {managedByLabel} from '../../operator/webhooks/render-configuration.js';

export interface BreakGlassPlan {
  /** Have requests pass while nobody answers, instead of removing the configurations. */
  readonly ignore: boolean;
  readonly dryRun: boolean;
  /** Which of those with the label; all when absent. */
  readonly only?: (configuration: JsonObject) => boolean;
  readonly out: (text: string) => void;
}

const resources = ['validatingwebhookconfigurations', 'mutatingwebhookconfigurations'] as const;
const labelSelector = `${managedByLabel}=kyverno`;
const callMs = 10_000;

export const deleteLine = `kubectl delete ${resources.join(',')} -l ${labelSelector}`;

/**
 * Takes all webhook configurations with the operator's label out of the way. The operator writes them anew as soon as it
 * leads again: nothing is lost that has to be kept.
 */
export async function breakGlass(client: KubeClient, {ignore, dryRun, only, out}: BreakGlassPlan): Promise<void> {
  const would = dryRun ? 'would be ' : '';
  let count = 0;
  for (const resource of resources) {
    const collection: CollectionRef = {group: 'admissionregistration.k8s.io', version: 'v1', resource};
    const {items} = await client.list(collection, {labelSelector, timeoutMs: callMs});
    for (const live of items) {
      const name = textOf(ownPath(live, 'metadata', 'name'));
      if (only?.(live) === false) continue;
      const closed = entriesOf(live).filter(failsClosed).length;
      if (ignore && closed === 0) continue;
      if (!dryRun) await (ignore ? setIgnore(client, collection, live) : remove(client, collection, name));
      count += 1;
      out(ignore ? `${resource}/${name}: ${closed} of ${entriesOf(live).length} entries ${would}set to Ignore\n` : `${resource}/${name} ${would}deleted\n`);
    }
  }
  if (count === 0) out('nothing to do: no webhook configuration of the operator stands in the way\n');
  else out(`${count} webhook configurations ${dryRun ? 'would be ' : ''}out of the way: requests pass unjudged until the operator writes them anew, which it does as soon as a replica leads\n`);
  if (!ignore) out(`the same by hand: ${deleteLine}\n`);
}

async function remove(client: KubeClient, collection: CollectionRef, name: string): Promise<void> {
  try {
    await client.delete({...collection, name}, {timeoutMs: callMs});
  } catch (error) {
    // Gone already, by another hand: that is what is wanted.
    if (!hasStatus(error, 404)) throw error;
  }
}

async function setIgnore(client: KubeClient, collection: CollectionRef, live: JsonObject): Promise<void> {
  const name = textOf(ownPath(live, 'metadata', 'name'));
  const webhooks = entriesOf(live).map(entry => ({...entry, failurePolicy: 'Ignore'}));
  await client.update({...collection, name}, {...live, webhooks}, {timeoutMs: callMs, fieldManager: 'kyverno-break-glass'});
}
