import {EntryNames} from './entry-names.js';
import type {ConfigurationPlan, WebhookEntry} from './types.js';

/** A ClusterPolicy or cluster-scoped policy in CEL with this annotation set to `"true"` fails closed there too, at its risk. */
export const systemOptIn = 'webhook.kyverno.io/fail-on-system-namespaces';

/** Namespaces that a cluster runs itself from: what is refused there keeps nodes, networks and this operator from coming up. */
const inside = 'has(request.namespace) && (request.namespace.startsWith("kube-") || request.namespace.startsWith("openshift-"))';

export const outsideSystemCondition = {name: 'kyverno-exclude-system-namespaces', expression: `!(${inside})`} as const;
export const insideSystemCondition = {name: 'kyverno-only-system-namespaces', expression: inside} as const;

/** What the API server takes of conditions on one entry. */
const mostConditions = 64;

const systemNames: Readonly<Record<ConfigurationPlan['kind'], string>> = {
  ValidatingWebhookConfiguration: 'kyverno-resource-system-validating-webhook-cfg',
  MutatingWebhookConfiguration: 'kyverno-resource-system-mutating-webhook-cfg',
};

/**
 * Takes system namespaces out of entries that fail closed. What is taken out goes to a configuration of its own, where the
 * same policies judge, but nobody is refused while no replica answers.
 */
export function guardSystemNamespaces({kind, name, entries}: ConfigurationPlan): readonly [guarded: ConfigurationPlan, system: ConfigurationPlan] {
  const guarded: WebhookEntry[] = [];
  const system: WebhookEntry[] = [];
  const names = new EntryNames();
  const add = (entry: WebhookEntry) => system.push({...entry, name: names.take(entry.name, entry.path)});
  for (const entry of entries) {
    const {systemNamespaces, ...plain} = entry;
    if (systemNamespaces === 'only') add(withCondition(plain, insideSystemCondition));
    else if (plain.failurePolicy === 'Ignore' || systemNamespaces === 'included' || plain.matchConditions.length >= mostConditions) guarded.push(plain);
    else {
      guarded.push(withCondition(plain, outsideSystemCondition));
      add({...withCondition(plain, insideSystemCondition), failurePolicy: 'Ignore', path: plain.path.replace(/^\/(validate|mutate)\/fail\b/, '/$1/bootstrap')});
    }
  }
  return [
    {kind, name, entries: guarded},
    {kind, name: systemNames[kind], entries: system.sort((a, b) => (a.name < b.name ? -1 : 1))},
  ];
}

function withCondition(entry: WebhookEntry, condition: {readonly name: string; readonly expression: string}): WebhookEntry {
  return {...entry, matchConditions: [...entry.matchConditions, {...condition}]};
}
