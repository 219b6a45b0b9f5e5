import type {CleanupPolicy} from '../../engine/cleanup/model.js';
import {loadGlobalContextEntry} from '../../engine/global-context/load-entry.js';
import type {JsonObject} from '../../engine/json/types.js';
import type {ResourceMap} from '../../engine/resource-map.js';
import {addCall} from './api-call-rights.js';
import {addContext} from './context-rights.js';
import {kindsOfMatch} from './named-kinds.js';
import {NeedsList, type Needs, scanVerbs} from './right.js';

/** What a CleanupPolicy or ClusterCleanupPolicy makes the operator do. */
export function cleanupNeeds(policy: CleanupPolicy, resources: ResourceMap): Needs {
  const needs = new NeedsList();
  const kinds = kindsOfMatch(policy.match, resources, text => needs.unknown(`spec.match: no kind ${text} is known; name its group and version, give --crds, or ask a cluster`));
  for (const place of kinds)
    needs.add({duty: 'cleanup', verbs: ['get', 'list', 'delete'], ...place, namespace: policy.ref.namespace, path: 'spec.match'});
  addContext(needs, policy.context, {duties: ['cleanup'], path: 'spec', home: policy.ref.namespace});
  return needs;
}

/** What a GlobalContextEntry keeps at hand. */
export function entryNeeds(raw: JsonObject): Needs & {readonly faults: readonly string[]} {
  const needs = new NeedsList();
  const {entry, errors} = loadGlobalContextEntry(raw);
  if (entry?.source.type === 'resource') {
    const {group, resource, namespace} = entry.source;
    needs.add({duty: 'admission', verbs: scanVerbs, group, resource, namespace, path: 'spec.kubernetesResource'});
  }
  const urlPath = entry?.source.type === 'call' ? entry.source.request.urlPath : undefined;
  if (entry?.source.type === 'call' && urlPath !== undefined)
    addCall(needs, {urlPath, method: entry.source.request.method}, {duties: ['admission'], path: 'spec.apiCall'});
  return {rights: needs.rights, untold: needs.untold, faults: errors.map(({path, message}) => `${path}: ${message}`)};
}
