import {hasStatus, KubeError} from '../../adapters/kube/kube-error.js';
import type {CallOptions, KubeClient} from '../../adapters/kube/types.js';
import type {CompiledPolicy} from '../../engine/compile/types.js';
import type {JsonObject} from '../../engine/json/types.js';
import {hasWildcard} from '../../engine/values/glob.js';
import {bootstrapMatchCondition} from './bootstrap-kinds.js';
import type {WebhookMatchCondition} from './types.js';

const collection = {group: 'admissionregistration.k8s.io', version: 'v1', resource: 'validatingwebhookconfigurations'} as const;

/**
 * Asks the API server whether it takes a policy's match conditions, by a dry-run create of a configuration with nothing
 * but them: one bad expression would else spoil the configuration of all. Answers the refusal's text; `undefined` =
 * taken. Rejects when no answer could be had.
 */
export function tryMatchConditions(client: KubeClient, policy: CompiledPolicy, call: CallOptions = {}): Promise<string | undefined> {
  return tryConditions(client, conditionsOf(policy), call);
}

/** The same for the conditions that the ConfigMap puts on every shared entry. */
export function trySharedConditions(
  client: KubeClient,
  conditions: readonly WebhookMatchCondition[],
  call: CallOptions = {},
): Promise<string | undefined> {
  return tryConditions(client, [...conditions, bootstrapMatchCondition].map(({name, expression}) => ({name, expression})), call);
}

/** The same for any expressions. */
export function tryExpressions(client: KubeClient, conditions: readonly WebhookMatchCondition[], call: CallOptions = {}): Promise<string | undefined> {
  return tryConditions(client, conditions.map(({name, expression}) => ({name, expression})), call);
}

async function tryConditions(client: KubeClient, conditions: JsonObject[], call: CallOptions): Promise<string | undefined> {
  try {
    await client.create(collection, trialConfiguration(conditions), {...call, dryRun: true});
    return undefined;
  } catch (error) {
    if (error instanceof KubeError && hasStatus(error, 422)) return `matchConditions are refused by the API server: ${error.message}`;
    throw error;
  }
}

function trialConfiguration(conditions: JsonObject[]): JsonObject {
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingWebhookConfiguration',
    metadata: {generateName: 'kyverno-match-conditions-trial-'},
    webhooks: [
      {
        name: 'trial.kyverno.svc',
        clientConfig: {url: 'https://localhost/trial'},
        rules: [],
        failurePolicy: 'Ignore',
        sideEffects: 'None',
        timeoutSeconds: 1,
        admissionReviewVersions: ['v1'],
        matchConditions: conditions,
      },
    ],
  };
}

/** With the condition that entries of wildcard kinds get besides: its name and its place among the most allowed are taken. */
function conditionsOf(policy: CompiledPolicy): JsonObject[] {
  const isWild = policy.rules.some(rule => rule.kinds.some(({kind}) => hasWildcard(kind)));
  const own = policy.source.spec.matchConditions.map(({name, expression}) => ({name, expression}));
  return isWild ? [...own, {...bootstrapMatchCondition}] : own;
}
