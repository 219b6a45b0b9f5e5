import {deepEqual} from '../../engine/json/equal.js';
import {isObject, type Json, type JsonObject, own, ownPath} from '../../engine/json/types.js';
import {timeoutsAnnotation} from './render-configuration.js';
import {markOf, settledAnnotation, settledMark} from './settled.js';

export type ConfigurationStep =
  | {readonly action: 'none'}
  | {readonly action: 'create'; readonly object: JsonObject}
  /** A whole PUT with the live object's resourceVersion; `settle` = nothing is wrong, but these webhooks have been written only once. */
  | {readonly action: 'update' | 'settle'; readonly object: JsonObject};

/**
 * What has to be written so that the live configuration is the wanted one. Foreign entries, conditions, labels and
 * annotations are undone; a valid `timeoutSeconds` that somebody set by hand is kept.
 */
export function configurationStep(wanted: JsonObject, live: JsonObject | undefined): ConfigurationStep {
  if (live === undefined) return {action: 'create', object: wanted};
  const target = keepHandSetTimeouts(wanted, live);
  const mark = settledMark(own(target, 'webhooks'));
  const is = comparable(live);
  const shall = comparable(target);
  if (!deepEqual(shall, is)) {
    const kept = deepEqual(own(shall, 'webhooks'), own(is, 'webhooks')) ? markOf(live) : undefined;
    return {action: 'update', object: replacement(target, live, kept)};
  }
  return markOf(live) === mark ? {action: 'none'} : {action: 'settle', object: replacement(target, live, mark)};
}

function replacement(target: JsonObject, live: JsonObject, mark: string | undefined): JsonObject {
  const metadata = ownPath(target, 'metadata');
  const annotations = ownPath(target, 'metadata', 'annotations');
  const version = ownPath(live, 'metadata', 'resourceVersion');
  return {
    ...target,
    metadata: {
      ...(isObject(metadata) ? metadata : {}),
      ...(mark !== undefined && {annotations: {...(isObject(annotations) ? annotations : {}), [settledAnnotation]: mark}}),
      ...(typeof version === 'string' && {resourceVersion: version}),
    },
  };
}

/** Entries whose timeout differs from the one we wrote last, by name. */
export function handSetTimeouts(live: JsonObject): Map<string, number> {
  const written = parseTimeouts(ownPath(live, 'metadata', 'annotations', timeoutsAnnotation));
  const kept = new Map<string, number>();
  const webhooks = own(live, 'webhooks');
  for (const webhook of Array.isArray(webhooks) ? webhooks : []) {
    if (!isObject(webhook)) continue;
    const name = own(webhook, 'name');
    const timeout = own(webhook, 'timeoutSeconds');
    if (typeof name !== 'string' || typeof timeout !== 'number' || timeout < 1 || timeout > 30) continue;
    const ours = written === undefined ? undefined : own(written, name);
    if (ours !== undefined && ours !== timeout) kept.set(name, timeout);
  }
  return kept;
}

function keepHandSetTimeouts(wanted: JsonObject, live: JsonObject): JsonObject {
  const kept = handSetTimeouts(live);
  const webhooks = own(wanted, 'webhooks');
  if (kept.size === 0 || !Array.isArray(webhooks)) return wanted;
  return {
    ...wanted,
    webhooks: webhooks.map(webhook => {
      const timeout = isObject(webhook) ? kept.get(String(own(webhook, 'name'))) : undefined;
      return timeout === undefined || !isObject(webhook) ? webhook : {...webhook, timeoutSeconds: timeout};
    }),
  };
}

function parseTimeouts(text: Json | undefined): JsonObject | undefined {
  if (typeof text !== 'string') return undefined;
  try {
    const value = JSON.parse(text) as Json;
    return isObject(value) ? value : undefined;
  } catch {
    // Somebody else's text: nothing can be said about who set which timeout.
    return undefined;
  }
}

/** The parts that are ours, with the API server's defaults filled in on both sides. */
function comparable(configuration: JsonObject): JsonObject {
  const metadata = own(configuration, 'metadata');
  const fields = isObject(metadata) ? metadata : {};
  const webhooks = own(configuration, 'webhooks');
  return {
    labels: own(fields, 'labels') ?? {},
    annotations: withoutMark(own(fields, 'annotations')),
    ownerReferences: own(fields, 'ownerReferences') ?? [],
    webhooks: Array.isArray(webhooks) ? webhooks.map(withDefaults) : [],
  };
}

function withoutMark(annotations: Json | undefined): JsonObject {
  const {[settledAnnotation]: _mark, ...rest} = isObject(annotations) ? annotations : {};
  return rest;
}

function withDefaults(webhook: Json): Json {
  if (!isObject(webhook)) return webhook;
  return {
    failurePolicy: 'Fail',
    matchPolicy: 'Equivalent',
    namespaceSelector: {},
    objectSelector: {},
    timeoutSeconds: 10,
    matchConditions: [],
    ...webhook,
  };
}
