/** Where spans are sent. */
export interface TraceTarget {
  readonly protocol: 'grpc' | 'http';
  /** `http://` and `https://` alike; of gRPC without path. */
  readonly url: URL;
}

/** The port of OTLP over HTTP; that of gRPC is 4317. */
const httpPort = 4318;

/**
 * Reads the flags `tracingAddress` and `tracingPort`. A bare host is spoken to by gRPC, as the field does, or by HTTP on
 * port 4318; an address with `http://` or `https://` is one of OTLP over HTTP, `/v1/traces` unless it has a path. Throws
 * a text where the address is none.
 */
export function traceTarget(address: string, port: number, secure: boolean): TraceTarget {
  const text = address.trim();
  if (text === '') throw new Error('tracingAddress is empty');
  const isUrl = /^https?:\/\//.test(text);
  const protocol = isUrl || port === httpPort ? 'http' : 'grpc';
  const host = text.includes(':') && !text.startsWith('[') && /^[0-9a-fA-F:]+$/.test(text) ? `[${text}]` : text;
  let url: URL;
  try {
    url = new URL(isUrl ? text : `${secure ? 'https' : 'http'}://${host}`);
  } catch {
    throw new Error(`tracingAddress "${address}" is no host and no URL`);
  }
  if (url.port === '' && port > 0 && !(isUrl && hasPort(text))) url.port = String(port);
  if (protocol === 'http' && url.pathname === '/') url.pathname = '/v1/traces';
  return {protocol, url};
}

/** URLs drop the port that is their scheme's own. */
function hasPort(text: string): boolean {
  return /^https?:\/\/[^/]*:\d+(\/|$)/.test(text);
}
