import type {Json, JsonObject} from '../../engine/json/types.js';
import type {ConfigurationPlan, WebhookEntry} from './types.js';

export const managedByLabel = 'webhook.kyverno.io/managed-by';
/** What we last set each entry's `timeoutSeconds` to, so that a value set by hand can be told from ours. */
export const timeoutsAnnotation = 'webhook.kyverno.io/timeouts';

export interface RenderOptions {
  readonly service: {readonly namespace: string; readonly name: string; readonly port: number};
  /** `host[:port]`: entries carry a URL instead of a service. */
  readonly serverIP: string;
  /** PEM. */
  readonly caBundle: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  /** From the ConfigMap's `webhooks`. */
  readonly namespaceSelector: JsonObject | undefined;
  readonly objectSelector: JsonObject | undefined;
  /** A cluster-scoped object of the installation; configurations vanish with it. */
  readonly owner: JsonObject | undefined;
}

/** The whole object as the API server stores it, API defaults included, so that it can be compared. */
export function renderConfiguration(plan: ConfigurationPlan, options: RenderOptions): JsonObject {
  const dynamic = plan.name.startsWith('kyverno-resource-');
  const timeouts = Object.fromEntries(plan.entries.map(entry => [entry.name, entry.timeoutSeconds]));
  const metadata: JsonObject = {
    name: plan.name,
    labels: {...options.labels, [managedByLabel]: 'kyverno'},
    annotations: {...options.annotations, [timeoutsAnnotation]: JSON.stringify(timeouts)},
  };
  if (options.owner !== undefined) metadata['ownerReferences'] = [options.owner];
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: plan.kind,
    metadata,
    webhooks: plan.entries.map(entry => renderEntry(plan, entry, options, dynamic)),
  };
}

function renderEntry(plan: ConfigurationPlan, entry: WebhookEntry, options: RenderOptions, dynamic: boolean): JsonObject {
  const {service, serverIP} = options;
  const webhook: JsonObject = {
    name: entry.name,
    clientConfig: {
      ...(serverIP === '' ? {service: {namespace: service.namespace, name: service.name, path: entry.path, port: service.port}} : {url: `https://${serverIP}${entry.path}`}),
      caBundle: Buffer.from(options.caBundle, 'utf8').toString('base64'),
    },
    rules: entry.rules.map(rule => ({
      apiGroups: [...rule.apiGroups],
      apiVersions: [...rule.apiVersions],
      operations: [...rule.operations],
      resources: [...rule.resources],
      scope: rule.scope,
    })),
    failurePolicy: entry.failurePolicy,
    matchPolicy: entry.matchPolicy ?? 'Equivalent',
    namespaceSelector: dynamic
      ? within(entry.namespace, outsideOwnNamespace(joinSelectors(entry.namespaceSelector, options.namespaceSelector), service.namespace))
      : {},
    objectSelector: dynamic ? (joinSelectors(entry.objectSelector, options.objectSelector) ?? {}) : (entry.objectSelector ?? {}),
    sideEffects: entry.sideEffects,
    timeoutSeconds: entry.timeoutSeconds,
    admissionReviewVersions: ['v1'],
  };
  if (entry.matchConditions.length > 0) webhook['matchConditions'] = entry.matchConditions.map(condition => ({...condition}));
  if (plan.kind === 'MutatingWebhookConfiguration') webhook['reinvocationPolicy'] = entry.reinvocationPolicy ?? 'IfNeeded';
  return webhook;
}

/** Both hold: labels of the installation win over a policy's, expressions of the policy come first. */
function joinSelectors(own: JsonObject | undefined, shared: JsonObject | undefined): JsonObject | undefined {
  if (own === undefined || shared === undefined) return own ?? shared;
  const labels = {...(own['matchLabels'] as JsonObject | undefined), ...(shared['matchLabels'] as JsonObject | undefined)};
  const expressions = [own, shared].flatMap(selector => (Array.isArray(selector['matchExpressions']) ? selector['matchExpressions'] : []));
  return {...(Object.keys(labels).length > 0 && {matchLabels: labels}), ...(expressions.length > 0 && {matchExpressions: expressions})};
}

/** What a tenant's conditions do to a request stays in the tenant's namespace: a broken one would fail requests of all. */
function within(namespace: string | undefined, selector: JsonObject): JsonObject {
  if (namespace === undefined) return selector;
  const expressions = Array.isArray(selector['matchExpressions']) ? selector['matchExpressions'] : [];
  return {...selector, matchExpressions: [...expressions, {key: 'kubernetes.io/metadata.name', operator: 'In', values: [namespace]}]};
}

/** Our own namespace is never intercepted, whatever the ConfigMap says: the operator must be able to come back. */
function outsideOwnNamespace(selector: JsonObject | undefined, namespace: string): JsonObject {
  const own = {key: 'kubernetes.io/metadata.name', operator: 'NotIn', values: [namespace]};
  const expressions = Array.isArray(selector?.['matchExpressions']) ? selector['matchExpressions'] : [];
  const known = expressions.some(expression => JSON.stringify(expression) === JSON.stringify(own) || namesNamespace(expression, namespace));
  return {...selector, matchExpressions: known ? expressions : [...expressions, own]};
}

function namesNamespace(expression: Json, namespace: string): boolean {
  if (typeof expression !== 'object' || expression === null || Array.isArray(expression)) return false;
  const {key, operator, values} = expression as {key?: Json; operator?: Json; values?: Json};
  return key === 'kubernetes.io/metadata.name' && operator === 'NotIn' && Array.isArray(values) && values.includes(namespace);
}
