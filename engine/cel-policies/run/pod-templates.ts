import type {Budget} from '../../budget.js';
import {shallowCopy} from '../../json/clone.js';
import {isObject, type Json, type JsonObject, own, ownPath, setOwn} from '../../json/types.js';

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
  mapPods(object, budget, each => {
    found.push(each);
    return each.pod;
  });
  return found;
}

/** The workload with each of its Pods as `change` leaves it; the same reference when all are left as they are. */
export function mapPods(object: JsonObject, budget: Budget, change: (found: FoundPod) => JsonObject): JsonObject {
  const visit = (value: Json, path: string, depth: number): Json => {
    budget.step();
    if (depth > deepest) return value;
    if (Array.isArray(value)) {
      const items = value.map((item, index) => visit(item, `${path}[${index}]`, depth + 1));
      return items.some((item, index) => item !== value[index]) ? items : value;
    }
    if (!isObject(value)) return value;
    if (isTemplate(value)) {
      const pod = podOf(value, object);
      const changed = change({path, pod});
      return changed === pod ? value : templateOf(value, pod, changed);
    }
    const fields = Object.keys(value).map(key => [key, visit(own(value, key)!, `${path}.${key}`, depth + 1)] as const);
    return withFields(value, fields);
  };
  const spec = own(object, 'spec');
  return spec === undefined ? object : withFields(object, [['spec', visit(spec, 'spec', 0)]]);
}

function withFields(object: JsonObject, fields: ReadonlyArray<readonly [string, Json]>): JsonObject {
  if (fields.every(([key, value]) => own(object, key) === value)) return object;
  const result = shallowCopy(object);
  for (const [key, value] of fields) setOwn(result, key, value);
  return result;
}

/** A Pod back as a template: name and namespace were its owner's. */
function templateOf(template: JsonObject, before: JsonObject, after: JsonObject): JsonObject {
  const given = own(template, 'metadata');
  const metadata = own(after, 'metadata');
  const kept = isObject(metadata) ? shallowCopy(metadata) : {};
  for (const key of ['name', 'namespace']) {
    const isGiven = isObject(given) && Object.hasOwn(given, key);
    if (!isGiven && own(kept, key) === ownPath(before, 'metadata', key)) delete kept[key];
  }
  const fields: Array<readonly [string, Json]> = [['spec', own(after, 'spec') ?? {}]];
  if (given !== undefined || Object.keys(kept).length > 0) fields.unshift(['metadata', kept]);
  return withFields(template, fields);
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
