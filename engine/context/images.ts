import {parseImageReference} from '../image/parse-image.js';
import {isObject, type Json, type JsonObject, own, ownPath, setOwn} from '../json/types.js';
import {templatePath} from '../autogen/controllers.js';

const lists = ['containers', 'initContainers', 'ephemeralContainers'] as const;

/**
 * `{{ images }}`: per container list and container name the parts of its image. `undefined` for kinds that hold no Pod
 * spec. Images that cannot be parsed are left out, as a pattern on the raw text still sees them.
 */
export function extractImages(kind: string, resource: JsonObject): JsonObject | undefined {
  const path = templatePath(kind);
  if (path === undefined) return undefined;
  const spec = ownPath(resource, ...path, 'spec');
  const result: JsonObject = {};
  for (const list of lists) {
    const containers = isObject(spec) ? own(spec, list) : undefined;
    if (!Array.isArray(containers)) continue;
    const images: JsonObject = {};
    containers.forEach((container, index) => {
      const entry = imageOf(container, `/${[...path, 'spec', list, index, 'image'].join('/')}`);
      if (entry !== undefined) setOwn(images, entry.name, entry.image);
    });
    if (Object.keys(images).length > 0) result[list] = images;
  }
  return result;
}

function imageOf(container: Json, jsonPointer: string): {name: string; image: JsonObject} | undefined {
  if (!isObject(container)) return undefined;
  const name = own(container, 'name');
  const image = own(container, 'image');
  if (typeof image !== 'string' || image === '') return undefined;
  const parsed = parseImageReference(image, {defaultRegistry: 'docker.io'});
  if (parsed === undefined) return undefined;
  const json: JsonObject = {jsonPointer};
  for (const [key, value] of Object.entries(parsed)) if (typeof value === 'string' && value !== '') json[key] = value;
  return {name: typeof name === 'string' ? name : image, image: json};
}
