import {BlockList, isIP} from 'node:net';

/** What outbound calls may reach; entries are addresses, CIDR ranges, host names or `*.suffix`. */
export interface EgressRules {
  /** Lifts the default denial. A name lifts it for private ranges only: a name must not open loopback or metadata. */
  readonly allow?: readonly string[] | undefined;
  /** Wins over `allow`. */
  readonly block?: readonly string[] | undefined;
}

/** Why an address must not be called, or undefined. */
export type AddressGuard = (host: string, address: string) => string | undefined;

/** Never lifted by a name: the machine itself, its neighbours, cloud metadata, addresses of no single host. */
export const innermost = [
  '0.0.0.0/8',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '100.100.100.200/32',
  '168.63.129.16/32',
  '192.0.0.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  '::/128',
  '::1/128',
  'fe80::/10',
  'fec0::/10',
  'ff00::/8',
  'fd00:ec2::/32',
  'fd20:ce::/32',
];

const privateRanges = ['10.0.0.0/8', '100.64.0.0/10', '172.16.0.0/12', '192.168.0.0/16', '198.18.0.0/15', 'fc00::/7'];

/** Throws for an entry that is neither an address, a range nor a name. */
export function createAddressGuard({allow = [], block = []}: EgressRules): AddressGuard {
  const allowed = compileRules(allow);
  const blocked = compileRules(block);
  const never = compileRules(innermost).addresses;
  const inner = compileRules(privateRanges).addresses;
  return (host, address) => {
    const plain = embeddedV4(address) ?? address;
    if (blocked.names(host) || contains(blocked.addresses, plain)) return 'it is blocked by configuration';
    if (contains(allowed.addresses, plain)) return undefined;
    if (contains(never, plain)) return 'loopback, link-local, metadata and multicast addresses are not allowed';
    if (contains(inner, plain) && !allowed.names(host)) return 'private addresses are not allowed';
    return undefined;
  };
}

interface Rules {
  readonly addresses: BlockList;
  readonly names: (host: string) => boolean;
}

function compileRules(entries: readonly string[]): Rules {
  const addresses = new BlockList();
  const exact = new Set<string>();
  const suffixes: string[] = [];
  for (const entry of entries) {
    const [address = '', prefix, ...rest] = entry.split('/');
    const family = isIP(address);
    if (family !== 0 && rest.length === 0) {
      const bits = prefix === undefined ? (family === 4 ? 32 : 128) : Number(prefix);
      addresses.addSubnet(address, bits, family === 4 ? 'ipv4' : 'ipv6');
    } else if (/^(\*\.)?[a-z0-9_]([a-z0-9_.-]*[a-z0-9_])?$/i.test(entry)) {
      if (entry.startsWith('*.')) suffixes.push(entry.slice(1).toLowerCase());
      else exact.add(entry.toLowerCase());
    } else {
      throw new Error(`${JSON.stringify(entry)} is no address, CIDR range or host name`);
    }
  }
  const names = (host: string) => {
    const name = host.toLowerCase().replace(/\.$/, '');
    return exact.has(name) || suffixes.some(suffix => name.endsWith(suffix));
  };
  return {addresses, names};
}

function contains(list: BlockList, address: string): boolean {
  return list.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
}

/** The IPv4 address inside an IPv6 one (mapped, NAT64, 6to4): what is called in the end. */
export function embeddedV4(address: string): string | undefined {
  if (isIP(address) !== 6) return undefined;
  const groups = expand(address);
  if (groups === undefined) return undefined;
  const [a, b, c] = groups;
  const last = v4Of(groups[6]!, groups[7]!);
  const zeros = (from: number, to: number) => groups.slice(from, to).every(group => group === 0);
  if (zeros(0, 5) && (groups[5] === 0xffff || (groups[5] === 0 && groups[6] !== 0))) return last;
  if (a === 0x64 && b === 0xff9b && zeros(2, 6)) return last;
  if (a === 0x2002) return v4Of(b!, c!);
  return undefined;
}

function v4Of(high: number, low: number): string {
  return `${high >> 8}.${high & 255}.${low >> 8}.${low & 255}`;
}

/** Eight numbers of an IPv6 text. */
function expand(address: string): number[] | undefined {
  const bare = address
    .split('%', 1)[0]!
    .replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_match, a, b, c, d) =>
      [(Number(a) << 8) | Number(b), (Number(c) << 8) | Number(d)].map(group => group.toString(16)).join(':'),
    );
  const [head = '', tail] = bare.split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const missing = 8 - left.length - right.length;
  if (missing < 0 || (tail === undefined && missing !== 0)) return undefined;
  return [...left, ...new Array<string>(missing).fill('0'), ...right].map(group => Number.parseInt(group, 16));
}
