import {hasStatus} from '../../adapters/kube/kube-error.js';
import type {KubeClient} from '../../adapters/kube/types.js';
import type {Logger} from '../../adapters/log/logger.js';
import {deepEqual} from '../../engine/json/equal.js';
import {textOf} from '../../engine/json/text.js';
import {isObject, type JsonObject, own, ownPath} from '../../engine/json/types.js';
import {entriesOf, failsClosed, leadsToUs, type OwnTarget} from './entry-target.js';
import {managedByLabel} from './render-configuration.js';

export interface RepairOptions {
  readonly client: KubeClient;
  readonly log: Logger;
  /** `undefined`: there is no certificate yet, and nobody can answer any of them. */
  readonly target: OwnTarget | undefined;
}

const group = {group: 'admissionregistration.k8s.io', version: 'v1'} as const;
const callMs = 5_000;

/**
 * The first act of a leader, before caches are complete and requests are served: entries that lead to us get the
 * authority of our certificates, and those that lead nowhere stop refusing: else they could refuse the very Secrets that hold
 * the certificates. What they should be in full follows.
 */
export async function repairConfigurations({client, log, target}: RepairOptions): Promise<void> {
  for (const resource of ['validatingwebhookconfigurations', 'mutatingwebhookconfigurations']) {
    const {items} = await client.list({...group, resource}, {labelSelector: `${managedByLabel}=kyverno`, timeoutMs: callMs, unthrottled: true});
    for (const live of items) {
      const repaired = repairedConfiguration(live, target);
      if (repaired === undefined) continue;
      const name = textOf(ownPath(live, 'metadata', 'name'));
      try {
        await client.update({...group, resource, name}, repaired, {fieldManager: 'kyverno', unthrottled: true, timeoutMs: callMs});
        log.info(`webhook configuration ${name} repaired before serving`);
      } catch (error) {
        // Another replica was there first, or it is gone: the full look that follows settles it.
        if (!hasStatus(error, 409) && !hasStatus(error, 404)) throw error;
      }
    }
  }
}

/** `undefined`: nothing stands in anybody's way. */
export function repairedConfiguration(live: JsonObject, target: OwnTarget | undefined): JsonObject | undefined {
  const entries = entriesOf(live);
  const repaired = entries.map(entry => repairedEntry(entry, target));
  return deepEqual(entries as JsonObject[], repaired) ? undefined : {...live, webhooks: repaired};
}

function repairedEntry(entry: JsonObject, target: OwnTarget | undefined): JsonObject {
  if (target === undefined || !leadsToUs(entry, target)) return failsClosed(entry) ? {...entry, failurePolicy: 'Ignore'} : entry;
  const client = own(entry, 'clientConfig');
  return {...entry, clientConfig: {...(isObject(client) ? client : {}), caBundle: Buffer.from(target.caBundle, 'utf8').toString('base64')}};
}
