import {flag, int32, named, type SchemaNode, texts, word} from '../schema.js';

/** An object with one switch, as the CEL kinds spell their settings. */
export function toggle(description: string): SchemaNode {
  return named('Toggle', description, {enabled: {...flag('On or off.')}});
}

export const failurePolicy: SchemaNode = word('What an error of the policy does to a request; Fail when unset.', [
  'Fail',
  'Ignore',
]);

export const webhookConfiguration: SchemaNode = named(
  'CelWebhookConfiguration',
  'How the API server asks for this policy.',
  {
    timeoutSeconds: int32('How long the API server waits, 1 to 30 seconds.'),
  },
);

export const validationActions: SchemaNode = {
  ...texts('What a failure does: Deny refuses, Warn tells the requester, Audit only reports. Deny when unset.'),
  // The API server's own words for what is none of these are what scripts match.
  items: {type: 'string', enum: ['Deny', 'Audit', 'Warn']},
  set: true,
  ts: `('Deny' | 'Audit' | 'Warn' | (string & {}))[]`,
};

/** Settings of `evaluation` that validating, mutating and image policies share. */
export const evaluationParts = {
  mode: word('What kind of data is judged; Kubernetes when unset.', ['Kubernetes', 'JSON']),
  admission: toggle('Judge requests; on when unset.'),
  background: toggle('Judge existing objects; on when unset.'),
};

export const podControllers: SchemaNode = named('PodControllersAutogen', 'Rules for the controllers of Pods.', {
  controllers: texts(
    'Controllers: deployments, daemonsets, statefulsets, replicasets, jobs, cronjobs. All when unset, none when empty.',
  ),
});
