/** A reference as containerd's and Docker's tools resolve it: registry and tag filled in. */
export interface ResolvedReference {
  /** `index.docker.io`, `reg:5000`. */
  readonly registry: string;
  /** `library/nginx`. */
  readonly repository: string;
  /** `latest` when neither tag nor digest is written; empty beside a digest that stands alone. */
  readonly tag: string;
  /** `sha256:…`, or empty. */
  readonly digest: string;
}

const hub = 'index.docker.io';
const digestShape = /^sha256:[0-9a-f]{64}$/;
const tagShape = /^[A-Za-z0-9_.-]{1,128}$/;
const repositoryShape = /^[a-z0-9_./-]{2,255}$/;
const registryShape = /^(?:\[[0-9A-Fa-f:.]+(?:%25[A-Za-z0-9._~-]+)?\]|[A-Za-z0-9._~!$&'()*+,;=-]+)(?::[0-9]*)?$/;
const maxLength = 2048;

/**
 * Reads a reference as go-containerregistry does with weak validation: the first segment is a registry when it holds `.`
 * or `:` or is `localhost`. `undefined` when the text is no reference.
 */
export function resolveReference(text: string): ResolvedReference | undefined {
  if (text.length > maxLength) return undefined;
  const parts = text.split('@');
  if (parts.length > 2) return undefined;
  const [named = '', digest = ''] = parts;
  if (parts.length === 2 && !digestShape.test(digest)) return undefined;
  const colon = named.lastIndexOf(':');
  const hasTag = colon >= 0 && !named.slice(colon + 1).includes('/');
  const tag = hasTag ? named.slice(colon + 1) : '';
  if (tag !== '' && !tagShape.test(tag)) return undefined;
  const place = placeOf(hasTag ? named.slice(0, colon) : named);
  return place && {...place, tag: tag === '' && digest === '' ? 'latest' : tag, digest};
}

function placeOf(name: string): {readonly registry: string; readonly repository: string} | undefined {
  const slash = name.indexOf('/');
  const first = slash < 0 ? '' : name.slice(0, slash);
  const isRegistry = /[.:]/.test(first) || first === 'localhost';
  const written = isRegistry ? first : '';
  const path = isRegistry ? name.slice(slash + 1) : name;
  if (!repositoryShape.test(path) || (written !== '' && !registryShape.test(written))) return undefined;
  const registry = written === '' || written === 'docker.io' ? hub : written;
  return {registry, repository: registry === hub && !path.includes('/') ? `library/${path}` : path};
}
