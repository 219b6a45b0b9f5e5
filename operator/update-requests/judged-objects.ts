import {textMapOf} from '../../engine/json/text.js';
import {ownPath} from '../../engine/json/types.js';
import {compileLabelSelector} from '../../engine/match/label-selector.js';
import type {KindInfo} from '../../engine/resource-map.js';
import type {Core} from '../feature.js';
import type {NamedObject} from './trigger.js';

/** Whether an object may be a trigger by its state. `asRequested`: only if its requests would have reached us, too. */
export type IsJudged = (kind: KindInfo, object: NamedObject, asRequested: boolean) => boolean;

/** What the configuration keeps from policies at admission is kept from them in the background. */
export function judgedObjects({config, filters, manager}: Pick<Core, 'config' | 'filters' | 'manager'>): IsJudged {
  return ({group, version, kind}, {namespace, name}, asRequested) => {
    if (filters().excludesResource({group, version, kind, subResource: '', namespace, name})) return false;
    const selector = config().webhooks.namespaceSelector;
    if (!asRequested || selector === undefined) return true;
    const home = group === '' && kind === 'Namespace' ? name : namespace;
    if (home === '') return true;
    const labels = textMapOf(ownPath(manager.lister('namespaces').get(home), 'metadata', 'labels'));
    return compileLabelSelector(selector)({'kubernetes.io/metadata.name': home, ...labels});
  };
}
