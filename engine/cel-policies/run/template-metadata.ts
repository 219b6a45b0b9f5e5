import {isObject, type JsonObject, own} from '../../json/types.js';
import type {PolicyVariant} from '../types.js';

const paths: Partial<Record<PolicyVariant['name'], readonly string[]>> = {
  defaults: ['spec', 'template'],
  cronjobs: ['spec', 'jobTemplate', 'spec', 'template'],
};

/**
 * A Pod always has metadata, its template in a file need not: there it is empty, so that expressions made for Pods do not
 * fail. The same object where nothing is missing.
 */
export function withTemplateMetadata(
  object: JsonObject | undefined,
  variant: PolicyVariant['name'],
): JsonObject | undefined {
  const path = paths[variant];
  return object === undefined || path === undefined ? object : completed(object, path);
}

function completed(object: JsonObject, path: readonly string[]): JsonObject {
  const [key, ...rest] = path;
  if (key === undefined) return own(object, 'metadata') === undefined ? {...object, metadata: {}} : object;
  const inner = own(object, key);
  if (!isObject(inner)) return object;
  const changed = completed(inner, rest);
  return changed === inner ? object : {...object, [key]: changed};
}
