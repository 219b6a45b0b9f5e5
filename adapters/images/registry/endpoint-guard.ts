import {isIP} from 'node:net';
import {embeddedV4, type EgressRules} from '../../http/address-guard.js';
import {apiServerNames, isServerName} from '../../http/http-caller.js';
import {createHttpEgress} from '../../http/http-egress.js';
import type {NameLookup} from '../../http/name-lookup.js';
import {bareHost, placeOf} from '../../http/pinned-request.js';
import {isLoopback} from './hosts.js';
import {RegistryError} from './registry-error.js';

export interface EndpointGuardOptions extends EgressRules {
  readonly lookup: NameLookup;
  /** Host names and addresses of the API server, never called. */
  readonly apiServer?: readonly string[] | undefined;
}

export interface EndpointGuard {
  /** Why a URL must not be called whatever its name stands for; throws a `RegistryError`. */
  checkUrl(url: URL): void;
  /** The addresses of a host, each of them judged. `asNamed`: the user wrote this host, a redirect did not. */
  addressesOf(host: string, rules: {readonly openLoopback: boolean; readonly signal?: AbortSignal}): Promise<readonly string[]>;
}

/**
 * Registries may be in private networks; the machine itself, its neighbours, cloud metadata and the API server are no
 * registries. Prefixes of URLs in `allow` are for calls of policies and say nothing here.
 */
export function createEndpointGuard({lookup, allow = [], block, apiServer = []}: EndpointGuardOptions): EndpointGuard {
  const egress = createHttpEgress({allow: allow.filter(entry => !entry.includes('://')), block});
  const serverNames = new Set([...apiServerNames, ...apiServer].map(name => name.toLowerCase()));
  const namedServers = apiServer.filter(name => isIP(name) === 0);

  async function serverAddresses(signal: AbortSignal | undefined): Promise<ReadonlySet<string>> {
    const found = await Promise.all(namedServers.map(name => lookup(name, signal).catch(() => [])));
    return new Set([...apiServer, ...found.flat()]);
  }

  return {
    checkUrl(url) {
      const refuse = (why: string): never => {
        throw new RegistryError(`${placeOf(url)}: ${why}`, 'malformed');
      };
      if (url.protocol !== 'https:' && url.protocol !== 'http:') refuse('only http and https are allowed');
      if (url.username !== '' || url.password !== '') refuse('credentials in a URL are not allowed');
      if (isServerName(bareHost(url), serverNames)) refuse('the API server is no registry');
      const blocked = egress.checkUrl(url);
      if (blocked !== undefined) throw new RegistryError(blocked, 'malformed');
    },
    async addressesOf(host, {openLoopback, signal}) {
      const addresses = isIP(host) === 0 ? await lookup(host, signal) : [host];
      const server = await serverAddresses(signal);
      for (const address of addresses) {
        const plain = embeddedV4(address) ?? address;
        if (server.has(plain)) throw new RegistryError(`${host}: the API server is no registry`, 'malformed');
        if (openLoopback && isLoopback(host) && isLoopback(plain)) continue;
        const why = egress.checkAddress(host, address);
        if (why !== undefined) throw new RegistryError(why, 'malformed');
      }
      if (addresses.length === 0) throw new RegistryError(`${host}: the host name has no address`, 'unreachable');
      return addresses;
    },
  };
}
