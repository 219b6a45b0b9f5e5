/** The parts of an image reference. */
export interface ImageReference {
  /** Empty when none was written and no default was given. */
  readonly registry: string;
  /** Everything between registry and tag. */
  readonly path: string;
  /** Last segment of the path. */
  readonly name: string;
  /** Empty when the image is given by digest alone. */
  readonly tag: string;
  /** `algorithm:hex`, or empty. */
  readonly digest: string;
  /** `registry/path:tag`, or `registry/path@digest` when there is a digest. */
  readonly reference: string;
  /** `registry/path:tag`; without tag just `registry/path`. */
  readonly referenceWithTag: string;
}

export interface ImageParseOptions {
  /** Put in front when the reference names no registry: a host, perhaps with a path (`mirror.example/hub`); empty leaves it out. */
  readonly defaultRegistry: string;
  /** The default only says what the reference means: its parts stay as written, `registry` empty. */
  readonly hidesDefault?: boolean | undefined;
}

/** What is meant where an installation says nothing else. */
export const imageDefaults: ImageParseOptions = {defaultRegistry: 'docker.io'};

const component = '[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*';
const label = '[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?';
const registryShape = new RegExp(`^(?:${label}(?:\\.${label})*|\\[[a-fA-F0-9:]+\\])(?::[0-9]+)?$`);
const componentShape = new RegExp(`^${component}$`);
const tagShape = /^\w[\w.-]{0,127}$/;
const digestShape = /^[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}$/;
const maxLength = 1024;
const maxNameLength = 255;

/**
 * Reads an image reference by the rules of the container tools: the first segment is a registry when it has a `.` or
 * `:`, is `localhost` or has upper-case letters; tag `latest` when neither tag nor digest is written. No `library/` is
 * inserted. `undefined` when the text is no reference.
 */
export function parseImageReference(text: string, options: ImageParseOptions): ImageReference | undefined {
  if (text.length > maxLength) return undefined;
  const at = text.indexOf('@');
  const digest = at < 0 ? '' : text.slice(at + 1);
  if (at >= 0 && !digestShape.test(digest)) return undefined;
  const named = at < 0 ? text : text.slice(0, at);
  const colon = named.indexOf(':', named.lastIndexOf('/') + 1);
  const written = colon < 0 ? undefined : named.slice(colon + 1);
  if (written !== undefined && !tagShape.test(written)) return undefined;
  const repository = colon < 0 ? named : named.slice(0, colon);
  const {registry, path} = splitRegistry(repository, options.hidesDefault === true ? '' : options.defaultRegistry);
  if (registry !== '' && !registryShape.test(registry)) return undefined;
  const segments = path.split('/');
  if (!segments.every(segment => componentShape.test(segment))) return undefined;
  const full = registry === '' ? path : `${registry}/${path}`;
  if (full.length > maxNameLength) return undefined;
  const tag = written ?? (digest === '' ? 'latest' : '');
  const referenceWithTag = tag === '' ? full : `${full}:${tag}`;
  return {
    registry,
    path,
    name: segments.at(-1)!,
    tag,
    digest,
    reference: digest === '' ? referenceWithTag : `${full}@${digest}`,
    referenceWithTag,
  };
}

function splitRegistry(repository: string, defaultRegistry: string): {registry: string; path: string} {
  const slash = repository.indexOf('/');
  const first = slash < 0 ? '' : repository.slice(0, slash);
  const isRegistry = /[.:]/.test(first) || first === 'localhost' || first !== first.toLowerCase();
  if (slash < 0 || !isRegistry) {
    const [registry = '', ...within] = defaultRegistry.split('/');
    return {registry, path: [...within, repository].join('/')};
  }
  return {registry: first, path: repository.slice(slash + 1)};
}
