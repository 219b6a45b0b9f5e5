import type {ImageReference} from '../image/parse-image.js';
import {compileGlobs, type TextTest} from '../values/glob.js';

const hub = new Set(['docker.io', 'index.docker.io', 'registry-1.docker.io']);

/** The same image with its registry as every client understands it: host names have no case, 443 is understood. */
export function normalisedImage(image: ImageReference): ImageReference {
  const lower = image.registry.toLowerCase();
  const host = lower.endsWith(':443') ? lower.slice(0, -4) : lower;
  const registry = hub.has(host) ? 'docker.io' : host;
  if (registry === image.registry) return image;
  const full = registry === '' ? image.path : `${registry}/${image.path}`;
  const referenceWithTag = image.tag === '' ? full : `${full}:${image.tag}`;
  return {
    ...image,
    registry,
    referenceWithTag,
    reference: image.digest === '' ? referenceWithTag : `${full}@${image.digest}`,
  };
}

/**
 * `imageReferences`: some pattern takes the image by any of its names. An image is not to slip through because somebody
 * wrote a digest behind its tag, `library/` in its path or capitals in its host.
 */
export function compileReferences(patterns: readonly string[]): (image: ImageReference) => boolean {
  const test = compileGlobs(patterns);
  return image => namesOf(image).some(test);
}

/** `skipImageReferences`: by the one name that is recorded; what frees from a check is read narrowly. */
export function compileSkips(patterns: readonly string[]): (image: ImageReference) => boolean {
  const test: TextTest = compileGlobs(patterns);
  return image => test(normalisedImage(image).reference);
}

function namesOf(written: ImageReference): string[] {
  // Where the default is not shown, what names no registry is still asked for there.
  const image = normalisedImage(written.registry === '' ? {...written, registry: 'docker.io'} : written);
  const names = new Set([written.reference]);
  for (const path of pathsOf(image)) {
    const full = image.registry === '' ? path : `${image.registry}/${path}`;
    if (image.digest !== '') names.add(`${full}@${image.digest}`);
    if (image.tag !== '') names.add(`${full}:${image.tag}`);
    if (image.tag !== '' && image.digest !== '') names.add(`${full}:${image.tag}@${image.digest}`);
  }
  return [...names];
}

/** Docker Hub keeps images without an owner under `library`. */
function pathsOf({registry, path}: ImageReference): string[] {
  if (registry !== 'docker.io') return [path];
  if (!path.includes('/')) return [path, `library/${path}`];
  return path.startsWith('library/') && !path.slice(8).includes('/') ? [path, path.slice(8)] : [path];
}
