import type {RequestContext} from '../context/request-context.js';
import {isObject, type JsonObject, own, ownPath} from '../json/types.js';
import type {PolicyRef} from '../types.js';
import {textOf} from '../json/text.js';

export const managedBy = 'app.kubernetes.io/managed-by';
export const policyNameLabel = 'generate.kyverno.io/policy-name';
export const ruleNameLabel = 'generate.kyverno.io/rule-name';

export interface Origin {
  readonly policy: PolicyRef;
  readonly rule: string;
  readonly context: RequestContext;
  /** Of a copy. */
  readonly source?: JsonObject;
}

const sources = new WeakMap<JsonObject, JsonObject>();

/** What a generated object was copied from, as it was read; `undefined` for one that is written out. */
export function sourceOf(object: JsonObject): JsonObject | undefined {
  return sources.get(object);
}

/** Marks a generated object with where it came from. */
export function withOriginLabels(object: JsonObject, origin: Origin): JsonObject {
  const metadata = own(object, 'metadata');
  const fields: JsonObject = isObject(metadata) ? metadata : {};
  const labels = own(fields, 'labels');
  const marked = {...object, metadata: {...fields, labels: {...(isObject(labels) ? labels : {}), ...originLabels(origin)}}};
  if (origin.source !== undefined) sources.set(marked, origin.source);
  return marked;
}

/** A label takes 63 characters of few kinds; what a longer name loses stands in the annotation beside. */
export function labelText(text: string): string {
  return text
    .replace(/[^A-Za-z0-9_.-]/g, '-')
    .slice(0, 63)
    .replace(/^[^A-Za-z0-9]+|[^A-Za-z0-9]+$/g, '');
}

/** A request on a part of an object is about what it holds: an Eviction, not the Pod. */
function askedKind({subresource, request, group, version, kind}: RequestContext): {group: string; version: string; kind: string} {
  const asked = ownPath(request.raw, 'kind');
  if (subresource === '' || !isObject(asked)) return {group, version, kind};
  return {group: textOf(own(asked, 'group')), version: textOf(own(asked, 'version')), kind: textOf(own(asked, 'kind'))};
}

function originLabels({policy, rule, context, source}: Origin): JsonObject {
  const {group, version, kind} = askedKind(context);
  const labels: JsonObject = {
    [managedBy]: 'kyverno',
    [policyNameLabel]: policy.name,
    'generate.kyverno.io/policy-namespace': policy.namespace,
    [ruleNameLabel]: rule,
    'generate.kyverno.io/trigger-version': version,
    'generate.kyverno.io/trigger-group': group,
    'generate.kyverno.io/trigger-kind': kind,
    // A request on a Namespace names it as its namespace; the object itself is in none.
    'generate.kyverno.io/trigger-namespace': group === '' && kind === 'Namespace' ? '' : context.request.namespace,
    'generate.kyverno.io/trigger-uid': textOf(ownPath(context.resource, 'metadata', 'uid')),
  };
  if (source !== undefined) {
    const apiVersion = textOf(own(source, 'apiVersion'));
    const slash = apiVersion.indexOf('/');
    labels['generate.kyverno.io/source-group'] = slash === -1 ? '' : apiVersion.slice(0, slash);
    labels['generate.kyverno.io/source-version'] = apiVersion.slice(slash + 1);
    labels['generate.kyverno.io/source-kind'] = textOf(own(source, 'kind'));
    labels['generate.kyverno.io/source-namespace'] = textOf(ownPath(source, 'metadata', 'namespace'));
    labels['generate.kyverno.io/source-uid'] = textOf(ownPath(source, 'metadata', 'uid'));
  }
  for (const [key, value] of Object.entries(labels)) labels[key] = labelText(textOf(value));
  return labels;
}
