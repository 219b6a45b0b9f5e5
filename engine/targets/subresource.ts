import type {JsonObject} from '../json/types.js';

/** Where a changed object has to be written to. */
export interface WritePlace {
  /** `status`, `scale` …; empty for the object itself. */
  readonly subresource: string;
  /** The kind that the subresource is of, when the object is of another one (`Scale`). */
  readonly parent?: {readonly apiVersion: string; readonly kind: string} | undefined;
}

const places = new WeakMap<JsonObject, WritePlace>();
const itself: WritePlace = {subresource: ''};

export function writePlaceOf(object: JsonObject): WritePlace {
  return places.get(object) ?? itself;
}

export function setWritePlace(object: JsonObject, place: WritePlace): void {
  if (place.subresource !== '') places.set(object, place);
}
