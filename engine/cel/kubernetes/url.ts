import {
  escapedPath,
  fromBytes,
  type GoUrl,
  hostname,
  parseRequestUri,
  parseUrl,
  port,
  queryParameters,
  UrlSyntaxError,
  urlText,
} from '../../net/go-url.js';
import {CelError} from '../errors.js';
import {fn, global, method, walk} from '../library/declare.js';
import type {FunctionDeclaration, Library} from '../library/library.js';
import {boolType, listOf, mapOf, opaque, stringType} from '../types/type.js';
import {type MapValue, makeMap} from '../values/index.js';
import {OpaqueValue} from '../values/value.js';

const type = opaque('kubernetes.URL');

export class UrlValue extends OpaqueValue {
  readonly typeName = 'kubernetes.URL';

  constructor(readonly url: ReturnType<typeof parseUrl>) {
    super();
  }

  equals(other: OpaqueValue): boolean {
    return other instanceof UrlValue && other.text() === this.text();
  }

  override text(): string {
    return fromBytes(urlText(this.url));
  }
}

export const urlLibrary: Library = {
  name: 'kubernetes.url',
  functions: [
    fn('url', global('string_to_url', [[stringType], type], toUrl, walk)),
    fn('isURL', global('is_url_string', [[stringType], boolType], isUrl, walk)),
    part('getScheme', 'url_get_scheme', url => url.scheme),
    part('getHost', 'url_get_host', url => url.host),
    part('getHostname', 'url_get_hostname', hostname),
    part('getPort', 'url_get_port', port),
    part('getEscapedPath', 'url_get_escaped_path', escapedPath),
    fn('getQuery', method('url_get_query', [[type], mapOf(stringType, listOf(stringType))], query, queryCost)),
  ],
};

function part(name: string, id: string, read: (url: GoUrl) => string): FunctionDeclaration {
  return fn(
    name,
    method(id, [[type], stringType], (value: UrlValue) => fromBytes(read(value.url))),
  );
}

function toUrl(text: string): UrlValue {
  try {
    // The second reading knows fragments, the first one is stricter.
    parseRequestUri(text);
    return new UrlValue(parseUrl(text));
  } catch (error) {
    if (error instanceof UrlSyntaxError)
      throw new CelError(`URL parse error during conversion from string: ${error.message}`);
    throw error;
  }
}

/** Why `isURL` says no; `undefined` when it says yes. */
export function urlFault(text: string): string | undefined {
  try {
    parseRequestUri(text);
    return undefined;
  } catch (error) {
    if (error instanceof UrlSyntaxError) return error.message;
    throw error;
  }
}

function isUrl(text: string): boolean {
  return urlFault(text) === undefined;
}

function query({url}: UrlValue): MapValue {
  const lists = new Map<string, string[]>();
  for (const [key, value] of queryParameters(url)) {
    const name = fromBytes(key);
    const values = lists.get(name);
    if (values) values.push(fromBytes(value));
    else lists.set(name, [fromBytes(value)]);
  }
  return makeMap(lists);
}

function queryCost({url}: UrlValue): number {
  return walk(url.rawQuery);
}
