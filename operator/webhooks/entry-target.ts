import {findRoute} from '../../webhook/routes.js';
import {textOf} from '../../engine/json/text.js';
import {isObject, type Json, type JsonObject, own, ownPath} from '../../engine/json/types.js';
import {managedByLabel} from './render-configuration.js';

export interface OwnTarget {
  readonly service: {readonly namespace: string; readonly name: string};
  /** PEM of the authority that our certificates are checked by. */
  readonly caBundle: string;
}

/** Whether it carries the label of configurations that we, or the peer before us, keep. */
export function isManaged(configuration: JsonObject): boolean {
  return ownPath(configuration, 'metadata', 'labels', managedByLabel) === 'kyverno';
}

export function entriesOf(configuration: JsonObject): readonly JsonObject[] {
  const webhooks = own(configuration, 'webhooks');
  return Array.isArray(webhooks) ? webhooks.filter((entry: Json): entry is JsonObject => isObject(entry)) : [];
}

/** Whether the entry leads to a path that this version serves; an entry with a URL was made for another way to us. */
export function leadsToUs(entry: JsonObject, {service}: OwnTarget): boolean {
  const client = own(entry, 'clientConfig');
  const path = textOf(ownPath(client, 'service', 'path'));
  if (ownPath(client, 'url') !== undefined) return true;
  return textOf(ownPath(client, 'service', 'namespace')) === service.namespace && textOf(ownPath(client, 'service', 'name')) === service.name && findRoute(path) !== undefined;
}

export function trustsUs(entry: JsonObject, {caBundle}: OwnTarget): boolean {
  return ownPath(entry, 'clientConfig', 'caBundle') === Buffer.from(caBundle, 'utf8').toString('base64');
}

export function failsClosed(entry: JsonObject): boolean {
  return own(entry, 'failurePolicy') !== 'Ignore';
}

/** Whether every request that has to be answered gets to us: else what we write may be refused by webhooks that nobody serves. */
export function areServed(configurations: Iterable<JsonObject>, target: OwnTarget | undefined): boolean {
  for (const configuration of configurations) {
    if (!isManaged(configuration)) continue;
    for (const entry of entriesOf(configuration)) {
      if (failsClosed(entry) && (target === undefined || !leadsToUs(entry, target) || !trustsUs(entry, target))) return false;
    }
  }
  return true;
}
