import {EvalError} from '../diagnostic.js';
import {isObject, type Json, type JsonObject, own, ownPath, setOwn} from '../json/types.js';
import type {GroupVersionResource} from '../types.js';

export const categories = ['containers', 'initContainers', 'ephemeralContainers'] as const;

/** Lists of images by where they stand; the lists of containers are there in any case. */
export type ImageLists = Readonly<Record<string, readonly string[]>>;

const template = ['spec', 'template', 'spec'];
const paths: ReadonlyMap<string, readonly string[]> = new Map([
  ['/pods', ['spec']],
  ...['deployments', 'statefulsets', 'daemonsets', 'replicasets'].map(resource => [`apps/${resource}`, template] as const),
  ['batch/jobs', template],
  ['batch/cronjobs', ['spec', 'jobTemplate', 'spec', 'template', 'spec']],
]);

/** Where the spec of the Pod stands in objects of a resource; `undefined` when it has none. */
export function podSpecPath({group, resource}: GroupVersionResource): readonly string[] | undefined {
  return paths.get(`${group}/${resource}`);
}

/** Images of the containers below `path`, as written. Throws EvalError where an image is no text. */
export function containerImages(object: Json | undefined, path: readonly string[] | undefined): ImageLists {
  const spec = path === undefined ? undefined : ownPath(object, ...path);
  const lists: Record<string, readonly string[]> = Object.create(null);
  for (const category of categories) lists[category] = imagesOf(spec, category);
  return lists;
}

function imagesOf(spec: Json | undefined, category: string): string[] {
  const containers = isObject(spec) ? own(spec, category) : undefined;
  if (!Array.isArray(containers)) return [];
  return containers.flatMap((container, index) => {
    const image = isObject(container) ? own(container, 'image') : undefined;
    // A template may leave it to others to fill it in.
    if (image === undefined || image === null || image === '') return [];
    if (typeof image !== 'string') throw new EvalError(`${category}[${index}].image is no text`);
    return [image];
  });
}

/** The object with images of the containers below `path` replaced; the same reference when all are left as they are. */
export function replaceImages(object: JsonObject, path: readonly string[], change: (image: string) => string): JsonObject {
  const [key, ...rest] = path;
  if (key === undefined) return replaceInSpec(object, change);
  const inner = own(object, key);
  if (!isObject(inner)) return object;
  return withField(object, key, replaceImages(inner, rest, change));
}

function replaceInSpec(spec: JsonObject, change: (image: string) => string): JsonObject {
  let result = spec;
  for (const category of categories) {
    const containers = own(spec, category);
    if (!Array.isArray(containers)) continue;
    const changed = containers.map(container => {
      const image = isObject(container) ? own(container, 'image') : undefined;
      if (!isObject(container) || typeof image !== 'string' || image === '') return container;
      return withField(container, 'image', change(image));
    });
    if (changed.some((container, index) => container !== containers[index])) result = withField(result, category, changed);
  }
  return result;
}

function withField(object: JsonObject, key: string, value: Json): JsonObject {
  if (own(object, key) === value) return object;
  const copy = {...object};
  setOwn(copy, key, value);
  return copy;
}

/** Names of the Pod's own pull Secrets. */
export function pullSecretNames(object: Json | undefined, path: readonly string[] | undefined): readonly string[] {
  const secrets = path === undefined ? undefined : ownPath(object, ...path, 'imagePullSecrets');
  if (!Array.isArray(secrets)) return [];
  return secrets.flatMap(secret => {
    const name = isObject(secret) ? own(secret, 'name') : undefined;
    return typeof name === 'string' && name !== '' ? [name] : [];
  });
}
