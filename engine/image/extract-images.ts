import {templatePath} from '../autogen/controllers.js';
import {isObject, type Json, type JsonObject, own, ownPath, setOwn} from '../json/types.js';
import {imageDefaults, type ImageParseOptions, type ImageReference, parseImageReference} from './parse-image.js';

/** An image where it stands in an object. */
export interface FoundImage {
  /** `containers`, `initContainers`, `ephemeralContainers`, or the name that an extractor gives. */
  readonly list: string;
  /** The container's name, or what an extractor takes for one. */
  readonly key: string;
  /** RFC 6901, of the text itself. */
  readonly pointer: string;
  /** As written. */
  readonly text: string;
  /** `undefined` when the text is no reference. */
  readonly image: ImageReference | undefined;
}

const lists = ['containers', 'initContainers', 'ephemeralContainers'] as const;

/** All images of a Pod or of a controller's template, in the order of the lists; `undefined` for other kinds. Blank ones are left out. */
export function podImages(
  kind: string,
  resource: JsonObject,
  defaults: ImageParseOptions = imageDefaults,
): readonly FoundImage[] | undefined {
  const path = templatePath(kind);
  if (path === undefined) return undefined;
  const spec = ownPath(resource, ...path, 'spec');
  const found: FoundImage[] = [];
  for (const list of lists) {
    const containers = isObject(spec) ? own(spec, list) : undefined;
    if (!Array.isArray(containers)) continue;
    containers.forEach((container, index) => {
      const image = imageOf(container, {list, path: [...path, 'spec', list, String(index)], defaults});
      if (image !== undefined) found.push(image);
    });
  }
  return found;
}

interface ContainerPlace {
  readonly list: string;
  readonly path: readonly string[];
  readonly defaults: ImageParseOptions;
}

function imageOf(container: Json, {list, path, defaults}: ContainerPlace): FoundImage | undefined {
  if (!isObject(container)) return undefined;
  const name = own(container, 'name');
  const text = own(container, 'image');
  if (typeof text !== 'string' || text.trim() === '') return undefined;
  return foundImage({list, key: typeof name === 'string' ? name : text, path: [...path, 'image'], text}, defaults);
}

export function foundImage(
  place: {list: string; key: string; path: readonly string[]; text: string},
  defaults: ImageParseOptions = imageDefaults,
): FoundImage {
  const {list, key, path, text} = place;
  return {list, key, pointer: pointerOf(path), text, image: parseImageReference(text, defaults)};
}

/** `{{ images }}`: per list and key the parts of an image. What cannot be parsed is left out: rules see the raw text. */
export function imagesJson(found: readonly FoundImage[]): JsonObject {
  const result: JsonObject = {};
  for (const {list, key, pointer, image} of found) {
    if (image === undefined) continue;
    let images = own(result, list);
    if (!isObject(images)) setOwn(result, list, (images = {}));
    setOwn(images as JsonObject, key, imageJson(image, pointer));
  }
  return result;
}

/** `{{ image }}`, and one of `{{ images }}`; empty parts are left out. */
export function imageJson(image: ImageReference, jsonPointer: string): JsonObject {
  const json: JsonObject = {jsonPointer};
  for (const [key, value] of Object.entries(image)) if (typeof value === 'string' && value !== '') json[key] = value;
  return json;
}

function pointerOf(path: readonly string[]): string {
  return path.map(segment => `/${segment.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}
