import type {Budget} from '../../budget.js';
import {isObject, type Json, type JsonObject, own, ownPath} from '../../json/types.js';

/** A Pod that a workload would make, and where its template stands. */
export interface FoundPod {
  /** `spec.replicatedJobs[0].template.spec.template`. */
  readonly path: string;
  readonly pod: JsonObject;
}

const deepest = 64;

/**
 * Pods of a workload of any kind: every part below `spec` that has the form of a Pod template. Templates inside of
 * templates are not looked for.
 */
export function findPods(object: JsonObject, budget: Budget): readonly FoundPod[] {
  const found: FoundPod[] = [];
  const visit = (value: Json, path: string, depth: number): void => {
    budget.step();
    if (depth > deepest) return;
    if (Array.isArray(value)) {
      value.forEach((item, index) => {
        visit(item, `${path}[${index}]`, depth + 1);
      });
      return;
    }
    if (!isObject(value)) return;
    if (isTemplate(value)) {
      found.push({path, pod: podOf(value, object)});
      return;
    }
    for (const key of Object.keys(value)) visit(own(value, key)!, `${path}.${key}`, depth + 1);
  };
  visit(own(object, 'spec') ?? null, 'spec', 0);
  return found;
}

function isTemplate(value: JsonObject): boolean {
  const metadata = own(value, 'metadata');
  if (metadata !== undefined && metadata !== null && !isObject(metadata)) return false;
  const containers = ownPath(value, 'spec', 'containers');
  return Array.isArray(containers) && containers.length > 0 && containers.every(isContainer);
}

function isContainer(value: Json): boolean {
  return isObject(value) && typeof own(value, 'name') === 'string' && typeof own(value, 'image') === 'string';
}

function podOf(template: JsonObject, owner: JsonObject): JsonObject {
  const namespace = ownPath(owner, 'metadata', 'namespace');
  const name = ownPath(owner, 'metadata', 'name');
  const metadata = own(template, 'metadata');
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      ...(name !== undefined && {name}),
      ...(namespace !== undefined && {namespace}),
      ...(isObject(metadata) ? metadata : {}),
    },
    spec: own(template, 'spec') ?? {},
  };
}
