import {request as httpRequest} from 'node:http';
import {isIP, type Socket} from 'node:net';
import {connect as tlsConnect, type TLSSocket} from 'node:tls';
import {bareHost, parseUrl} from '../../http/pinned-request.js';
import {RegistryError} from './registry-error.js';

/** The proxy for a URL, or undefined when it is called directly. */
export type ProxyChoice = (url: URL) => URL | undefined;

/** `HTTP_PROXY`, `HTTPS_PROXY`, `NO_PROXY`, in lower case too. Throws for a proxy that is no http URL. */
export function readProxies(environment: Readonly<Record<string, string | undefined>>): ProxyChoice {
  const read = (name: string) => environment[name] || environment[name.toLowerCase()] || '';
  const proxyOf = (name: string): URL | undefined => {
    const text = read(name);
    if (text === '') return undefined;
    const url = parseUrl(text.includes('://') ? text : `http://${text}`);
    if (url?.protocol === 'http:') return url;
    throw new Error(`${name} must be the http URL of a proxy`);
  };
  const plain = proxyOf('HTTP_PROXY');
  const secure = proxyOf('HTTPS_PROXY');
  const exempt = read('NO_PROXY')
    .split(',')
    .map(entry => entry.trim().toLowerCase())
    .filter(entry => entry !== '');
  return url => {
    const proxy = url.protocol === 'https:' ? secure : plain;
    if (proxy === undefined) return undefined;
    const host = bareHost(url).toLowerCase();
    const isExempt = exempt.some(entry => {
      const name = entry.replace(/:\d+$/, '').replace(/^\*?\./, '');
      return entry === '*' || host === name || (isIP(host) === 0 && host.endsWith(`.${name}`));
    });
    return isExempt ? undefined : proxy;
  };
}

/** `proxy-authorization` for the user in a proxy's URL. */
export function proxyCredentials(proxy: URL): Record<string, string> {
  if (proxy.username === '') return {};
  const user = `${decodeURIComponent(proxy.username)}:${decodeURIComponent(proxy.password)}`;
  return {'proxy-authorization': `Basic ${Buffer.from(user).toString('base64')}`};
}

export interface TunnelOptions {
  readonly proxy: URL;
  readonly target: URL;
  readonly tls: {readonly rejectUnauthorized: boolean; readonly ca: readonly string[] | undefined};
  readonly signal: AbortSignal;
}

/** A TLS connection to the target's host through a proxy. */
export async function openTunnel({proxy, target, tls, signal}: TunnelOptions): Promise<TLSSocket> {
  const host = bareHost(target);
  const authority = `${isIP(host) === 6 ? `[${host}]` : host}:${target.port || 443}`;
  const socket = await new Promise<Socket>((resolve, reject) => {
    const call = httpRequest({
      method: 'CONNECT',
      host: bareHost(proxy),
      port: proxy.port || 80,
      path: authority,
      headers: {host: authority, ...proxyCredentials(proxy)},
      agent: false,
      signal,
    });
    call.once('error', reject);
    call.once('connect', (response, connection: Socket) => {
      if (response.statusCode === 200) return resolve(connection);
      connection.destroy();
      reject(new RegistryError(`the proxy refused ${authority}: HTTP ${response.statusCode}`, 'unreachable'));
    });
    call.once('response', response => {
      response.destroy();
      reject(new RegistryError(`the proxy refused ${authority}: HTTP ${response.statusCode}`, 'unreachable'));
    });
    call.end();
  });
  return new Promise((resolve, reject) => {
    const secured = tlsConnect({
      socket,
      minVersion: 'TLSv1.2',
      rejectUnauthorized: tls.rejectUnauthorized,
      ...(tls.ca && {ca: [...tls.ca]}),
      ...(isIP(host) === 0 ? {servername: host} : {host}),
    });
    const abandon = () => secured.destroy(new Error('no answer in time'));
    signal.addEventListener('abort', abandon, {once: true});
    secured.once('close', () => signal.removeEventListener('abort', abandon));
    secured.once('error', reject);
    secured.once('secureConnect', () => {
      secured.off('error', reject);
      resolve(secured);
    });
  });
}
