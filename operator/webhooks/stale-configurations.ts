import {textOf} from '../../engine/json/text.js';
import {type JsonObject, ownPath} from '../../engine/json/types.js';
import {entriesOf, isManaged} from './entry-target.js';

/** Names that the peer's controllers give; what they hold for us is in ours. */
const peerNames: ReadonlySet<string> = new Set([
  'kyverno-exception-validating-webhook-cfg',
  'kyverno-cel-exception-validating-webhook-cfg',
  'kyverno-global-context-validating-webhook-cfg',
  'kyverno-cleanup-validating-webhook-cfg',
  'kyverno-ttl-validating-webhook-cfg',
  'kyverno-policy-validating-webhook-cfg',
  'kyverno-policy-mutating-webhook-cfg',
  'kyverno-resource-validating-webhook-cfg',
  'kyverno-resource-mutating-webhook-cfg',
  'kyverno-verify-mutating-webhook-cfg',
]);

/**
 * Configurations that carry our label and are in no plan: left behind by the peer or by another version. Those under other
 * names count only when everything in them leads into our namespace.
 */
export function staleConfigurations(live: Iterable<JsonObject>, planned: ReadonlySet<string>, namespace: string): readonly JsonObject[] {
  return [...live].filter(configuration => {
    const name = textOf(ownPath(configuration, 'metadata', 'name'));
    if (planned.has(name) || !isManaged(configuration)) return false;
    const entries = entriesOf(configuration);
    return peerNames.has(name) || (entries.length > 0 && entries.every(entry => ownPath(entry, 'clientConfig', 'service', 'namespace') === namespace));
  });
}
