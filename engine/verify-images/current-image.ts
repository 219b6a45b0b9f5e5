import type {FoundImage} from '../image/extract-images.js';
import type {ImageReference} from '../image/parse-image.js';
import {normalisedImage} from './references.js';

/** An image on its way through a rule: as found, then with the digest that an entry put behind its tag. */
export interface CurrentImage {
  readonly pointer: string;
  /** In the object. */
  readonly text: string;
  readonly parts: ImageReference;
  /** In messages and records: `registry/path:tag`, or `registry/path@digest`. */
  readonly name: string;
}

export function currentImage(
  {pointer, text}: Pick<FoundImage, 'pointer' | 'text'>,
  image: ImageReference,
): CurrentImage {
  const parts = normalisedImage(image);
  return {pointer, text, parts, name: parts.reference};
}

/** `registry/path:tag@digest`: what a tag is replaced by. */
export function withDigest(image: CurrentImage, digest: string): CurrentImage {
  const {parts} = image;
  const full = parts.registry === '' ? parts.path : `${parts.registry}/${parts.path}`;
  const reference = `${full}@${digest}`;
  return {...image, text: `${parts.referenceWithTag}@${digest}`, parts: {...parts, digest, reference}, name: reference};
}

/** What registries are asked for; by digest as soon as one is known. */
export function pinned(image: CurrentImage, digest: string | undefined): string {
  return digest === undefined || image.parts.digest !== '' ? image.name : withDigest(image, digest).name;
}
