import {EvalError} from '../../engine/diagnostic.js';

/** A request target on the API server, taken apart and put together again by us alone. */
export interface ApiPath {
  /** Percent-encoded, without query. */
  readonly path: string;
  readonly segments: readonly string[];
  readonly query: ReadonlyArray<readonly [string, string]>;
}

/** Would never end, or run something. */
const refusedParameters = new Set(['watch', 'follow']);

/**
 * Reads a policy's `urlPath`. Segments are judged after decoding: `.`, `..`, empty ones, and such that hold a slash,
 * backslash, percent sign or control character are refused. Throws an EvalError.
 */
export function parseApiPath(urlPath: string): ApiPath {
  const refuse = (why: string): never => {
    throw new EvalError(`urlPath ${JSON.stringify(urlPath)} ${why}`, 'api-path');
  };
  if (!urlPath.startsWith('/')) refuse('must start with /');
  if (urlPath.includes('#')) refuse('must not have a fragment');
  const mark = urlPath.indexOf('?');
  const pathText = mark < 0 ? urlPath : urlPath.slice(0, mark);
  const trimmed = pathText.endsWith('/') ? pathText.slice(1, -1) : pathText.slice(1);
  const segments = trimmed.split('/').map(text => {
    const segment = decode(text) ?? refuse('is not validly percent-encoded');
    if (segment === '' || segment === '.' || segment === '..' || /[/\\%]|\p{Cc}/u.test(segment)) {
      refuse(`holds a segment that is not allowed: ${JSON.stringify(segment)}`);
    }
    return segment;
  });
  const query = (mark < 0 ? '' : urlPath.slice(mark + 1))
    .split('&')
    .filter(pair => pair !== '')
    .map((pair): readonly [string, string] => {
      const equals = pair.indexOf('=');
      const name = decode(plus(equals < 0 ? pair : pair.slice(0, equals))) ?? refuse('has an invalid query');
      const value = decode(plus(equals < 0 ? '' : pair.slice(equals + 1))) ?? refuse('has an invalid query');
      if (refusedParameters.has(name)) refuse(`must not use the parameter ${name}`);
      return [name, value];
    });
  return {path: `/${segments.map(encodeURIComponent).join('/')}`, segments, query};
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** In a query, a plus sign is a blank. */
function plus(text: string): string {
  return text.replaceAll('+', ' ');
}
