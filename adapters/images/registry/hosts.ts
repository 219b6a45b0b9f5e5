import {isIP} from 'node:net';
import {hub} from '../image-name.js';

/** Host that answers for a registry. */
export function endpointOf(registry: string): string {
  return registry === hub ? 'registry-1.docker.io' : registry;
}

/** Without port and brackets, lower case. */
export function bareName(host: string): string {
  return host
    .replace(/:\d+$/, '')
    .replace(/^\[(.*)\]$/, '$1')
    .toLowerCase();
}

export function isLoopback(host: string): boolean {
  const name = bareName(host);
  return name === 'localhost' || name === '::1' || (isIP(name) === 4 && name.startsWith('127.'));
}

/**
 * Whether a token service may be shown the credentials of a registry: the same host, a host above it
 * (`registry.gitlab.com`, `gitlab.com`), or one beside it (`registry-1.docker.io`, `auth.docker.io`).
 */
export function belongsTo(realm: string, registry: string): boolean {
  const [service, host] = [bareName(realm), bareName(registry)];
  if (service === host) return true;
  if (isIP(service) !== 0 || isIP(host) !== 0) return false;
  const above = (name: string) => name.slice(name.indexOf('.') + 1);
  const hasTwoLabels = (name: string) => name.includes('.');
  if (above(host) === service) return hasTwoLabels(service);
  return above(host) === above(service) && hasTwoLabels(above(host));
}
