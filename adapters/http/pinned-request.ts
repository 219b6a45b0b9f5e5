import {request as httpRequest, type IncomingMessage, type RequestOptions} from 'node:http';
import {request as httpsRequest} from 'node:https';
import {isIP} from 'node:net';

export interface PinnedRequest {
  readonly url: URL;
  /** Where the connection goes, whatever the host's name resolves to by now. */
  readonly address: string;
  readonly method: 'GET' | 'POST';
  /** Names in lower case; `host` is set by us. */
  readonly headers: Readonly<Record<string, string>>;
  /** JSON text. */
  readonly body?: string | undefined;
  /** PEM; instead of the system's authorities. */
  readonly caBundle?: string | undefined;
  readonly signal: AbortSignal;
}

/** One exchange with a judged address; TLS 1.2 or newer against the host's name. Redirects are the caller's. */
export function sendPinned(request: PinnedRequest): Promise<IncomingMessage> {
  const {url, address, headers, body, caBundle, signal} = request;
  const host = bareHost(url);
  const secure = url.protocol === 'https:';
  const options: RequestOptions = {
    method: request.method,
    host: address,
    port: url.port || (secure ? 443 : 80),
    path: `${url.pathname}${url.search}`,
    headers: {
      ...headers,
      host: url.host,
      ...(body !== undefined && {'content-length': String(Buffer.byteLength(body))}),
      ...(body !== undefined && headers['content-type'] === undefined && {'content-type': 'application/json'}),
    },
    // A connection of its own: no socket outlives the judgement of its address.
    agent: false,
    signal,
  };
  return new Promise((resolve, reject) => {
    const outgoing = secure
      ? httpsRequest({
          ...options,
          minVersion: 'TLSv1.2',
          ...(isIP(host) === 0 && {servername: host}),
          ...(caBundle && {ca: caBundle}),
        })
      : httpRequest(options);
    outgoing.on('error', reject);
    outgoing.once('response', resolve);
    outgoing.end(body);
  });
}

const ownHeaders = new Set([
  'host',
  'content-length',
  'transfer-encoding',
  'connection',
  'upgrade',
  'expect',
  'te',
  'trailer',
]);

/** Headers by name in lower case, or the name of the first that a caller may not set. */
export function lowerHeaders(
  given: ReadonlyArray<readonly [string, string]>,
): {readonly headers: Record<string, string>} | {readonly refused: string} {
  const headers: Record<string, string> = Object.create(null) as Record<string, string>;
  for (const [name, value] of given) {
    const key = name.toLowerCase();
    if (ownHeaders.has(key) || !/^[!#$%&'*+.^_`|~0-9a-z-]+$/.test(key) || /[\r\n\0]/.test(value)) {
      return {refused: name};
    }
    headers[key] = value;
  }
  return {headers};
}

/** The whole body, or `undefined` when it is larger; the connection is then closed. */
export async function readBytes(response: IncomingMessage, maxBytes: number): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response) {
    size += (chunk as Buffer).length;
    if (size > maxBytes) {
      response.destroy();
      return undefined;
    }
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks);
}

/** Without brackets. */
export function bareHost(url: URL): string {
  return url.hostname.replace(/^\[(.*)\]$/, '$1');
}

/** Without query: it may carry secrets. */
export function placeOf(url: URL): string {
  return `${url.protocol}//${url.host}${url.pathname}`;
}

export function codeOf(error: unknown): string {
  const code = (error as NodeJS.ErrnoException | undefined)?.code;
  return typeof code === 'string' ? code : 'the connection failed';
}

/** Resolved against `base`; `undefined` for a text that is no URL. */
export function parseUrl(text: string, base?: URL): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}
