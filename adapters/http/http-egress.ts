import {BlockList, isIP} from 'node:net';
import {createAddressGuard, type EgressRules, embeddedV4, innermost} from './address-guard.js';
import {parseUrl} from './pinned-request.js';

/** What `http.*` of policies may call: judged by URL first, then by every address that its host's name stands for. */
export interface HttpEgress {
  /** Why a URL must not be called, or undefined. */
  readonly checkUrl: (url: URL) => string | undefined;
  /** Why an address of a host must not be called, or undefined. */
  readonly checkAddress: (host: string, address: string) => string | undefined;
}

/**
 * Entries of `block` are host names, addresses and ranges; entries of `allow` with a scheme are prefixes of URLs, and when
 * there is one, nothing else may be called. Loopback, link-local, metadata and multicast addresses are refused whatever
 * `block` says; an address or range in `allow` opens itself, a name never does. Throws for an entry that is none of these.
 */
export function createHttpEgress({allow = [], block = []}: EgressRules): HttpEgress {
  const permits = createUrlAllowlist(allow);
  const opened = ranges(allow.filter(entry => !isUrl(entry) && isAddress(entry)));
  const blockedRanges = ranges(block.filter(isAddress));
  const never = ranges(innermost);
  const blockedNames = block.filter(entry => !isAddress(entry));
  // Reads the names, and refuses what is neither.
  const names = createAddressGuard({block: blockedNames, allow: allow.filter(entry => !isUrl(entry))});
  return {
    checkUrl(url) {
      const host = hostOf(url);
      if (isIP(host) === 0 && blockedNames.length > 0 && names(host, '192.0.2.1') !== undefined) {
        return `URL "${shown(url)}" is blocked: hostname "${host}" is on the blocklist`;
      }
      return permits(url) ? undefined : `URL "${shown(url)}" is not permitted: no matching allowlist entry`;
    },
    checkAddress(host, address) {
      const plain = embeddedV4(address) ?? address;
      const range = find(blockedRanges, plain) ?? (find(opened, plain) === undefined ? find(never, plain) : undefined);
      return range && `connection to ${host} blocked: IP ${address} falls in blocked range ${range}`;
    },
  };
}

/** Whether a URL begins with one of the prefixes among `allow`; every one does when there are none. */
export function createUrlAllowlist(allow: readonly string[]): (url: URL) => boolean {
  const prefixes = allow.filter(isUrl).map(readPrefix);
  return url => prefixes.length === 0 || prefixes.some(prefix => prefix(url));
}

/** `allow` with hosts in place of URLs: what was allowed by its URL may be on a private address. */
export function withHostsOfUrls(allow: readonly string[]): readonly string[] {
  return allow.map(entry => (isUrl(entry) ? hostOf(new URL(entry)) : entry));
}

interface Range {
  readonly text: string;
  readonly list: BlockList;
}

function ranges(entries: readonly string[]): Range[] {
  return entries.map(entry => {
    const [address = '', prefix] = entry.split('/');
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    const bits = prefix === undefined ? (family === 'ipv4' ? 32 : 128) : Number(prefix);
    const list = new BlockList();
    list.addSubnet(address, bits, family);
    return {text: `${address}/${bits}`, list};
  });
}

function find(all: readonly Range[], address: string): string | undefined {
  const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
  return all.find(({list}) => list.check(address, family))?.text;
}

function isAddress(entry: string): boolean {
  return isIP(entry.split('/', 1)[0]!) !== 0 && entry.split('/').length <= 2;
}

function isUrl(entry: string): boolean {
  return entry.includes('://');
}

function readPrefix(entry: string): (url: URL) => boolean {
  const allowed = parseUrl(entry);
  if (allowed === undefined || (allowed.protocol !== 'http:' && allowed.protocol !== 'https:')) {
    throw new Error(`${JSON.stringify(entry)} is no http or https URL`);
  }
  const segments = pathOf(allowed);
  if (segments === undefined) throw new Error(`${JSON.stringify(entry)} is no http or https URL`);
  return url => {
    if (url.protocol !== allowed.protocol || hostOf(url) !== hostOf(allowed) || url.port !== allowed.port) return false;
    const path = pathOf(url);
    return path !== undefined && segments.every((segment, index) => path[index] === segment);
  };
}

/** Decoded segments, `.` and `..` resolved as a server that decodes first would; `undefined` when not to be decoded. */
function pathOf(url: URL): string[] | undefined {
  let path: string;
  try {
    path = decodeURIComponent(url.pathname);
  } catch {
    return undefined;
  }
  const segments: string[] = [];
  for (const segment of path.split(/[/\\]/)) {
    if (segment === '..') segments.pop();
    else if (segment !== '' && segment !== '.') segments.push(segment);
  }
  return segments;
}

/** Lower case, without brackets and without the dot of the root. */
function hostOf(url: URL): string {
  return url.hostname
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '')
    .toLowerCase();
}

/** Without query: it may carry secrets. */
function shown(url: URL): string {
  return `${url.protocol}//${url.host}${url.pathname}`;
}
