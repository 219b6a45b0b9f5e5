import {isObject, type Json, type JsonObject, setOwn} from '../json/types.js';

const objectField = /\brequest\.(object|oldObject)\.(spec|metadata)\b(?!\.(?:name|namespace)\b)/g;
const objectSpec = /\brequest\.(object|oldObject)\.spec\b/g;

/**
 * Points expressions on a Pod at the Pod template of a controller. The template has neither name nor namespace of its
 * own, so `request.object.metadata.name` and `.namespace` stay those of the controller.
 */
export function rewriteText(text: string, template: readonly string[]): string {
  if (!text.includes('request.')) return text;
  const inner = template.join('.');
  return text
    .replace(objectSpec, (_match, object: string) => `request.${object}.${inner}.spec`)
    .replace(objectField, (match, object: string, field: string) =>
      field === 'metadata' ? `request.${object}.${inner}.metadata` : match,
    );
}

/** The same for every string of a value, keys included. */
export function rewriteValue<T extends Json | undefined>(value: T, template: readonly string[]): T {
  return rewrite(value, template) as T;
}

function rewrite(value: Json | undefined, template: readonly string[]): Json | undefined {
  if (typeof value === 'string') return rewriteText(value, template);
  if (Array.isArray(value)) return value.map(item => rewrite(item, template) as Json);
  if (!isObject(value)) return value;
  const result: JsonObject = {};
  for (const [key, item] of Object.entries(value)) setOwn(result, rewriteText(key, template), rewrite(item, template) as Json);
  return result;
}

/** `X` → `{spec: {template: X}}`. */
export function wrapInTemplate(value: Json, template: readonly string[]): Json {
  return template.reduceRight<Json>((inner, key) => ({[key]: inner}), value);
}
