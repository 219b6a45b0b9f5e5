import type {ContextEntry} from '../../engine/policy/model.js';
import {addCall} from './api-call-rights.js';
import {fixedNamespace, hasVariables} from './named-kinds.js';
import type {NeedsList} from './right.js';
import {addCredentials, type SecretPlace} from './secret-rights.js';

/** What context entries read. Calls of services need no right of the cluster's. */
export function addContext(needs: NeedsList, entries: readonly ContextEntry[], {duties, path, home}: SecretPlace): void {
  entries.forEach((entry, index) => {
    const at = `${path}.context[${index}]`;
    if (entry.type === 'apiCall' && entry.urlPath !== undefined) addCall(needs, {urlPath: entry.urlPath, method: entry.method}, {duties, path: at});
    if (entry.type === 'imageRegistry') addCredentials(needs, entry.raw, {duties, path: `${at}.imageRegistry`, home});
    if (entry.type !== 'configMap') return;
    const names = hasVariables(entry.configMapName) ? [] : [entry.configMapName];
    for (const duty of duties)
      needs.add({duty, verbs: ['get'], group: '', resource: 'configmaps', namespace: fixedNamespace(entry.configMapNamespace), names, path: at});
  });
}
