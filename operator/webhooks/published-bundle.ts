import {type JsonObject, own, ownPath} from '../../engine/json/types.js';
import {managedByLabel} from './render-configuration.js';

/** True when every entry of ours in these configurations carries `bundle` (PEM). */
export function carryBundle(configurations: Iterable<JsonObject>, bundle: string): boolean {
  const encoded = Buffer.from(bundle, 'utf8').toString('base64');
  for (const configuration of configurations) {
    if (ownPath(configuration, 'metadata', 'labels', managedByLabel) !== 'kyverno') continue;
    const webhooks = own(configuration, 'webhooks');
    for (const webhook of Array.isArray(webhooks) ? webhooks : []) {
      if (ownPath(webhook, 'clientConfig', 'caBundle') !== encoded) return false;
    }
  }
  return true;
}
