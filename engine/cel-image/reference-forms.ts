import {parseImageReference} from '../image/parse-image.js';

const hub = 'docker.io';

/**
 * The texts that name just this image: as written, and in full with its registry in lower case and without the standard
 * port, so that other spellings of a place are that place. `nginx` → `nginx`, `docker.io/library/nginx:latest`,
 * `index.docker.io/library/nginx:latest`.
 */
export function namesOf(image: string): readonly string[] {
  return [...new Set([image, ...inFull(image).map(({place, tag, digest}) => `${place}${tag}${digest}`)])];
}

/** Those, and the image by its tag alone or its digest alone: a digest beside a tag must not keep a rule for the tag away. */
export function possibleNames(image: string): readonly string[] {
  const written = image.split('@', 1)[0]!;
  const parts = inFull(image).flatMap(({place, tag, digest}) => [`${place}${tag}`, `${place}${digest}`]);
  return [...new Set([...namesOf(image), written, ...parts])];
}

function inFull(image: string): ReadonlyArray<{readonly place: string; readonly tag: string; readonly digest: string}> {
  const parsed = parseImageReference(image, {defaultRegistry: hub});
  if (parsed === undefined) return [];
  const {path, tag, digest} = parsed;
  const registry = parsed.registry.toLowerCase().replace(/:443$/, '');
  const onHub = registry === hub || registry === `index.${hub}` || registry === `registry-1.${hub}`;
  const repository = onHub && !path.includes('/') ? `library/${path}` : path;
  const registries = onHub ? [hub, `index.${hub}`] : [registry];
  return registries.map(name => ({
    place: `${name}/${repository}`,
    tag: tag === '' ? '' : `:${tag}`,
    digest: digest === '' ? '' : `@${digest}`,
  }));
}

/** `algorithm:hex`; empty when the image is not named by its content. */
export function digestOf(image: string): string {
  return parseImageReference(image, {defaultRegistry: hub})?.digest ?? '';
}
