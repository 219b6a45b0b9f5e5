import {imagesJson, podImages} from '../image/extract-images.js';
import type {ImageParseOptions} from '../image/parse-image.js';
import type {JsonObject} from '../json/types.js';

/** `{{ images }}` of an object; `undefined` for kinds that hold no Pod spec. */
export function extractImages(
  kind: string,
  resource: JsonObject,
  defaults?: ImageParseOptions,
): JsonObject | undefined {
  const found = podImages(kind, resource, defaults);
  return found && imagesJson(found);
}
